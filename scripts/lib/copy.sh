# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Copies of roots, in memory, that are thrown away after use.

# In a mount namespace of its own. COPY is the first of the arguments.
# shellcheck disable=SC2016
in_copy='
	set -e
	work=$(mktemp -d)
	trap "umount -R \"$work\" 2>/dev/null || :; rm -rf --one-file-system \"$work\"" EXIT
	mount -t tmpfs -o mode=755 tmpfs "$work"
	copy=$work/root
	mkdir "$work/upper" "$work/work" "$copy"
	mount -t overlay -o "lowerdir=$1,upperdir=$work/upper,workdir=$work/work" overlay "$copy"
	shift
	mount --bind /proc "$copy/proc"
	mount --rbind /dev "$copy/dev"
	cp -L /etc/resolv.conf "$copy/etc/resolv.conf" 2>/dev/null || :
	while [ "$1" != -- ]; do
		mkdir -p "$copy${1#*:}"
		mount --bind "${1%%:*}" "$copy${1#*:}"
		shift
	done
	shift
	chroot "$copy" "$@"
'

# in_copy WHY ROOT [FOLDER:PLACE]... -- COMMAND [ARG...]: as root, in a copy of
# ROOT where those folders of this machine stand at these places
in_copy()
{
	local why=$1
	shift
	as_root "$why" unshare -m bash -c "$in_copy" in_copy "$@"
}

# For what runs in there: check WHAT COMMAND... prints a line of TAP, numbered
# after $n, and what COMMAND printed if it fails.
# shellcheck disable=SC2016,SC2034
tap_check='
	log=/root/log
	failed=0
	check()
	{
		n=$((n + 1))
		what=$1
		shift
		if "$@" >$log 2>&1; then
			echo "ok $n $what"
		else
			failed=1
			sed "s/^/# /" $log | tail -n 40
			echo "not ok $n $what"
		fi
	}
'
