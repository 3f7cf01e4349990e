#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mutants.sh TABLE [NUMBER...]
#
# In a guest whose kernel has the bugs of TABLE planted: switches on one after
# the other (or those numbered), and has ptwalk check look at a process with a
# mapping of each kind that shows it. That must end with 1, and with 0 before the
# first bug and after the last. Prints TAP, and how many bugs of each interface
# were found.

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

# check: as anybody would
check()
{
	ptwalk check "$pid" >/tmp/out 2>&1
}

# told: what check has said, but for what is explained
told()
{
	sed 's/^/# /; /^# explained/d' /tmp/out | head -n 30
}

# ready BUILDER: there is such a process, and nothing is wrong with it so far
ready()
{
	if ! holder "$1"; then
		echo "# no process with $1: $(cat "/tmp/why.$1")"
		return 1
	fi
	[ ! -e "/tmp/good.$1" ] || return 0
	check && : >"/tmp/good.$1" && return
	echo "# $1: check exits with $? before any bug is switched on"
	told
	return 1
}

# shows BUILDER: check finds the bug that is switched on
shows()
{
	ready "$1" || return
	echo "$nr" >$switch
	check
	with=$?
	echo 0 >$switch
	if [ "$with" = 1 ]; then
		sed -n '/^mismatch/{s/^/# /p;q}' /tmp/out
		return
	fi
	echo "# $1: check exits with $with"
	told
	return 1
}

nr=0 tested=0 killed=0 failed=0
field 1 >/tmp/names
field 2 >/tmp/builders
: >/tmp/results
while read -r name <&3 && read -r builders <&4; do
	nr=$((nr + 1))
	[ $# = 0 ] || case " $* " in
	*" $nr "*) ;;
	*) continue ;;
	esac
	tested=$((tested + 1))
	verdict=ok
	for builder in $(echo "$builders" | tr , ' '); do
		shows "$builder" || verdict="not ok"
	done
	echo "$verdict $nr $name"
	echo "$verdict ${name%%:*}" >>/tmp/results
	if [ "$verdict" = ok ]; then
		killed=$((killed + 1))
	else
		failed=$((failed + 1))
	fi
done 3</tmp/names 4</tmp/builders
for good in /tmp/good.*; do
	[ -e "$good" ] || continue
	builder=${good#/tmp/good.}
	if holder "$builder" && check; then
		continue
	fi
	echo "# $builder: check exits with $? in the end"
	told
	failed=$((failed + 1))
done
awk '{ bad = $1 == "not"; name = $(bad ? 3 : 2); of[name]++; got[name] += !bad }
	END { for (name in of) print "# " name ": " got[name] " of " of[name] }' /tmp/results | sort
echo "# killed $killed of $tested kernels with a bug"
echo "1..$nr"
[ "$failed" = 0 ]
