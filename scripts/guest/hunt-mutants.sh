#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# hunt-mutants.sh FOLDER SEED EPISODES EVERY FROM [NUMBER...]
#
# In a guest whose kernel has the bugs of FOLDER's tables planted: has the hunt draw that
# many episodes with each bug of "transitions" and "history" switched on, from number FROM
# on (each EVERYth, or those numbered). Prints TAP. Before the first one nothing must be
# found, nor after one that was found: what it spoiled, such as the page of zeros, may
# stay, and everything be found from then on. It ends there, then, and says where the next
# kernel is to go on.

folder=$1 seed=$2 episodes=$3 every=$4 from=$5
shift 5

# draw NUMBER EPISODES: whether anything is found with that bug
draw()
{
	! MUTANT=$1 /selftests/hunt --seed "$seed" --episodes "$2" --as-found >/tmp/out 2>&1
}

if draw 0 $((from > 1 ? 10 : episodes)); then
	sed 's/^/# /' /tmp/out
	echo "Bail out! something is found without a bug"
	exit 1
fi
nr=$(grep -cvE '^(#|$)' "$folder/table")
cat "$folder/transitions" "$folder/history" | grep -vE '^(#|$)' | cut -d '|' -f 1 >/tmp/names
while read -r name; do
	nr=$((nr + 1))
	[ "$nr" -ge "$from" ] || continue
	if [ $# = 0 ]; then
		[ $((nr % every)) = 0 ] || continue
	else
		case " $* " in
		*" $nr "*) ;;
		*) continue ;;
		esac
	fi
	if ! draw "$nr" "$episodes"; then
		echo "not ok $nr $name"
		continue
	fi
	echo "ok $nr $name $(sed -n 's/^# after \([0-9]* episodes\), [0-9]* operations, \([0-9.]* s\).*/# after \1, \2/p; s/^# found: \([^:]*\):.*/, \1/p' /tmp/out | tr -d '\n')"
	if draw 0 10; then
		echo "# again from $((nr + 1))"
		exit 0
	fi
done </tmp/names
