# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Puts a kernel of the table into the cache: kernels/NAME is a link to a
# folder with
#   release  its version, as uname -r says it
#   vmlinuz  what QEMU boots
#   vmlinux  the same with symbols, of a kernel that is built here
#   config   its configuration
#   modules-KEY.cpio  the modules of a list, guest/modules, that KEY is of
#   modules-KEY.dep   what depmod says of them
# and its headers are in the root of its suite. Run as root.

# The newest release that has both headers and an image, and the packages
# with the image and the modules: sets RELEASE and IMAGE_PACKAGES.
find_release()
{
	local names version=${K_VERSION//./\\.}
	apt_view "$K_ARCH"
	names=$(in_root apt-cache "${APT_VIEW[@]}" dumpavail |
		awk '/^Package: linux-(headers|image|binary|modules|base)-/ { print $2 }')
	RELEASE=
	IMAGE_PACKAGES=()
	local release image part
	while read -r release; do
		for image in "linux-binary-$release" "linux-binary-unsigned-$release" \
			"linux-image-$release" "linux-image-$release-unsigned"; do
			grep -qxF "$image" <<<"$names" || continue
			RELEASE=$release
			IMAGE_PACKAGES=("$image")
			for part in "linux-modules-$release" "linux-base-$release"; do
				! grep -qxF "$part" <<<"$names" || IMAGE_PACKAGES+=("$part")
			done
			return 0
		done
	done < <(sed -nE "s/^linux-headers-(${version}[-.][0-9.]+([-+~][a-z0-9.]+)?-$K_FLAVOUR)\$/\1/p" \
		<<<"$names" | sort -rV)
	return 1
}

have_kernel()
{
	[ -z "$K_COMPILED" ] || kernel_fragment | cmp -s - "$K_DIR/fragment" || return 1
	[[ $K_FLAVOUR != debug-builtin && $K_FLAVOUR != series ]] ||
		[ -e "$CACHE/roots/$K_SUITE/usr/src/$(cat "$K_DIR/tree" 2>/dev/null)/vmlinux" ] || return 1
	[ -e "$K_MODULES.cpio" ] && root_ready "$K_SUITE" && architecture_ready "$K_SUITE"
}

fetch_kernel()
{
	local suite=$K_SUITE root=$CACHE/roots/$K_SUITE
	add_architecture "$suite"
	[ ! -e "$K_MODULES.cpio" ] || return 0
	if ! find_release; then
		update_view "$suite" "$K_ARCH"
		find_release || die "Debian $suite has no linux-headers-$K_VERSION.*-$K_FLAVOUR with an image"
	fi
	[ -e "$CACHE/kernels/$RELEASE/$MODULES.cpio" ] ||
		say "getting Linux $RELEASE for $K_ARCH (${IMAGE_PACKAGES[*]} and its headers)"
	unpack_headers
	unpack_image
	ln -sfn "$RELEASE" "$K_DIR"
}

unpack_headers()
{
	local depends kbuild common
	[ ! -e "$root/usr/src/linux-headers-$RELEASE/.ptwalk" ] || return 0
	# The build tools are programs of this machine, everything else is text.
	depends=$(in_root apt-cache "${APT_VIEW[@]}" show --no-all-versions "linux-headers-$RELEASE" |
		sed -n 's/^Depends: //p')
	kbuild=$(grep -o 'linux-kbuild-[^ ,:]*' <<<"$depends")
	common=$(grep -o 'linux-headers-[^ ,:]*-common' <<<"$depends")
	root_install "$suite" "$kbuild"
	root_unpack "$suite" "$K_ARCH" "$common" "linux-headers-$RELEASE"
	touch "$root/usr/src/linux-headers-$RELEASE/.ptwalk"
}

unpack_image()
{
	local new=$CACHE/kernels/.$RELEASE.new debs=$CACHE/kernels/.$RELEASE.debs deb
	[ ! -e "$CACHE/kernels/$RELEASE/$MODULES.cpio" ] || return 0
	rm -rf "$new" "$debs"
	mkdir -p "$new/all" "$debs"
	root_download "$suite" "$K_ARCH" "/cache/kernels/${debs##*/}" "${IMAGE_PACKAGES[@]}"
	for deb in "$debs"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$new/all"
	done
	rm -rf "$debs"
	[ ! -d "$new/all/lib" ] || { mkdir -p "$new/all/usr" && cp -al "$new/all/lib" "$new/all/usr/"; }
	local vmlinuz
	vmlinuz=$(find "$new/all" \( -name vmlinuz -o -name 'vmlinuz-*' -o -name 'vmlinuz.unsigned' -o -name 'vmlinux-*' \) -type f | head -n 1)
	[ -n "$vmlinuz" ] || die "no kernel image in ${IMAGE_PACKAGES[*]}"
	mv "$vmlinuz" "$new/vmlinuz"
	find "$new/all" "$root/usr/src/linux-headers-$RELEASE" \( -name "config-*" -o -name config -o -name .config \) \
		-type f -exec cp {} "$new/config" \; -quit
	make_modules "$new"
	rm -rf "$new/all"
	echo "$RELEASE" >"$new/release"
	# Another list's stay, for whoever goes back to it.
	cp -n "$CACHE/kernels/$RELEASE"/modules* "$new/" 2>/dev/null || :
	rm -rf "$CACHE/kernels/$RELEASE"
	mv -T "$new" "$CACHE/kernels/$RELEASE"
}

# The initramfs' part that depends on nothing but the kernel: its modules.
make_modules()
{
	local new=$1 stage=$1/stage name=${K_MODULES##*/}
	mkdir -p "$stage/usr/lib/modules/$RELEASE"
	stage_modules "$1/all/usr/lib/modules/$RELEASE" "$stage/usr/lib/modules/$RELEASE"
	cp "$stage/usr/lib/modules/$RELEASE/modules.dep" "$new/$name.dep" 2>/dev/null ||
		: >"$new/$name.dep"
	(cd "$stage" && find usr | cpio --quiet -o -H newc -R 0:0) >"$new/$name.cpio"
	rm -rf "$stage"
}

# stage_modules FROM TO: the listed ones and what they need, uncompressed.
stage_modules()
{
	local from=$1 to=$2 path
	mkdir -p "$to"
	cp "$from"/modules.{order,builtin,builtin.modinfo} "$to/" 2>/dev/null || :
	[ -d "$from/kernel" ] || return 0
	depmod -b "$new/all/usr" -m /lib/modules "$RELEASE" 2>/dev/null ||
		depmod -b "$new/all/usr" "$RELEASE"
	awk 'FNR == NR { if (!/^#/ && NF) { n = $1; gsub(/-/, "_", n); want[n] = 1 } next }
		{
			n = $1; sub(/:$/, "", n); sub(/.*\//, "", n); sub(/\.ko.*/, "", n)
			gsub(/-/, "_", n)
			if (n in want) { sub(/:/, ""); for (i = 1; i <= NF; i++) print $i }
		}' "$SCRIPTS/guest/modules" "$from/modules.dep" | sort -u |
	while read -r path; do
		mkdir -p "$to/${path%/*}"
		case $path in
		*.xz) xz -dc "$from/$path" >"$to/${path%.xz}" ;;
		*.zst) zstd -dcq "$from/$path" >"$to/${path%.zst}" ;;
		*) cp "$from/$path" "$to/$path" ;;
		esac
	done
	depmod -b "${to%/lib/modules/*}" "$RELEASE" 2>/dev/null
}
