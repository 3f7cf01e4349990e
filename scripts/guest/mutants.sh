#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mutants.sh FOLDER [NUMBER...]
#
# In a guest whose kernel has the bugs of FOLDER's tables planted: switches on one
# after the other (or those numbered), and has ptwalk check look at a process with
# a mapping of each kind that shows it, or laws do an operation that has it. A
# mismatch must be found, or a law be broken; and neither before the first bug and
# after the last. Prints TAP, and how many bugs of each interface or operation
# were found, and in how many a mismatch names that interface; and in the end how many
# of all, and how many by default options.

folder=$1
shift
switch=/sys/module/kernel/parameters/mutant

# At which a bug that takes one exact request is as good as found: see
# Documentation/interfaces.md.
effort=160

# field N: of each mutant of the table
field()
{
	awk -F ' [|] ' -v n="$1" '!/^#/ && NF { print $n }' "$folder/$table"
}

# holder BUILDER: the process that holds one of those, started once, or each time
# if it doesn't last; ptwalk itself holds its own memory
holder()
{
	if [ "$1" = self ]; then
		pid=self
		return
	fi
	case $1 in
	migrating*)
		# Others may have ended its migration meanwhile.
		if [ -s "/tmp/hold.$1" ]; then
			read -r pid _ <"/tmp/hold.$1"
			kill "$pid"
			rm "/tmp/hold.$1"
		fi
		;;
	esac
	if [ ! -e "/tmp/hold.$1" ]; then
		/selftests/hold "$1" >"/tmp/hold.$1" 2>"/tmp/why.$1" &
		holders="$holders $!"
		tries=0
		while [ ! -s "/tmp/hold.$1" ] && [ ! -s "/tmp/why.$1" ] && [ "$tries" -lt 300 ]; do
			sleep 0.1
			tries=$((tries + 1))
		done
	fi
	read -r pid _ <"/tmp/hold.$1"
	[ -n "$pid" ]
}

# look WHAT NUMBER: has ptwalk check, as anybody would, look at the process of that
# builder, up to eight times, and then once with more requests, or laws judge that cell
# (OPERATION:ENTRY), or the hunt draw, with the bug of this number switched on. 0: none, and
# one check as anybody would is enough before that with more requests. What came of it is in
# $with: the exit status, or the letter of the cell; and in $checks which check that was of.
# That pages didn't hold still (4) says nothing of the bug.
look()
{
	checks=0
	case $1 in
	*:*)
		ENTRY=${1#*:} MUTANT=$2 /selftests/laws -t "${1%:*}" >/tmp/out 2>&1
		with=$(sed -n "s/^# ${1%:*} *\([-+=rkX?]\) *\$/\1/p" /tmp/out)
		;;
	hunt)
		MUTANT=$2 /selftests/hunt --seed 1 --episodes 2400 --as-found >/tmp/out 2>&1
		with=$?
		;;
	*)
		echo "$2" >$switch
		# Each check draws other requests; without a bug, none may find anything.
		for checks in 1 2 3 4 5 6 7 8 9; do
			case $2:$checks in
			0:[2-8]) continue ;;
			*:9) more=--effort=$effort ;;
			*) more= ;;
			esac
			ptwalk check ${more:+"$more"} "$pid" >/tmp/out 2>&1
			with=$?
			case $with in 0 | 4) ;; *) break ;; esac
		done
		;;
	esac
	echo 0 >$switch
}

# told: what was said, but for what is explained
told()
{
	sed '/^explained/d; s/^\(# \)\{0,1\}/# /' /tmp/out | head -n 30
}

# good WHAT WHEN: nothing is wrong without a bug
good()
{
	case $1 in
	*:* | hunt) ;;
	*)
		holder "$1" || {
			echo "# no process with $1: $(cat "/tmp/why.$1")"
			return 1
		}
		;;
	esac
	look "$1" 0
	case $with in
	0 | + | = | r | k) return ;;
	esac
	echo "# $1: '$with' $2"
	told
	return 1
}

