#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mutants.sh TABLE [NUMBER...]
#
# In a guest whose kernel has the bugs of TABLE planted: switches on one after
# the other (or those numbered), and has ptwalk check look at a process with a
# mapping of the kind that shows it. That must end with 1, and with 0 before and
# after. Prints TAP.

table=$1
shift
switch=/sys/module/kernel/parameters/mutant

# field N: of each mutant
field()
{
	awk -F ' [|] ' -v n="$1" '!/^#/ && NF { print $n }' "$table"
}

# holder BUILDER: the process that holds one of those, started once
holder()
{
	if [ ! -e "/tmp/hold.$1" ]; then
		/selftests/hold "$1" >"/tmp/hold.$1" 2>"/tmp/why.$1" &
		tries=0
		while [ ! -s "/tmp/hold.$1" ] && [ ! -s "/tmp/why.$1" ] && [ "$tries" -lt 300 ]; do
			sleep 0.1
			tries=$((tries + 1))
		done
	fi
	read -r pid _ <"/tmp/hold.$1"
	[ -n "$pid" ]
}

# check NAME: as anybody would; kpageflags has a bug of its own in 6.12.
check()
{
	case $1 in
	kpageflags:*) ptwalk check --source kpageflags --known-bugs "$pid" >/tmp/out 2>&1 ;;
	*) ptwalk check "$pid" >/tmp/out 2>&1 ;;
	esac
}

nr=0 tested=0 killed=0 failed=0
field 1 >/tmp/names
field 2 >/tmp/builders
while read -r name <&3 && read -r builder <&4; do
	nr=$((nr + 1))
	[ $# = 0 ] || case " $* " in
	*" $nr "*) ;;
	*) continue ;;
	esac
	if ! holder "$builder"; then
		echo "not ok $nr $name: no process with $builder: $(cat "/tmp/why.$builder")"
		tested=$((tested + 1)) failed=$((failed + 1))
		continue
	fi
	tested=$((tested + 1))
	check "$name"
	before=$?
	[ $before = 0 ] || sed 's/^/# before: /' /tmp/out
	echo "$nr" >$switch
	check "$name"
	with=$?
	echo 0 >$switch
	if [ $before = 0 ] && [ $with = 1 ]; then
		killed=$((killed + 1))
		echo "ok $nr $name"
		sed -n '/^mismatch/{s/^/# /p;q}' /tmp/out
	else
		failed=$((failed + 1))
		echo "not ok $nr $name (check exited with $before without it, $with with it)"
		sed 's/^/# /' /tmp/out | tail -n 5
	fi
done 3</tmp/names 4</tmp/builders
# The builders' names have no blanks.
# shellcheck disable=SC2013
for builder in $(sort -u /tmp/builders); do
	[ -e "/tmp/hold.$builder" ] || continue
	holder "$builder" || continue
	check '' || {
		echo "# $builder: check exits with $? in the end"
		sed 's/^/# /' /tmp/out | tail -n 12
		failed=$((failed + 1))
	}
done
echo "# killed $killed of $tested kernels with a bug"
echo "1..$nr"
[ "$failed" = 0 ]
