# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Kernels that no distribution has: a table's line with the flavour "debug" is
# built from linux-source-VERSION of its suite and scripts/debug.config, once
# for each version of the source and of that file. "debug-builtin" is the same
# kernel; scripts/build links the module into it, for which the objects stay
# in its tree. Run as root, after lib/root.sh and lib/source.sh.

compile_kernel()
{
	local suite=$K_SUITE root=$CACHE/roots/$K_SUITE key name tree
	source_package "$K_VERSION" "$suite"
	key=$(cat "$SCRIPTS/debug.config" <(dpkg-deb -f "$CACHE/debs/linux-source-$K_VERSION.deb" Version) |
		sha256sum | cut -c 1-8)
	name=debug-$K_VERSION-$key
	tree=/usr/src/linux-$name
	if [ ! -e "$CACHE/kernels/$name/modules.cpio" ] || [ ! -e "$root$tree/vmlinux" ]; then
		say "building the debug kernel (linux-source-$K_VERSION, scripts/debug.config: about 10 minutes)"
		rm -rf "${root:?}$tree"
		unpack_source "$K_VERSION" "$root$tree"
		cp "$SCRIPTS/debug.config" "$root$tree/debug.config"
		quietly "$CACHE/kernels/debug-$key.log" "$SCRIPTS/in-root" --root "$suite" -- \
			/src/scripts/lib/inside.sh kernel "$tree" "$A_KBUILD" "$A_CROSS" "-debug-$key" || {
			tail -n 30 "$CACHE/kernels/debug-$key.log" >&2
			die "the debug kernel doesn't build"
		}
		RELEASE=$(cat "$root$tree/include/config/kernel.release")
		rm -rf "$root/usr/src/linux-headers-$RELEASE"
		mv -T "$root$tree/headers" "$root/usr/src/linux-headers-$RELEASE"
		pack_compiled "$CACHE/kernels/$name" "$root$tree"
		remove_earlier
	fi
	ln -sfn "$name" "$K_DIR"
}

# Earlier ones are of no more use, and large.
remove_earlier()
{
	local old
	for old in "$root/usr/src/linux-debug-$K_VERSION"-* "$CACHE/kernels/debug-$K_VERSION"-* \
		"$root/usr/src/linux-headers-$K_VERSION".*-debug-*; do
		case $old in
		*-"$key") ;;
		*) rm -rf "$old" ;;
		esac
	done
}

pack_compiled()
{
	local dir=$1 tree=$2 new=$1.new
	rm -rf "$new"
	mkdir -p "$new"
	cp "$tree/arch/x86/boot/bzImage" "$new/vmlinuz"
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
