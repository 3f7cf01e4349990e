# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Lines of TAP, and what says that something isn't there: whoever searches nothing finds
# nothing, so each of these wants to be shown what it has searched.

n=0 failed=0

# result STATUS WHAT: a line of TAP
result()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

# remark TEXT: lines that explain the next line
remark()
{
	[ -z "$1" ] || printf '# %s\n' "${1//$'\n'/$'\n# '}"
}

# nothing WHAT SEARCHED SAID: nothing is said of what was searched, and something was
nothing()
{
	remark "$3"
	if [[ $2 != *[![:space:]]* ]]; then
		remark "nothing was searched"
		result 1 "$1"
	else
		result "$([ -z "$3" ] && echo 0 || echo 1)" "$1"
	fi
}

# absent WITNESS PATTERN ARG...: grep(1) with these arguments finds WITNESS, and nothing
# like PATTERN, which it else prints
absent()
{
	local witness=$1 pattern=$2 status=0
	shift 2
	LC_ALL=C grep -qE -e "$witness" "$@" || {
		echo "there is no '$witness' where there should be no '$pattern': $*"
		return 1
	}
	LC_ALL=C grep -nE -e "$pattern" "$@" || status=$?
	[ "$status" = 1 ]
}

# fails_with STATUS TEXT COMMAND...: it does, and says TEXT
fails_with()
{
	local wanted=$1 text=$2 status=0 said
	shift 2
	said=$("$@" 2>&1) || status=$?
	[[ $status = "$wanted" && $said = *"$text"* ]] || {
		echo "status $status, not $wanted with '$text': $said"
		return 1
	}
}
