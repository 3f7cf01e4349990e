#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# hunt-mutants.sh FOLDER SEED EPISODES EVERY [NUMBER...]
#
# In a guest whose kernel has the bugs of FOLDER's tables planted: has the hunt draw that
# many episodes with each bug of "transitions" and "history" switched on (each EVERYth, or
# those numbered). Prints TAP, and how many were found; before, none must be.

folder=$1 seed=$2 episodes=$3 every=$4
shift 4

# draw NUMBER: whether anything is found with that bug
draw()
{
	! MUTANT=$1 /selftests/hunt --seed "$seed" --episodes "$episodes" --as-found >/tmp/out 2>&1
}

if draw 0; then
	sed 's/^/# /' /tmp/out
	echo "Bail out! something is found without a bug"
	exit 1
fi
nr=$(grep -cvE '^(#|$)' "$folder/table") tested=0 found=0
cat "$folder/transitions" "$folder/history" | grep -vE '^(#|$)' | cut -d '|' -f 1 >/tmp/names
while read -r name; do
	nr=$((nr + 1))
	if [ $# = 0 ]; then
		[ $((nr % every)) = 0 ] || continue
	else
		case " $* " in
		*" $nr "*) ;;
		*) continue ;;
		esac
	fi
	tested=$((tested + 1))
	if draw "$nr"; then
		found=$((found + 1))
		echo "ok $nr $name $(sed -n 's/^# after \([0-9]* episodes\).*/# after \1/p; s/^# found: \([^:]*\):.*/, \1/p' /tmp/out | tr -d '\n')"
	else
		echo "not ok $nr $name"
	fi
done </tmp/names
echo "# found $found of $tested in $episodes episodes each"