# is_named: whether a mismatch names the interface that $name begins with, or one
# of the ways to read it
is_named()
{
	awk -v name="${name%%:*}" '
	function plain(text) { gsub(/_/, "-", text); return tolower(text) }
	BEGIN { name = plain(name) }
	/^[^ ]/ { inside = /^mismatch/ }
	inside {
		gsub(/[,:]/, " ")
		for (i = 1; i <= NF; i++) {
			word = plain($i)
			sub(/^pagemap-(single|4k|unaligned|unprivileged)$/, "pagemap", word)
			sub(/^pagemap-scan-(written|pieces|filters)$/, "pagemap-scan", word)
			if (word == name)
				found = 1
		}
	}
	END { exit !found }' /tmp/out
}

# shows WHAT: the bug number $nr is found
shows()
{
	if [ ! -e "/tmp/good.$1" ]; then
		good "$1" "before any bug is switched on" || return
		: >"/tmp/good.$1"
	fi
	case $1 in
	*:* | hunt) ;;
	*) holder "$1" ;;
	esac
	look "$1" "$nr"
	case $with in
	1 | X)
		case $checks in
		[01]) ;;
		9)
			echo "# by --effort $effort"
			late=yes
			;;
		*) echo "# by check $checks of 8" ;;
		esac
		sed -n '/^mismatch/{s/^/# /p;q}; /^# found: /{p;q}; /^# .* of .*: page [0-9]*: /{p;q}' /tmp/out
		case $1:$with$named in
		hunt:*) ;;
		*:1yes) is_named || named=no ;;
		esac
		return
		;;
	esac
	echo "# $1: '$with'"
	told
	return 1
}

# no_hugetlb: empties the pools, to which who is killed gives nothing back. A page
# that was used stays dirty there, and no law would see a dirty bit get lost. What
# wait says is that they were killed.
no_hugetlb()
{
	# shellcheck disable=SC2086
	[ -z "$holders" ] || wait $holders 2>/dev/null
	for pool in /sys/kernel/mm/hugepages/*/nr_hugepages; do
		echo 0 >"$pool"
	done
}

nr=0 tested=0 killed=0 plainly=0 failed=0 missed=0
: >/tmp/results
for table in table transitions history; do
	holders=
	field 1 >/tmp/names
	field 2 >/tmp/whats
	while read -r name <&3 && read -r whats <&4; do
		nr=$((nr + 1))
		[ $# = 0 ] || case " $* " in
		*" $nr "*) ;;
		*) continue ;;
		esac
		if [ "$whats" = - ]; then
			echo "ok $nr $name # SKIP nothing finds it"
			missed=$((missed + 1))
			continue
		fi
		tested=$((tested + 1))
		verdict=ok named=yes late=no
		for what in $(echo "$whats" | tr , ' '); do
			shows "$what" || verdict="not ok"
		done
		echo "$verdict $nr $name"
		[ "$named" = yes ] || echo "# $nr is told of other interfaces only"
		echo "$verdict ${name%%:*} $named" >>/tmp/results
		if [ "$verdict" = ok ]; then
			killed=$((killed + 1))
			[ "$late" = yes ] || plainly=$((plainly + 1))
		else
			failed=$((failed + 1))
		fi
	done 3</tmp/names 4</tmp/whats
	for file in /tmp/good.*; do
		[ -e "$file" ] || continue
		good "${file#/tmp/good.}" "in the end" || failed=$((failed + 1))
		rm "$file"
	done
	# shellcheck disable=SC2086
	[ -z "$holders" ] || kill $holders
	no_hugetlb
done
awk '{ bad = $1 == "not"; name = $(bad ? 3 : 2); of[name]++; got[name] += !bad
		other[name] += !bad && $NF == "no" }
	END { for (name in of)
		print "# " name ": " got[name] " of " of[name] (other[name] ?
			", " other[name] " of them told of other interfaces only" : "") }' /tmp/results | sort
echo "# killed $killed of $tested kernels with a bug, $plainly by default options"
[ "$missed" = 0 ] || echo "# nothing finds $missed more"
echo "1..$nr"
[ "$failed" = 0 ]
