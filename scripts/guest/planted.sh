#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# planted.sh LAST
#
# In a guest whose kernel may have bugs planted in pagemap: runs the selftest of the
# series' first patch without any, which must find nothing and skip nothing, or with
# each up to the number LAST, which it must find.

mkswap /dev/ram0 >/dev/null && swapon /dev/ram0
for pool in /sys/kernel/mm/hugepages/*/nr_hugepages; do
	echo 4 >"$pool"
done
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
if [ "$1" = 0 ]; then
	/ptwalk_test >/tmp/out 2>&1
	status=$?
	cat /tmp/out
	[ "$status" = 0 ] && ! grep SKIP /tmp/out
	exit
fi
failed=0 nr=0
while [ "$nr" -lt "$1" ]; do
	nr=$((nr + 1))
	echo "$nr" >/sys/module/kernel/parameters/mutant
	/ptwalk_test >/tmp/out 2>&1
	status=$?
	echo "bug $nr: $(grep -m 1 'pagemap has' /tmp/out)"
	if [ "$status" != 1 ] || ! grep -q 'pagemap has' /tmp/out; then
		cat /tmp/out
		failed=1
	fi
done
exit "$failed"
