#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# decode.sh PTWALK: what ptwalk decode says of values that may be something else than
# they are said to be. Prints what is wrong.
# shellcheck disable=SC2016
ptwalk=$1
status=0

# expect STATUS TEXT ARGUMENT...: what the command prints of them, and how it ends
expect()
{
	local wanted=$1 text=$2 printed found=0
	shift 2
	printed=$("$ptwalk" decode "$@" 2>&1) || found=$?
	[ "$found" != "$wanted" ] || [ "$printed" != "$text" ] || return 0
	printf '%s\n' "ptwalk decode $*: status $found, expected $wanted:" >&2
	diff <(echo "$text") <(echo "$printed") >&2
	status=1
}

new='new format (since Linux 4.2)' hardly='hardly an entry of pagemap'
low='neither present nor swapped, yet bits 0 to 54 are set'

# Values of today that no reading but one makes sense of.
expect 0 "0x81800000000fd6d6 present pfn 0xfd6d6 soft-dirty exclusive, paddr 0xfd6d6000; $new" \
	--page-size 4K 81800000000fd6d6
expect 0 "0x4000000000000203 swapped type 3 offset 0x10; $new" 4000000000000203
expect 0 "0x0480000000000000 absent soft-dirty guard; $new" 0480000000000000

# Entries of page tables, of a lower and an upper level, and turned round.
expect 0 "0x00e8000041c7df43 absent with 0x68000041c7df43 in bits 0 to 54 soft-dirty; $new; $hardly: $low; looks like a page-table entry: try \`ptwalk decode --pte --arch arm64\`" \
	00e8000041c7df43
expect 0 "0x00e0000040200f41 absent with 0x60000040200f41 in bits 0 to 54 soft-dirty; $new; $hardly: $low; looks like a page-table entry: try \`ptwalk decode --pte --arch arm64 --level pmd\`" \
	00e0000040200f41
expect 0 '0x00e8000040200f41 arm64 pmd: present pfn 0x40200, paddr 0x40200000, 2M, write,user,young,dirty,kernel-no-exec,shareable, memory normal (0)' \
	--pte --arch arm64 --level pmd 00e8000040200f41
expect 0 "0x6758530600000080 swapped type 0 offset 0x2c29830000004 file, 16K page; old format (before Linux 4.2): bits 57 and 58 exclude each other in today's format; $hardly: no swap area has so many pages; it makes sense byte-swapped, as a page-table entry: try \`ptwalk decode --pte --arch x86_64 0x8000000006535867\`" \
	6758530600000080
expect 0 '0x6758530600000080 x86_64 pte: swap type 12 offset 0x53d67cffffff; it makes sense byte-swapped: 0x8000000006535867' \
	--pte --arch x86_64 6758530600000080
expect 0 '0x8000000006535867 x86_64 pte: present pfn 0x6535, paddr 0x6535000, 4K, write,user,young,dirty,soft-dirty, memory wb (0)' \
	--pte --arch x86_64 8000000006535867
expect 0 '0x5f856745 arm pte: present pfn 0x5f856, paddr 0x5f856000, 4K, write,user,dirty,shareable, memory normal-nc (1)' \
	--pte --arch arm 5f856745
expect 0 '{"type":"pte","arch":"riscv64","level":"pte","entry":"0xd7d0c80400000000","kind":"swap","swap_type":0,"swap_offset":"0xd7d0c80400000","flags":[],"byte_swapped":true}' \
	--pte --arch riscv64 --json d7d0c80400000000
expect 0 '{"type":"entry","entry":"0xe0000040200f41","present":false,"swapped":false,"frame_bits":"0x60000040200f41","flags":["soft-dirty"],"format":"new","ambiguous":false,"unlikely":"neither present nor swapped, yet bits 0 to 54 are set","may_be_pte_of":"arm64","may_be_level":"pmd"}' --json e0000040200f41

# Pages of pagemap, today's and of before Linux 4.2, that were called entries of a page table.
expect 0 '0x81000000000fd6d6 x86_64 pte: swap type 16 offset 0x37ffffffff814, soft-dirty,uffd-wp; looks like an entry of pagemap: try `ptwalk decode 0x81000000000fd6d6`' \
	--pte --arch x86_64 81000000000fd6d6
expect 0 '{"type":"pte","arch":"x86_64","level":"pte","entry":"0x86000000000fd6d6","kind":"swap","swap_type":16,"swap_offset":"0xfffffffff814","flags":["soft-dirty","uffd-wp"],"may_be_pagemap":true}' \
	--pte --arch x86_64 --json 86000000000fd6d6
