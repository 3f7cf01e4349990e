# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The build roots: one small Debian for each suite, with that release's own
# compiler, so that each kernel gets the one it wants and nothing of this is
# installed on the user's machine. Run as root.

MIRROR=${PTWALK_MIRROR:-http://deb.debian.org/debian}
SECURITY_MIRROR=${PTWALK_SECURITY_MIRROR:-http://deb.debian.org/debian-security}

ROOT_PACKAGES=gcc,g++,libc6-dev,make,kmod,pkg-config,libnl-genl-3-dev,libjansson-dev
ROOT_PACKAGES+=,libcmocka-dev,sparse,cpio,xz-utils,binutils,busybox-static,rsync,ca-certificates
ROOT_PACKAGES+=,libelf1,bc,bison,flex,libelf-dev,libssl-dev,python3-minimal,ccache

# The same libraries for another architecture.
FOREIGN_PACKAGES="libnl-3-dev libnl-genl-3-dev libnl-3-200 libnl-genl-3-200"
FOREIGN_PACKAGES+=" libjansson-dev libjansson4 libcmocka-dev libcmocka0"

# sources SUITE [ARCH]
sources()
{
	local options=${2:+[arch=$2] }
	echo "deb ${options}$MIRROR $1 main"
	echo "deb ${options}$SECURITY_MIRROR $1-security main"
	case $1 in
	bookworm) ;;
	*) echo "deb ${options}$MIRROR $1-backports main" ;;
	esac
}

root_ready()
{
	[ "$(cat "$CACHE/roots/$1/etc/apt/ptwalk.packages" 2>/dev/null)" = "$ROOT_PACKAGES" ]
}

