# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Building what a guest needs, when it is out of date.

# What a part is made from, in short, but for what make leaves in user/. Times and sizes
# will do.
fingerprint()
{
	(cd "$TOP" && for p; do
		[ ! -e "$p" ] || find "$p" -type f ! -name '*.[ado]' ! -name '*.so.*' ! -path user/ptwalk \
			! -path user/cmd/terms.c ! -path user/lib/protocol_names.c ! -path user/lib/names.c ! -path user/map/page_text.c \
			! -path user/module/enum_names.c -printf '%p %T@ %s %m\n'
	done | sort | sha256sum)
}

# up_to_date STAMP TEXT
up_to_date()
{
	[ -e "$1" ] && [ "$(cat "$1")" = "$2" ]
}

# The command, the selftests and the guest's init, for a suite and an
# architecture.
build_user()
{
	local key
	key=$(fingerprint dkms.conf user selftests kmod/uapi kmod/ptwalk.yaml kmod/ptwalk_device.yaml scripts/guest scripts/oracle-host \
		scripts/lib/inside.sh)
	! up_to_date "$U_BUILD/.built" "$key" || return 0
	mkdir -p "$U_BUILD"
	[ -e "$TOP/user/Makefile" ] || say "no user/ yet: a guest without the command"
	[ -e "$TOP/selftests/Makefile" ] || say "no selftests/ yet: a guest without them"
	rm -f "$U_BUILD/.built"
	say "building the command and the selftests for Debian $K_SUITE on $K_ARCH (a minute or two)"
	quietly "$U_BUILD/log" "$SCRIPTS/in-root" "$K_SUITE" -- /src/scripts/lib/inside.sh \
		user "$K_SUITE" "$A_ARCH" "$A_TRIPLET" "$A_CROSS" "/cache/source/6.12/tools/testing/selftests" ||
		return 1
	echo "$key" >"$U_BUILD/.built"
}

build_module()
{
	local key release
	release=$(cat "$K_DIR/release")
	key="$(fingerprint kmod) $release"
	[ "$K_FLAVOUR" != debug-builtin ] || build_builtin || return 1
	! up_to_date "$K_BUILD/.built" "$key" || return 0
	if [ ! -e "$TOP/kmod/Kbuild" ] && [ ! -e "$TOP/kmod/Makefile" ]; then
		say "no kmod/ yet: a guest without the module"
		return 0
	fi
	mkdir -p "$K_BUILD"
	rm -f "$K_BUILD/.built"
	say "building the modules for Linux $release (about a minute)"
	quietly "$K_BUILD/log" "$SCRIPTS/in-root" "$K_SUITE" -- /src/scripts/lib/inside.sh \
		module "${K_BUILD##*/}" "$release" "$A_KBUILD" "$A_CROSS" ||
		return 1
	echo "$key" >"$K_BUILD/.built"
}

# The module linked into its kernel: a minute in the tree that lib/compile.sh
# left, which is root's, and there is one of it.
build_builtin()
{
	local key tree
	tree=$(cat "$K_DIR/tree")
	key="$(fingerprint kmod Kconfig scripts/intree) $tree"
	! up_to_date "$K_BUILD/.image" "$key" || return 0
	mkdir -p "$K_BUILD"
	rm -f "$K_BUILD/.image"
	say "linking ptwalk into the debug kernel"
	locked "$CACHE/kernels/debug.lock" \
		quietly "$K_BUILD/image.log" "$SCRIPTS/in-root" --root "$K_SUITE" -- \
		/src/scripts/lib/inside.sh builtin "/usr/src/$tree" "$A_KBUILD" "$A_CROSS" \
		"-debug-${tree##*-}" "/build/$K_NAME/vmlinuz" ||
		return 1
	echo "$key" >"$K_BUILD/.image"
}

# The module for a kernel that the user has built: with the user's compiler.
build_own_module()
{
	local headers=$1
	mkdir -p "$K_BUILD/kmod"
	say "building the modules with $headers (about a minute)"
	cp -ru "$TOP/kmod/." "$K_BUILD/kmod/"
	quietly "$K_BUILD/log" make -C "$headers" "-j$(nproc)" M="$K_BUILD/kmod" \
		ARCH="$A_KBUILD" CROSS_COMPILE="$A_CROSS" modules
}

# foreign_dir FOLDER: where somebody's module is built for this kernel
foreign_dir()
{
	local name
	name=$(basename "$(realpath "$1")")
	# kbuild can't do with spaces.
	echo "$K_BUILD/modules/${name// /_}"
}

# build_foreign_module FOLDER HEADERS: somebody's own module, in a copy of its
# folder; HEADERS is empty for a kernel of the table. It is not ours to be strict.
build_foreign_module()
{
	local dir headers=$2
	dir=$(foreign_dir "$1")
	mkdir -p "$dir"
	cp -ru "$1/." "$dir/"
	if [ -n "$headers" ]; then
		quietly "$dir.log" make -C "$headers" "-j$(nproc)" M="$dir" \
			ARCH="$A_KBUILD" CROSS_COMPILE="$A_CROSS" modules
	else
		quietly "$dir.log" "$SCRIPTS/in-root" "$K_SUITE" -- make "-j$(nproc)" \
			-C "/usr/src/linux-headers-$(cat "$K_DIR/release")" \
			M="/build${dir#"$BUILD"}" ARCH="$A_KBUILD" CROSS_COMPILE="$A_CROSS" modules
	fi
}

# foreign_modules FOLDER: what was built from it, in the order in which to load it
foreign_modules()
{
	local dir name
	dir=$(foreign_dir "$1")
	sed -E 's,.*/,,; s/\.k?o$//' "$dir/modules.order" 2>/dev/null | while read -r name; do
		find "$dir" -name "$name.ko"
	done
}