expect 0 '0x80000000000fd6d3 arm64 pte: present pfn 0xfd, paddr 0xfd000, 4K, user,exec,young,global,shareable,hw-read-only, memory device-ngnre (4); bit 63 is set, which nothing uses; looks like an entry of pagemap: try `ptwalk decode 0x80000000000fd6d3`' \
	--pte --arch arm64 80000000000fd6d3

# As the kernel's "Bad page map" has them.
expect 0 '0x8000000006535867 x86_64 pte: present pfn 0x6535, paddr 0x6535000, 4K, write,user,young,dirty,soft-dirty, memory wb (0)
0x0000000006535067 x86_64 pmd: table at 0x6535000, write,user,exec,young' \
	--pte --arch x86_64 pte:8000000006535867 pmd:06535067
expect 0 '0x8000000006535867 x86_64 pte: present pfn 0x6535, paddr 0x6535000, 4K, write,user,young,dirty,soft-dirty, memory wb (0)
0x0000000006535067 x86_64 pmd: table at 0x6535000, write,user,exec,young' \
	--arch x86_64 --kernel 6.12 - <<<'  pte:8000000006535867 pmd:06535067'
expect 0 '0x5f856745 arm pte: present pfn 0x5f856, paddr 0x5f856000, 4K, write,user,dirty,shareable, memory normal-nc (1)' \
	--arch arm pte:5f856745

# Lines of the kernel's log, in which "map" is no number, and "Bad" is one.
table='table at 0x6535000, write,user,exec,young'
pte='0x8000000006535867 x86_64 pte: present pfn 0x6535, paddr 0x6535000, 4K, write,user,young,dirty,soft-dirty, memory wb (0)'
expect 0 "$pte
0x0000000006535067 x86_64 pmd: $table" --arch x86_64 - \
	<<<'BUG: Bad page map in process x  pte:8000000006535867 pmd:06535067'
expect 0 "0x0000000006535067 x86_64 pgd: $table
0x0000000006535067 x86_64 p4d: $table
$pte" --arch x86_64 - <<<'PGD 6535067 P4D 6535067 PTE 8000000006535867'
expect 0 "0x0000000006535067 x86_64 pgd: $table
$pte" --arch x86_64 PGD 6535067 PTE 8000000006535867
expect 0 '0x0000000041fff003 arm64 pgd: table at 0x41fff000
0x00e8000041c7df43 arm64 pte: present pfn 0x41c7d, paddr 0x41c7d000, 4K, write,user,young,dirty,kernel-no-exec,shareable, memory normal (0)' \
	--arch arm64 - <<<'[ffff800008000000] *pgd=0000000041fff003, *pte=00e8000041c7df43'
# What the kernel has behind a value, and what may stand between it and its level.
pmd=pmd:00e8000040200f41
block='0x00e8000040200f41 arm64 pmd: present pfn 0x40200, paddr 0x40200000, 2M, write,user,young,dirty,kernel-no-exec,shareable, memory normal (0)'
for end in . ',' '(bad)' '(bad),' ').'; do
	expect 0 "$block" --arch arm64 - <<<"x $pmd$end"
	expect 0 "$block" --arch arm64 PMD "${pmd#*:}$end"
done
for end in x '(' '(bad)x' ',1'; do
	expect 2 "ptwalk: entry '$pmd$end': trailing garbage: give a value of a page table in hexadecimal" \
		--arch arm64 "$pmd$end"
done
# pmd_ERROR() of arm64, and of x86, which has the address of the entry, too; "bad" may be a number.
for line in 'mm/pgtable-generic.c:54: bad pmd 00e8000040200f41.' \
	'[   12.345678] mm/memory.c:231: bad pmd 000000004d2b9c01(00e8000040200f41)' \
	'x: bad pmd (____ptrval____)(00e8000040200f41).'; do
	expect 0 "$block" --arch arm64 - <<<"$line"
	expect 0 "$block" --arch arm64 "$line"
done
expect 0 "$block" --arch arm64 bad pmd 00e8000040200f41.
expect 0 '0x00000bad arm pte: present pfn 0x0, paddr 0x0, 4K, user,prot-none, memory unknown (11)' \
	--arch arm PTE bad
expect 2 "ptwalk: entry 'pmd': there is no value behind it" bad pmd
expect 2 "ptwalk: entry 'pmd': there is no value behind it" 'x: bad pmd'
# Quoted lines; what is blank is no entry.
expect 0 "$block
$block" --arch arm64 "x: bad pmd 00e8000040200f41.
x: bad pmd 00e8000040200f41.
"
expect 2 "ptwalk: entry ' ': not a hexadecimal number: give a value of pagemap in hexadecimal" ' '
# An argument of several entries.
expect 0 "$pte
0x0000000006535067 x86_64 pmd: $table" --arch x86_64 \
	'BUG: Bad page map in process x  pte:8000000006535867 pmd:06535067'
