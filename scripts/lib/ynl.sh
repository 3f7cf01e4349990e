# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# The kernel's YNL tools (tools/net/ynl) and the Python that they need: those
# of the newest source package of the suite at the time. Older ones generate
# less: that of Linux 6.12 knows no limits of binary attributes.

YNL_SUITE=trixie
YNL=$CACHE/source/ynl
YNL_PACKAGES="python3 python3-yaml python3-jsonschema"

# ynl_ready SUITE: whether the tools are there, and Python in the suite's root
ynl_ready()
{
	[ -e "$YNL/version" ] &&
		[ "$(cat "$CACHE/roots/$1/etc/apt/ptwalk.ynl" 2>/dev/null)" = "$YNL_PACKAGES" ]
}

# ynl_setup SUITE: as root, after lib/root.sh and lib/source.sh.
ynl_setup()
{
	local suite
	mkdir -p "$CACHE/debs"
	for suite in "$YNL_SUITE" "$1"; do
		locked "$CACHE/$suite.lock" ynl_python "$suite"
	done
	locked "$CACHE/$YNL_SUITE.lock" ynl_source
}

ynl_python()
{
	local suite=$1
	! ynl_ready "$suite" || return 0
	make_root "$suite"
	# shellcheck disable=SC2086
	root_install "$suite" $YNL_PACKAGES
	echo "$YNL_PACKAGES" >"$CACHE/roots/$suite/etc/apt/ptwalk.ynl"
}

ynl_source()
{
	local suite=$YNL_SUITE version
	[ ! -e "$YNL/version" ] || return 0
	update_view "$suite" "$(host_arch)"
	version=$(in_root apt-cache pkgnames linux-source- |
		sed -nE 's/^linux-source-([0-9]+\.[0-9]+)$/\1/p' | sort -V | tail -n 1)
	[ -n "$version" ] || die "Debian $suite has no linux-source-VERSION"
	source_package "$version" "$suite"
	rm -rf "$YNL" "$YNL.new"
	unpack_source "$version" "$YNL.new" --wildcards \
		'*/tools/net/ynl' '*/Documentation/netlink/*.yaml'
	rm -rf "$YNL.new/Documentation/netlink/specs"
	echo "$version" >"$YNL.new/version"
	mv -T "$YNL.new" "$YNL"
}
