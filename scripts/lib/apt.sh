# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Packages of the machine we run on.

# host_packages WHY PACKAGE...: installs those that are missing.
host_packages()
{
	local why=$1 missing=() p
	shift
	for p; do
		dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null |
			grep -qx installed || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	mkdir -p "$CACHE"
	say "installing ${missing[*]} with apt-get: $why"
	locked "$CACHE/apt.lock" apt_install "${missing[@]}"
}

apt_install()
{
	local log=$CACHE/apt.log
	if ! apt_get install "$@" >"$log" 2>&1; then
		# A fresh machine has no package lists, or stale ones.
		apt_get update >"$log" 2>&1 || :
		quietly "$log" apt_get install "$@" ||
			die "apt-get could not install $*"
	fi
}

apt_get()
{
	as_root "to install packages with apt-get" \
		env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}
