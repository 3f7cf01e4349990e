# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Kernels that no distribution has: a table's line with the flavour "debug" is
# built from linux-source-VERSION of its suite and scripts/debug.config, once
# for each version of the source and of that file. "debug-builtin" is the same
# kernel; scripts/build links the module into it, for which the objects stay
# in its tree. "mutants" has none of the checks, and the bugs of
# scripts/mutants planted; "races" has KCSAN in the place of KASAN. "unfixed" and
# "fixed" are for scripts/check-reports:
# scripts/reports.config, without and with the patches of Documentation/kernel-bugs.
# "series" is what scripts/check-series begins with: no checks, and no modules.
# Each tree of ours has a link to its own in build/.
# Run as root, after lib/root.sh and lib/source.sh.

mutants()
{
	cat "$SCRIPTS"/mutants/{table,transitions,history}
}

# What is planted: without what the bugs are called, and what shows them.
planted()
{
	mutants | awk '!/^#/ && NF { sub(/^[^|]* [|] [^|]* [|] /, ""); print }'
}

# config FILE: as it is for this architecture and version
config()
{
	awk -v arch="$K_ARCH" -v version="$K_VERSION" -f "$SCRIPTS/config.awk" "$SCRIPTS/$1"
}

# What the configuration is merged from, and what else the kernel is made of.
kernel_fragment()
{
	case $K_FLAVOUR in
	debug*) config debug.config ;;
	# Without what KCSAN excludes, and what would be too slow beside it. An access is watched
	# for 1 ms, in which an emulated processor gets as far as another one in 80 us.
	races)
		config debug.config | sed '/KASAN/d; /KMEMLEAK/d; /DEBUG_OBJECTS/d; /DEBUG_PAGEALLOC/d; /PAGE_POISONING/d'
		printf 'CONFIG_KCSAN%s\n' =y _UDELAY_TASK=1000
		;;
	mutants)
		config debug.config | sed '/^# Checks/,$d'
		# DEBUG_KERNEL for SCHED_DEBUG, which has the settings of NUMA balancing.
		printf 'CONFIG_%s\n' NUMA_BALANCING=y NUMA_BALANCING_DEFAULT_ENABLED=n \
			DEBUG_KERNEL=y DEBUG_INFO_NONE=y SCHED_DEBUG=y
		echo "# mutants $(planted | cat "$SCRIPTS/mutants/plant.awk" - | sha256sum | cut -c 1-16)"
		;;
	# Each x86-64 kernel has five levels by then.
	series) config debug.config | sed -e '/^# Checks/,$d' -e 's/=m$/=y/' -e '/X86_5LEVEL/d' ;;
	unfixed | fixed)
		config reports.config | sed '/^# /d'
		;;&
	fixed)
		fixes | while read -r file; do
			echo "# ${file##*/} $(sed -n '/^diff /,$p' "$file" | sha256sum | cut -c 1-16)"
		done
		;;
	esac
}

# fixes: the patches for a kernel "fixed", of the reports that are tried on it
fixes()
{
	awk -v kernel="${K_NAME%-fixed}" -v folder="$TOP/Documentation/kernel-bugs" \
		'!/^#/ && $2 == kernel && $3 ~ /^[a-z]/ && !seen[$3]++ { print folder "/" $3 ".patch" }' \
		"$SCRIPTS/reports"
}

# apply_fixes TREE
apply_fixes()
{
	local file
	fixes | while read -r file; do
		GIT_CEILING_DIRECTORIES=${1%/*} git -C "$1" apply --whitespace=nowarn "$file" ||
			die "${file##*/} doesn't fit linux-source-$K_VERSION"
	done
}

# plant_mutants TREE: also into what has bugs of an earlier table, and none of this one
plant_mutants()
{
	local tree=$1 file
	{
		mutants | awk -F ' [|] ' '!/^#/ && NF { print $3 }'
		find "$tree" -name '*.unplanted' -printf '%P\n' | sed 's/[.]unplanted$//'
	} | sort -u |
		while read -r file; do
			[ -e "$tree/$file.unplanted" ] || cp -p "$tree/$file" "$tree/$file.unplanted"
			awk -v file="$file" -f "$SCRIPTS/mutants/plant.awk" <(mutants) \
				"$tree/$file.unplanted" >"$tree/$file.new" || return 1
			mv "$tree/$file.new" "$tree/$file"
		done
}