i386='table at 0x3fff000, write,user,exec,young'
expect 0 "0x03fff067 i386 pmd: $i386
0x00000000 i386 pte: empty" --arch i386 - <<<'*pde = 3fff067 *pte = 00000000'
expect 0 "0x0000000003fff067 i386-pae pgd: $i386
0x0000000000000000 i386-pae pmd: empty" --arch i386-pae - \
	<<<'*pdpt = 3fff067 *pde = 00000000'
expect 2 "ptwalk: entry '=': not a hexadecimal number: give a value of pagemap in hexadecimal" =
# Where a table is is no entry of it, as dump_mm() has it.
expect 2 "ptwalk: entry 'pgd': not a hexadecimal number: give a value of pagemap in hexadecimal" \
	pgd ffff888103e4a000
expect 0 "0x0000000006535067 x86_64 pmd: $table" --arch x86_64 - \
	<<<'pgd ffff888103e4a000 mm_users 2 pmd:06535067'
# A value is read to its end.
zeros=$(printf %077d 0)
expect 0 "0x4000000000000203 swapped type 3 offset 0x10; $new" "${zeros}4000000000000203"
expect 0 "0x0000000006535067 x86_64 pmd: $table" --arch x86_64 "pmd:${zeros}6535067"
# A level without a value before one that has its own, and before other entries.
none="ptwalk: entry 'pte': there is no value behind it"
expect 2 "$none
0x0000000006535067 x86_64 pmd: $table" --arch x86_64 PTE PMD:06535067
expect 2 "ptwalk: standard input, line 1: ${none#ptwalk: }
0x0000000006535067 x86_64 pmd: $table" --arch x86_64 - <<<'PTE PMD 6535067'
expect 2 "$none" --arch x86_64 PTE - <<<6535067
expect 2 "ptwalk: entry 'pte': there is no value behind it" --arch x86_64 PTE
expect 2 "ptwalk: standard input, line 1: entry 'pmd': there is no value behind it" \
	--arch x86_64 - <<<'and a PMD'
expect 2 "ptwalk: standard input, line 1: entry 'map': not a hexadecimal number: give a value of pagemap in hexadecimal" - <<<'map'
expect 2 "ptwalk: entry '1': --arch goes with --pte, or a level before the value" \
	--arch x86_64 1
expect 2 "ptwalk: entry '1': --kernel goes with --pte, or a level before the value" \
	--kernel 6.12 1
expect 2 "ptwalk: entry 'pte:1': --format is of pagemap" --format old pte:1
expect 2 "ptwalk: --format is of pagemap, and excludes --pte" --format old --pte 1
expect 2 "ptwalk: --level goes with --pte only" --level pmd pmd:1
expect 2 "0x4000000000000203 swapped type 3 offset 0x10; $new
ptwalk: standard input, line 1: entry 'x': not a hexadecimal number: give a value of pagemap in hexadecimal
0x0480000000000000 absent soft-dirty guard; $new" - <<<'4000000000000203 x  0480000000000000'
expect 2 "ptwalk: entry 'pud:1': i386 has no such level" --pte --arch i386 pud:1
expect 2 "ptwalk: entry 'pte:1': pages have 4K to 64K: see --page-size" --page-size 2M pte:1
expect 2 "ptwalk: entry 'pte:x': not a hexadecimal number: give a value of a page table in hexadecimal" pte:x
expect 2 "ptwalk: entry 'entry:1': trailing garbage: give a value of pagemap in hexadecimal" entry:1
# A pipe has lines as long as they come, or as long as it is told; JSON has them whole.
longest() { awk '{ if (length($0) > most) most = length($0) } END { print most }'; }
COLUMNS=60 expect 0 "0x86000000000fd6d6 present pfn 0xfd6d6, 4K page, paddr
    0xfd6d6000; old format (before Linux 4.2): bits 57 and
    58 exclude each other in today's format" --page-size 4K 86000000000fd6d6
for columns in '' 0 x 60; do
	found=$(COLUMNS=$columns "$ptwalk" decode 6758530600000080 | longest)
	json=$(COLUMNS=$columns "$ptwalk" decode --json 6758530600000080 | longest)
	case $columns:$(( found > 60 )):$(( json > 60 )) in
	60:0:1) ;;
	60:*|*:0:*|*:*:0)
		echo "COLUMNS=$columns: lines of $found columns, of JSON $json" >&2
		status=1
		;;
	esac
done
exit $status
