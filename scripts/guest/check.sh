#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What scripts/check runs in a guest: the selftests, whose status it exits
# with, and after them the truth about every process, in comments of the KTAP.
# Arguments are programs of the selftests to run instead of all, or behind --but, not to run.

case ${1:-} in
'') ;;
--but)
	shift
	export BUT="$*"
	;;
*) export PROGRAMS="$*" ;;
esac

/selftests/run
status=$?
ptwalk info --json | sed 's/^/# info: /'
ptwalk check --all --json >/tmp/check 2>/tmp/errors
result=$?
grep -E '"type": ?"summary"|"verdict": ?"(mismatch|unstable)"' /tmp/check | sed 's/^/# check: /'
sed 's/^/# check: /' /tmp/errors
echo "# check --all ended with $result"
exit "$status"