# take_tree VERSION TREE: of the source unpacked, or an earlier one of its kind,
# in which only what has changed must be compiled. A kernel with fixes begins with
# the tree of the one without. With bugs, none needs its tree once it is built.
take_tree()
{
	local version=$1 tree=$2 earlier
	rm -rf "$tree"
	if [ "$K_FLAVOUR" = fixed ]; then
		earlier=$root/usr/src/$(cat "${K_DIR%-fixed}-unfixed/tree")
		cp -a "$earlier" "$tree"
		rm -rf "$tree/installed" "$tree/headers"
		return
	fi
	for earlier in "$root/usr/src/linux-$kind-$K_VERSION"-*; do
		if [ -e "$earlier/vmlinux" ] && [ "$(cat "$earlier/.unpacked" 2>/dev/null)" = "$version" ]; then
			case $kind in
			mutants) mv -T "$earlier" "$tree" ;;
			*) cp -a "$earlier" "$tree" ;;
			esac
			rm -rf "$tree/installed" "$tree/headers"
			return
		fi
	done
	unpack_source "$K_VERSION" "$tree"
	echo "$version" >"$tree/.unpacked"
}

compile_kernel()
{
	local suite=$K_SUITE root=$CACHE/roots/$K_SUITE kind=${K_FLAVOUR%%-*} key name tree version
	# Of these there is one for each architecture.
	case $kind in unfixed | fixed | series) kind+=-$K_ARCH ;; esac
	source_package "$K_VERSION" "$(source_suite)"
	version=$(dpkg-deb -f "$CACHE/debs/linux-source-$K_VERSION.deb" Version)
	key=$(cat <(kernel_fragment) <(echo "$version") | sha256sum | cut -c 1-8)
	name=$kind-$K_VERSION-$key
	tree=/usr/src/linux-$name
	if [ ! -e "$CACHE/kernels/$name/modules.cpio" ] ||
		[[ $kind != mutants && ! -e $root$tree/vmlinux ]]; then
		say "building the kernel '$K_NAME' (linux-source-$K_VERSION: about 10 minutes)"
		take_tree "$version" "$root$tree"
		kernel_fragment >"$root$tree/debug.config"
		[ "$kind" != mutants ] || plant_mutants "$root$tree" ||
			die "scripts/mutants doesn't fit linux-source-$K_VERSION"
		[ "$K_FLAVOUR" != fixed ] || apply_fixes "$root$tree"
		quietly "$CACHE/kernels/$kind-$key.log" "$SCRIPTS/in-root" --root "$suite" -- \
			/src/scripts/lib/inside.sh kernel "$tree" "$A_KBUILD" "$A_CROSS" "-$kind-$key" || {
			tail -n 30 "$CACHE/kernels/$kind-$key.log" >&2
			die "the kernel '$K_NAME' doesn't build"
		}
		RELEASE=$(cat "$root$tree/include/config/kernel.release")
		rm -rf "$root/usr/src/linux-headers-$RELEASE"
		[ ! -d "$root$tree/headers" ] ||
			mv -T "$root$tree/headers" "$root/usr/src/linux-headers-$RELEASE"
		pack_compiled "$CACHE/kernels/$name" "$root$tree"
		remove_unused
	fi
	ln -sfn "$CACHE/kernels/$name" "$K_DIR"
	# Of another architecture's, modules are built in the tree itself.
	RELEASE=$(cat "$K_DIR/release")
	[ -e "$root/usr/src/linux-headers-$RELEASE" ] ||
		ln -sfn "$(cat "$K_DIR/tree")" "$root/usr/src/linux-headers-$RELEASE"
	# Whoever finds it there says so, root or not.
	: >>"$K_DIR/used"
	chown --reference="$CACHE" "$K_DIR/used"
	mark_used
}

# For as long as remove_unused() leaves it, the kernel is there.
mark_used()
{
	[ -z "$K_COMPILED" ] || touch "$K_DIR/used" 2>/dev/null || :
}

# They are large. What was made or used in the last day may be another tree's.
remove_unused()
{
	local old
	for old in "$CACHE/kernels/$kind-$K_VERSION"-*; do
		[ -n "$(find "$old" "$old/used" -maxdepth 0 -mtime -1 2>/dev/null)" ] || rm -rf "$old"
	done
	for old in "$root/usr/src/linux-$kind-$K_VERSION"-* \
		"$root/usr/src/linux-headers-$K_VERSION".*-"$kind"-*; do
		[ -e "$CACHE/kernels/$kind-$K_VERSION-${old##*-}" ] || rm -rf "$old"
	done
}

pack_compiled()
{
	local dir=$1 tree=$2 new=$1.new
	rm -rf "$new"
	mkdir -p "$new"
	cp "$tree/$(cat "$tree/image")" "$new/vmlinuz"
	cp "$tree/vmlinux" "$new/vmlinux"
	cp "$tree/.config" "$new/config"
	cp "$tree/debug.config" "$new/fragment"
	echo "${tree##*/}" >"$new/tree"
	mkdir -p "$new/all/usr"
	mv "$tree/installed/lib" "$new/all/usr/lib"
	make_modules "$new"
	rm -rf "$new/all"
	echo "$RELEASE" >"$new/release"
	rm -rf "$dir"
	mv -T "$new" "$dir"
}
