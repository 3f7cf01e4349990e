#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the demo's guest does.

title()
{
	printf '\n== %s\n\n' "$*"
}

# An interpreter with a script at work.
python3 -S -c '
import time
table = {n: str(n) * 8 for n in range(50000)}
while True:
    for n in range(0, 50000, 7):
        table[n] = str(n + 1) * 8
    time.sleep(0.2)
' &

# A database shell.
(
	echo 'create table page (pfn integer primary key, text text);'
	echo 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)'
	echo "insert into page select i, hex(randomblob(16)) from n;"
	while sleep 0.5; do
		echo "update page set text = hex(randomblob(16)) where pfn % 50 = abs(random()) % 50;"
	done
) | sqlite3 /tmp/demo.db &

# Processes that share what they inherited, and copy what they write.
perl -e '
$| = 1;
my @rows = map { "row $_ " x 20 } 1 .. 40000;
for my $child (1 .. 3) {
	next if fork;
	$rows[$_] = "child $child" for map { $_ * $child } 1 .. 2000;
	sleep 1 while 1;
}
sleep 1 while 1;
' &

bash -c 'words=(); for i in {1..30000}; do words+=("word$i"); done; while :; do read -t 1 <> <(:) || :; done' &

sleep 15

title "Every process of this kernel, its page tables against its pagemap"
ptwalk check --all
status=$?

title "A driver's buffer, mapped with remap_pfn_range(); where is it?"
echo "The driver says (region, offset, length, physical address, bus address):"
echo
sed -nE 's/^(coherent-remap( [^ ]+){4}).*/    \1/p' /dev/ptwalk_fixture
echo
echo "/proc/PID/pagemap says:"
echo
ptwalk pagemap --map /dev/ptwalk_fixture:0:0x10000 self /dev/ptwalk_fixture | sed 's/^/    /'
echo
echo "The page tables say:"
echo
ptwalk dump --map /dev/ptwalk_fixture:0:0x10000 self /dev/ptwalk_fixture | sed 's/^/    /'
echo
modprobe -q ptwalk_kernel
ptwalk translate -v --map /dev/ptwalk_fixture:0:0x10000 self /dev/ptwalk_fixture | sed 's/^/    /'
echo
echo "Is that a bug? 'ptwalk explain pfnmap-hidden':"
echo
ptwalk explain pfnmap-hidden | sed 's/^/    /'
exit "$status"
