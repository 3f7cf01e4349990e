# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The kernel's own source, from Debian's package: the harness of the selftests
# is in no other. The package stays in the cache for whoever needs more of it.
# Run as root, after lib/root.sh.

SOURCE_VERSION=6.12
SOURCE_SUITE=bookworm
SOURCE=$CACHE/source/$SOURCE_VERSION

# source_package VERSION SUITE: puts linux-source-VERSION.deb into the cache.
source_package()
{
	local version=$1 suite=$2 dir=$CACHE/debs/source
	[ ! -e "$CACHE/debs/linux-source-$version.deb" ] || return 0
	say "getting linux-source-$version (140 MB)"
	rm -rf "$dir"
	mkdir -p "$dir"
	root_download "$suite" "$(host_arch)" /cache/debs/source "linux-source-$version"
	mv "$dir"/*.deb "$CACHE/debs/linux-source-$version.deb"
	rm -rf "$dir"
}

# unpack_source VERSION DIR [TAR ARGUMENT...]
unpack_source()
{
	local deb=$CACHE/debs/linux-source-$1.deb dir=$2
	shift 2
	mkdir -p "$dir"
	dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards '*/linux-source-*.tar.xz' |
		xz -dc -T0 | tar -x -C "$dir" --strip-components=1 "$@"
}

# unpack_selftests VERSION DIR [FILE...]: what the kernel's selftests are built
# from, and more files
unpack_selftests()
{
	local version=$1 dir=$2 parts=(Makefile arch/x86 arch/arm64 include mm/gup_test.h scripts
		tools/arch tools/build tools/include tools/scripts tools/testing/selftests
		usr/include)
	shift 2
	[ ! -e "$dir/Makefile" ] || return 0
	parts+=("$@")
	rm -rf "$dir.new"
	unpack_source "$version" "$dir.new" "${parts[@]/#/linux-source-$version/}"
	mv -T "$dir.new" "$dir"
}

kselftest_source()
{
	local suite=$SOURCE_SUITE
	[ ! -d "$SOURCE" ] || return 0
	source_package "$SOURCE_VERSION" "$SOURCE_SUITE"
	rm -rf "$SOURCE.new"
	unpack_source "$SOURCE_VERSION" "$SOURCE.new" --wildcards \
		'*/tools/testing/selftests/kselftest*' \
		'*/tools/testing/selftests/lib.mk' \
		'*/tools/net/ynl' '*/Documentation/netlink' \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch'
	mv -T "$SOURCE.new" "$SOURCE"
}

# page-types, with which the kernel's developers look at pages
page_types_source()
{
	local dir=$SOURCE-page-types
	[ ! -d "$dir" ] || return 0
	source_package "$SOURCE_VERSION" "$SOURCE_SUITE"
	rm -rf "$dir.new"
	unpack_source "$SOURCE_VERSION" "$dir.new" --wildcards \
		'*/tools/mm/page-types.c' '*/tools/lib/api' '*/tools/include' \
		'*/include/uapi/linux/magic.h' '*/include/uapi/linux/kernel-page-flags.h'
	mv -T "$dir.new" "$dir"
}
