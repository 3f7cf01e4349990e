#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# beside.sh TABLE FOLDER [PROGRAM...]
# beside.sh --again SECONDS COMMAND...
#
# In a guest: runs the selftests in FOLDER as TABLE says, or only these PROGRAMs,
# each with ptwalk check beside it for as long as it runs. Prints TAP: a test is
# what check found, not how the program went. With --again, runs COMMAND for these
# SECONDS at most, and once more until it has had ten.

if [ "$1" = --again ]; then
	seconds=$2
	shift 2
	echo $$ >/tmp/session
	end=$(($(date +%s) + 10))
	while :; do
		timeout -s KILL "$seconds" "$@" >/tmp/said 2>&1
		status=$?
		[ "$(date +%s)" -lt "$end" ] || exit "$status"
	done
fi
table=$1 folder=$2
shift 2
cd "$folder" || exit 3

# What some of the programs look for.
modprobe zram && echo 512M >/sys/block/zram0/disksize &&
	mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
modprobe hwpoison-inject

# sum WORD: of the numbers before it in what check told
sum()
{
	awk -v word="$1" '{
		for (i = 2; i <= NF; i++)
			if (index($i, word) == 1)
				n += $(i - 1)
	} END { print n + 0 }' /tmp/sums
}

nr=0 failed=0
: >/tmp/sums
while read -r hugepages seconds command <&3; do
	case $hugepages in
	'' | '#') continue ;;
	esac
	program=${command%% *}
	[ $# = 0 ] || case " $* " in
	*" $program "*) ;;
	*) continue ;;
	esac
	nr=$((nr + 1))
	if [ ! -x "$program" ]; then
		echo "ok $nr $command # SKIP the source of this kernel has no such program"
		continue
	fi
	echo "$hugepages" >/proc/sys/vm/nr_hugepages
	# shellcheck disable=SC2086
	ptwalk check --known-bugs --during -- \
		setsid sh "$0" --again "$seconds" ./$command >/tmp/found 2>/tmp/errors
	status=$?
	# A program that was ended leaves others behind.
	kill -KILL "-$(cat /tmp/session)" 2>/dev/null
	sed -nE -e '/^mismatch/,/^ *(again|request) /s/^/# /p' -e 's/^explained by/#   &/p' /tmp/found
	sed 's/^/# /' /tmp/errors | head -n 20
	tail -n 2 /tmp/found | sed 's/ beside.*which/, and the program/; s/^/# /' | tee -a /tmp/sums
	# One that was ended may have ended within a line.
	[ ! -s /tmp/said ] || echo "#   its last words: $(tail -n 1 /tmp/said | sed 's/^[# ]*//')"
	# That a process was busy, pages never held still, or the program failed, is
	# no mismatch.
	if [ "$status" != 1 ] && grep -q '[1-9][0-9]* pages compared.* 0 mismatch' /tmp/found; then
		echo "ok $nr $command"
	else
		echo "not ok $nr $command (status $status)"
		failed=1
	fi
done 3<"$table"
echo "# in all: $(sum round) rounds, $(sum pages) pages compared, $(sum unstable) unstable, $(sum mismatch) mismatch; $(sum figures) figures"
echo "1..$nr"
exit "$failed"
