# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The build roots: one small Debian for each suite, with that release's own
# compiler, so that each kernel gets the one it wants and nothing of this is
# installed on the user's machine. Run as root.

MIRROR=${PTWALK_MIRROR:-http://deb.debian.org/debian}
SECURITY_MIRROR=${PTWALK_SECURITY_MIRROR:-http://deb.debian.org/debian-security}

ROOT_PACKAGES=gcc,libc6-dev,make,kmod,pkg-config,libnl-genl-3-dev,libjansson-dev
ROOT_PACKAGES+=,sparse,cpio,xz-utils,binutils,busybox-static,rsync,ca-certificates
ROOT_PACKAGES+=,libelf1,bc,bison,flex,libelf-dev,libssl-dev,python3-minimal

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

make_root()
{
	local suite=$1 root=$CACHE/roots/$1 new=$CACHE/roots/.$1.new
	[ ! -d "$root" ] || return 0
	say "making a build root of Debian $suite (under a minute, 700 MB)"
	rm -rf --one-file-system "$new"
	mkdir -p "$CACHE/roots"
	sources "$suite" >"$CACHE/roots/$suite.list"
	quietly "$CACHE/roots/$suite.log" \
		mmdebstrap --variant=apt --skip=cleanup/apt \
		--include="$ROOT_PACKAGES" "$suite" "$new" \
		"$CACHE/roots/$suite.list" ||
		die "could not make the build root"
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
	quietly "$CACHE/roots/$suite.log" in_root apt-get -q -y \
		--no-install-recommends install "$@" ||
		die "could not install $* in the root of $suite"
}

# root_unpack SUITE ARCH PACKAGE...: into the root, without installing them,
# so that nothing else has to be there in the same version.
root_unpack()
{
	local suite=$1 arch=$2 deb
	shift 2
	apt_view "$arch"
	rm -rf "$CACHE/debs/unpack-$suite"
	mkdir -p "$CACHE/debs/unpack-$suite"
	quietly "$CACHE/roots/$suite.log" in_root env -C "/cache/debs/unpack-$suite" \
		apt-get -q "${APT_VIEW[@]}" download "$@" ||
		die "could not download $*"
	for deb in "$CACHE/debs/unpack-$suite"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x --keep-directory-symlink -C "$CACHE/roots/$suite"
	done
	rm -rf "$CACHE/debs/unpack-$suite"
}

# The compiler and the libraries of another architecture.
add_architecture()
{
	local suite=$1 root=$CACHE/roots/$1
	[ -n "$A_CROSS" ] || return 0
	[ ! -e "$root/etc/apt/$A_ARCH.ready" ] || return 0
	say "adding the $A_ARCH compiler and libraries to the root of $suite"
	root_install "$suite" "gcc-${A_TRIPLET//_/-}" "libc6-dev-$A_ARCH-cross"
	[ -d "$root/var/lib/apt/lists-$A_ARCH" ] || update_view "$suite" "$A_ARCH"
	root_unpack "$suite" "$A_ARCH" libnl-3-dev libnl-genl-3-dev libnl-3-200 \
		libnl-genl-3-200 libjansson-dev libjansson4
	rm -rf "$CACHE/debs/busybox-$suite-$A_ARCH"
	mkdir -p "$CACHE/debs/busybox-$suite-$A_ARCH" "$root/usr/lib/busybox"
	apt_view "$A_ARCH"
	quietly "$CACHE/roots/$suite.log" in_root env -C "/cache/debs/busybox-$suite-$A_ARCH" \
		apt-get -q "${APT_VIEW[@]}" download busybox-static ||
		die "could not download busybox-static for $A_ARCH"
	dpkg-deb --fsys-tarfile "$CACHE/debs/busybox-$suite-$A_ARCH"/*.deb |
		tar -xO --wildcards '*bin/busybox' >"$root/usr/lib/busybox/$A_ARCH"
	chmod 755 "$root/usr/lib/busybox/$A_ARCH"
	touch "$root/etc/apt/$A_ARCH.ready"
}
