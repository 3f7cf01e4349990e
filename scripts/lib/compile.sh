# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Kernels that no distribution has: a table's line with the flavour "debug" is
# built from linux-source-VERSION of its suite and scripts/debug.config, once
# for each version of the source and of that file. Run as root, after
# lib/root.sh and lib/source.sh.

compile_kernel()
{
	local suite=$K_SUITE root=$CACHE/roots/$K_SUITE key release tree
	source_package "$K_VERSION" "$suite"
	key=$(cat "$SCRIPTS/debug.config" <(dpkg-deb -f "$CACHE/debs/linux-source-$K_VERSION.deb" Version) |
		sha256sum | cut -c 1-8)
	tree=/usr/src/linux-debug-$K_VERSION-$key
	if [ ! -e "$CACHE/kernels/debug-$K_VERSION-$key/modules.cpio" ]; then
		say "building the debug kernel (linux-source-$K_VERSION, scripts/debug.config: about 10 minutes)"
		# Earlier ones are of no more use, and large.
		rm -rf "$root/usr/src/linux-debug-$K_VERSION-"* "$CACHE/kernels/debug-$K_VERSION-"*
		unpack_source "$K_VERSION" "$root$tree"
		cp "$SCRIPTS/debug.config" "$root$tree/debug.config"
		quietly "$CACHE/kernels/debug-$key.log" "$SCRIPTS/in-root" --root "$suite" -- \
			/src/scripts/lib/inside.sh kernel "$tree" "$A_KBUILD" "$A_CROSS" "-debug-$key" || {
			tail -n 30 "$CACHE/kernels/debug-$key.log" >&2
			die "the debug kernel doesn't build"
		}
		release=$(cat "$root$tree/include/config/kernel.release")
		ln -sfn "${tree##*/}" "$root/usr/src/linux-headers-$release"
		RELEASE=$release
		pack_compiled "$CACHE/kernels/debug-$K_VERSION-$key" "$root$tree"
	fi
	ln -sfn "debug-$K_VERSION-$key" "$K_DIR"
}

pack_compiled()
{
	local dir=$1 tree=$2 new=$1.new
	rm -rf "$new"
	mkdir -p "$new"
	cp "$tree/arch/x86/boot/bzImage" "$new/vmlinuz"
	cp "$tree/.config" "$new/config"
	cp "$tree/debug.config" "$new/fragment"
	mkdir -p "$new/all/usr"
	mv "$tree/installed/lib" "$new/all/usr/lib"
	make_modules "$new"
	rm -rf "$new/all"
	echo "$RELEASE" >"$new/release"
	rm -rf "$dir"
	mv -T "$new" "$dir"
}
