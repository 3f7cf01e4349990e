# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The roots of the Debian packages, for a suite: SUITE-deb, in which they are
# built, and SUITE-clean, of which copies are used to install them; SUITE-docs, in
# which the kernel's documentation is made; and SUITE-cross, with a compiler for
# each architecture of scripts/upstream/arches.

# shellcheck source=scripts/lib/root.sh
. "$SCRIPTS/lib/root.sh"

# What debian/control wants, what judges the packages, and a compiler that
# remembers.
DEB_PACKAGES="build-essential dh-dkms dh-python debhelper libcmocka-dev libjansson-dev"
DEB_PACKAGES+=" libnl-genl-3-dev pkgconf python3 lintian man-db ccache"
# As of a machine: the headers of its kernels, of which scripts/vm has one.
clean_packages()
{
	case $1 in
	bookworm) echo "linux-headers-$(host_arch) linux-headers-6.12-$(host_arch)" ;;
	*) echo "linux-headers-$(host_arch) linux-headers-$(cat "$CACHE/kernels/7.2/release")" ;;
	esac
}
# What installing and trying the packages adds to it: it is downloaded
# beforehand, so that the test needs no network.
CLEAN_DOWNLOADS="dkms libnl-genl-3-dev pkgconf libc6-dev gcc python3"

DOCS_PACKAGES="make gcc libc6-dev perl flex bison bc python3-sphinx python3-yaml"

cross_packages()
{
	local own triplet
	own=$(architecture "$(host_arch)" && echo "$A_TRIPLET")
	echo -n "make gcc libc6-dev perl flex bison bc libelf-dev libssl-dev python3-minimal rsync ccache"
	awk '!/^#/ && NF { print $3 }' "$SCRIPTS/upstream/arches" | sort -u | while read -r triplet; do
		[ "$triplet" = "$own" ] || echo -n " gcc-${triplet//_/-}"
	done
}

# deb_root_ready NAME PACKAGES
deb_root_ready()
{
	[ "$(cat "$CACHE/roots/$1/etc/apt/ptwalk.packages" 2>/dev/null)" = "$2" ]
}

# deb_root NAME SUITE VARIANT PACKAGES [DOWNLOADS]
deb_root()
{
	local name=$1 suite=$2 variant=$3 packages=$4 downloads=${5:-}
	local root=$CACHE/roots/$name new=$CACHE/roots/.$name.new
	! deb_root_ready "$name" "$packages $downloads" || return 0
	say "making a root of Debian $suite: $name (a minute or two)"
	remove_root "$new"
	mkdir -p "$CACHE/roots"
	sources "$suite" >"$CACHE/roots/$name.list"
	# shellcheck disable=SC2016
	quietly "$CACHE/roots/$name.log" mmdebstrap --variant="$variant" \
		--skip=cleanup/apt --include="${packages// /,}" \
		--customize-hook='chroot "$1" apt-get clean' \
		${downloads:+--customize-hook="chroot \"\$1\" apt-get -q -y --no-install-recommends --download-only install $downloads"} \
		"$suite" "$new" "$CACHE/roots/$name.list" ||
		die "could not make the root $name"
	echo "$packages $downloads" >"$new/etc/apt/ptwalk.packages"
	remove_root "$root"
	mv -T "$new" "$root"
}

# deb_root_for SUITE deb|clean|docs|cross: makes it if there is none
deb_root_for()
{
	local suite=$1 kind=$2
	mkdir -p "$CACHE"
	case $kind in
	deb) set -- "$suite-deb" "$suite" apt "$DEB_PACKAGES" ;;
	docs) set -- "$suite-docs" "$suite" apt "$DOCS_PACKAGES" ;;
	cross) set -- "$suite-cross" "$suite" apt "$(cross_packages)" ;;
	clean) set -- "$suite-clean" "$suite" minbase "$(clean_packages "$suite")" "$CLEAN_DOWNLOADS" ;;
	esac
	! deb_root_ready "$1" "$4 ${5:-}" || return 0
	if [ "$(id -u)" = 0 ]; then
		host_packages "to make roots of Debian" mmdebstrap debian-archive-keyring
		locked "$CACHE/$1.lock" deb_root "$@"
	else
		as_root "to make a root of Debian in $CACHE" "$SCRIPTS/deb" --prepare "$suite" "$kind" >&2
	fi
}
