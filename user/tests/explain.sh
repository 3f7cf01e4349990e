#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# explain.sh PTWALK USER: whether `ptwalk explain` knows what each finding is called that the
# sources in the folder USER give a name, beside those of rules and figures.
ptwalk=$1 user=$2 nr=0
for name in $(sed -n 's/.*kernel_found([a-z]*, "\([a-z-]*\)".*/\1/p
	s/^	{ "\([a-z-]*\)", \(true\|false\), [FK].*/\1/p' "$user"/kernel/*.c
	sed -n 's/.*\[LEAD_.*{ "\(iova-[a-z-]*\)".*/\1/p' "$user"/dma/lead.c
	sed -n 's/^#define \(PINNED_[A-Z]*\|SECOND_STAGE_STALE\)[ 	]*"\([a-z-]*\)".*/\2/p' \
		"$user"/*/*.h); do
	nr=$((nr + 1))
	"$ptwalk" explain "$name" | grep "^  found by " >/dev/null || {
		echo "ptwalk explain $name: it doesn't know that finding" >&2
		exit 1
	}
done
# As many as there are by hand: a finding of another form than these would be missed.
[ "$nr" -ge 25 ] || {
	echo "explain.sh: only $nr findings are named in the sources" >&2
	exit 1
}
