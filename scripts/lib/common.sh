# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What every script needs: the places, messages, locks, and becoming root.
# Source it first.

set -euo pipefail
export LC_ALL=C.UTF-8
PATH=$PATH:/usr/sbin:/sbin

# A service may run without it.
: "${HOME:=$(getent passwd "$(id -u)" | cut -d : -f 6)}"
export HOME

TOP=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
SCRIPTS=$TOP/scripts
BUILD=$TOP/build
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/ptwalk
ME=scripts/${0##*/}

say()
{
	printf '%s: %s\n' "$ME" "$*" >&2
}

# What is only for somebody who watches.
tell()
{
	if [ -t 2 ] || [ -n "${PTWALK_TELL:-}" ]; then
		say "$*"
	fi
}

die()
{
	say "$*"
	exit 1
}

# A command line that makes no sense.
usage_error()
{
	say "$*"
	exit 2
}

# as_root WHY COMMAND...: through sudo when we aren't root.
as_root()
{
	local why=$1
	shift
	if [ "$(id -u)" = 0 ]; then
		"$@"
		return
	fi
	command -v sudo >/dev/null ||
		die "needs root ($why), and there is no sudo: run it as root"
	[ -n "${PTWALK_TOLD:-}" ] || say "needs root through sudo: $why"
	# Or root makes them, and we can't write there.
	mkdir -p "$BUILD" "$CACHE"
	sudo HOME="$HOME" XDG_CACHE_HOME="${XDG_CACHE_HOME:-}" PTWALK_TOLD=1 PTWALK_TELL="${PTWALK_TELL:-}" \
		${http_proxy:+http_proxy="$http_proxy"} "$@"
}

# locked FILE COMMAND...: one at a time. COMMAND runs in a subshell of its own
# that stops at its first error, unless locked itself stands before || or &&.
locked()
{
	local file=$1 fd
	shift
	if ! { : >>"$file"; } 2>/dev/null && [ ! -e "$file" ]; then
		die "cannot write $file"
	fi
	exec {fd}<"$file"
	flock -w 3 "$fd" || {
		tell "waiting for another run, which holds $file"
		flock "$fd"
	}
	local status errexit=$-
	set +e
	(
		set -e
		"$@"
	)
	status=$?
	case $errexit in
	*e*) set -e ;;
	esac
	exec {fd}<&-
	return "$status"
}

# quietly LOG COMMAND...: shows the log only of what fails.
quietly()
{
	local log=$1 status=0
	shift
	"$@" >"$log" 2>&1 || status=$?
	[ "$status" = 0 ] || cat "$log" >&2
	return "$status"
}