# remove_root DIR: with what is still mounted in it after a run that was killed
remove_root()
{
	local dir place
	[ -d "$1" ] || return 0
	dir=$(realpath "$1")
	# A space in a name is \040 there.
	awk '{ print $5 }' /proc/self/mountinfo | tac | while read -r place; do
		place=$(printf '%b' "$place")
		case $place in
		"$dir"/*) umount "$place" 2>/dev/null || umount -l "$place" ;;
		esac
	done
	rm -rf --one-file-system "$dir"
}

make_root()
{
	local suite=$1 root=$CACHE/roots/$1 new=$CACHE/roots/.$1.new
	! root_ready "$suite" || return 0
	if [ -d "$root" ]; then
		# The list above has grown.
		say "adding packages to the build root of Debian $suite"
		# shellcheck disable=SC2086
		root_install "$suite" ${ROOT_PACKAGES//,/ }
		echo "$ROOT_PACKAGES" >"$root/etc/apt/ptwalk.packages"
		return 0
	fi
	say "making a build root of Debian $suite (under a minute, 700 MB)"
	remove_root "$new"
	mkdir -p "$CACHE/roots"
	sources "$suite" >"$CACHE/roots/$suite.list"
	quietly "$CACHE/roots/$suite.log" \
		mmdebstrap --variant=apt --skip=cleanup/apt \
		--include="$ROOT_PACKAGES" "$suite" "$new" \
		"$CACHE/roots/$suite.list" ||
		die "could not make the build root"
	echo "$ROOT_PACKAGES" >"$new/etc/apt/ptwalk.packages"
	rm -f "$new"/var/cache/apt/archives/*.deb
	mv -T "$new" "$root"
}

in_root()
{
	"$SCRIPTS/in-root" --root "$suite" -- "$@"
}

# In the root, apt as it looks from another architecture. Each has lists of
# its own, so that a mirror that is behind with one doesn't spoil the others.
apt_view()
{
	APT_VIEW=()
	[ "$1" != "$(host_arch)" ] || return 0
	APT_VIEW=(-o "APT::Architecture=$1" -o "APT::Architectures=$1"
		-o "Dir::Etc::SourceList=/etc/apt/$1.list"
		-o "Dir::Etc::SourceParts=/dev/null"
		-o "Dir::State::Lists=/var/lib/apt/lists-$1"
		-o "Dir::State::status=/dev/null"
		-o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=")
}

update_view()
{
	local suite=$1 arch=$2 root=$CACHE/roots/$1 try
	if [ "$arch" != "$(host_arch)" ]; then
		sources "$suite" "$arch" >"$root/etc/apt/$arch.list"
		mkdir -p "$root/var/lib/apt/lists-$arch/partial"
	fi
	apt_view "$arch"
	tell "getting the lists of Debian's packages ($suite, $arch)"
	for try in 1 2 3; do
		in_root apt-get -q "${APT_VIEW[@]}" update >"$CACHE/roots/$suite-$arch.log" 2>&1 &&
			return 0
		sleep "$try"
	done
	# What could be had is there; a missing package will be noticed.
	say "apt-get update for $suite/$arch had errors (roots/$suite-$arch.log in the cache)"
}

root_install()
{
	local suite=$1
	shift
	in_root apt-get -q -y --no-install-recommends install "$@" \
		-o APT::Keep-Downloaded-Packages=false \
		>"$CACHE/roots/$suite.log" 2>&1 && return 0
	# The lists may be older than what the mirror still has.
	in_root apt-get -q update >"$CACHE/roots/$suite.log" 2>&1 || :
	quietly "$CACHE/roots/$suite.log" in_root apt-get -q -y \
		--no-install-recommends install "$@" ||
		die "could not install $* in the root of $suite"
}

# root_download SUITE ARCH DIR PACKAGE...
root_download()
{
	local suite=$1 arch=$2 dir=$3 log=$CACHE/roots/$1.log
	shift 3
	apt_view "$arch"
	local get=(in_root env -C "$dir" apt-get -q -o APT::Sandbox::User=root
		"${APT_VIEW[@]}" download "$@")
	"${get[@]}" >"$log" 2>&1 && return 0
	update_view "$suite" "$arch"
	quietly "$log" "${get[@]}" || die "could not download $*"
}

# root_unpack SUITE ARCH PACKAGE...: into the root, without installing them,
# so that nothing else has to be there in the same version.
root_unpack()
{
	local suite=$1 arch=$2 deb
	shift 2
	rm -rf "$CACHE/debs/unpack-$suite"
	mkdir -p "$CACHE/debs/unpack-$suite"
	root_download "$suite" "$arch" "/cache/debs/unpack-$suite" "$@"
	for deb in "$CACHE/debs/unpack-$suite"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x --keep-directory-symlink -C "$CACHE/roots/$suite"
	done
	rm -rf "$CACHE/debs/unpack-$suite"
}

# architecture_ready SUITE
architecture_ready()
{
	[ -z "$A_CROSS" ] ||
		[ "$(cat "$CACHE/roots/$1/etc/apt/$A_ARCH.ready" 2>/dev/null)" = "$FOREIGN_PACKAGES" ]
}

# The compiler and the libraries of another architecture.
add_architecture()
{
	local suite=$1 root=$CACHE/roots/$1
	[ -n "$A_CROSS" ] || return 0
	! architecture_ready "$suite" || return 0
	say "adding the $A_ARCH compiler and libraries to the root of $suite"
	root_install "$suite" "gcc-${A_TRIPLET//_/-}" "libc6-dev-$A_ARCH-cross"
	[ -d "$root/var/lib/apt/lists-$A_ARCH" ] || update_view "$suite" "$A_ARCH"
	# shellcheck disable=SC2086
	root_unpack "$suite" "$A_ARCH" $FOREIGN_PACKAGES
	rm -rf "$CACHE/debs/busybox-$suite-$A_ARCH"
	mkdir -p "$CACHE/debs/busybox-$suite-$A_ARCH" "$root/usr/lib/busybox"
	root_download "$suite" "$A_ARCH" "/cache/debs/busybox-$suite-$A_ARCH" busybox-static
	dpkg-deb --fsys-tarfile "$CACHE/debs/busybox-$suite-$A_ARCH"/*.deb |
		tar -xO --wildcards '*bin/busybox' >"$root/usr/lib/busybox/$A_ARCH"
	chmod 755 "$root/usr/lib/busybox/$A_ARCH"
	echo "$FOREIGN_PACKAGES" >"$root/etc/apt/$A_ARCH.ready"
}
