#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# diff.sh PTWALK RECORDINGS: whether ptwalk diff tells what differs between two small
# recordings, nothing of one and itself, and refuses what can't be compared. Prints what
# is wrong.
# shellcheck disable=SC2016
ptwalk=$1 recordings=$2
status=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# recording NAME RELEASE LINE...: a file of that name
recording()
{
	local file=$dir/$1 kernel=$2
	shift 2
	printf '%s\n' "kernel $kernel c 0 0 3f 34 2 1" \
		'levels 1f 1f c:200:8 15:200:8 1e:200:8 27:200:8 30:200:8' "$@" >"$file"
	printf 'end %x\n' "$(wc -l <"$file")" >>"$file"
}

# expect STATUS TEXT ARGUMENT...: what the command prints of them, and how it ends
expect()
{
	local wanted=$1 text=$2 printed found=0
	shift 2
	printed=$(cd "$dir" && "$ptwalk" diff "$@" 2>&1 <before) || found=$?
	[ "$found" != "$wanted" ] || [ "$printed" != "$text" ] || return 0
	printf '%s\n' "ptwalk diff $*: status $found, expected $wanted:" >&2
	diff <(echo "$text") <(echo "$printed") >&2
	status=1
}

# The entry allows writing, is accessed, of anonymous memory mapped once; and dirty.
clean=1c00b00000001 dirty=1c01b00000001
page="0 100000001 1 0"
recording before 6.12.3 'vma 400000 403fff 73 c' 'vma 500000 501fff 73 c' 'vma 700000 700fff 73 c' \
	"extent 400000 1000 4 $dirty" "extent 500000 2000 1 $clean" 'extent 501000 0 1 0' \
	'extent 700000 0 1 0' \
	"page 400000 4 $dirty $page" "page 500000 1 $clean $page" \
	'file smaps' '|00400000-00404000 rw-p 00000000 00:00 0 [heap]' '|Size: 16 kB' \
	'|00500000-00502000 rw-p 00000000 00:02 9 /gone' '|Size: 8 kB' \
	'|00700000-00701000 rw-p 00000000 00:00 0 ' '|Size: 4 kB'
# Cleaned, the same but not accessed, swapped out, moved.
recording after 6.12.3 'vma 400000 403fff 73 c' 'vma 600000 600fff 73 c' 'vma 700000 700fff 71 c' \
	"extent 400000 1000 1 $clean" 'extent 401000 1001 1 1c01300000001' \
	'extent 402000 7 1 2' "extent 403000 3000 1 $dirty" \
	"extent 600000 2000 1 $clean" 'extent 700000 0 1 0' \
	"page 400000 1 $clean $page" "page 401000 1 1c01300000001 $page" \
	"page 403000 1 $dirty $page" "page 600000 1 $clean $page" \
	'file maps' '|00400000-00404000 rw-p 00000000 00:00 0 [heap]' \
	'|00600000-00601000 rw-p 00000000 00:02 9 /new' \
	'|00700000-00701000 r--p 00000000 00:00 0 '
recording one 6.12.3 'vma 400000 403fff 73 c' 'vma 500000 501fff 73 c' 'extent 402000 7 1 2' \
	'file smaps' '|00400000-00404000 rw-p 00000000 00:00 0 ' '|Size: 16 kB' \
	'|00500000-00502000 rw-p 00000000 00:02 9 /gone' '|Size: 8 kB'
recording other_one 6.12.3 'vma 400000 403fff 73 c' 'vma 700000 700fff 73 c'

expect 0 'recorded on Linux 6.12.3: 0 VMAs new, 0 gone; pages changed: none' before before
expect 0 'recorded on Linux 6.12.3: 0 VMAs new, 0 gone; pages changed: none' - before
expect 0 '{"type":"summary","kernel":"6.12.3","vmas_new":0,"vmas_gone":0,"changes":{}}' \
	--json -a after after
for file in "$recordings"/rss-*; do
	release=$(sed -n 's/^kernel \([^ ]*\).*/\1/p' "$file")
	expect 0 "recorded on Linux $release: 0 VMAs new, 0 gone; pages changed: none" -a "$file" "$file"
	expect 0 "recorded on Linux $release: 0 VMAs new, 0 gone; pages changed: none; 0 pages against a law" \
		-l "$file" "$file"
done

expect 0 '  - 0x500000-0x502000 rw-p pgoff 0x0 flags - /gone
  + 0x600000-0x601000 rw-p pgoff 0x0 flags - /new
  ~ 0x700000-0x701000 r--p pgoff 0x0 flags -
    changed: was 0x700000-0x701000 rw-p pgoff 0x0 flags -
  0x400000-0x401000                            1 cleaned                  [heap]
  0x402000-0x403000                            1 swapped-out              [heap]
  0x403000-0x404000                            1 moved                    [heap]
  0x500000-0x501000                            1 unmapped                 /gone
  0x600000-0x601000                            1 mapped                   /new
recorded on Linux 6.12.3: 1 VMA new, 1 gone, 1 changed; pages changed: 1 mapped, 1 unmapped, 1 moved, 1 swapped-out, 1 cleaned' before after
expect 0 '  + 0x500000-0x502000 rw-p pgoff 0x0 flags - /gone
  - 0x600000-0x601000 rw-p pgoff 0x0 flags - /new
  ~ 0x700000-0x701000 rw-p pgoff 0x0 flags -
    changed: was 0x700000-0x701000 r--p pgoff 0x0 flags -
  0x400000-0x401000                            1 written                  [heap]
    before 0x1000000 4K write,user,young,page,anon,exclusive
    after  0x1000000 4K write,user,young,dirty,page,anon,exclusive
  0x401000-0x402000                            1 young                    [heap]
    before 0x1001000 4K write,user,dirty,page,anon,exclusive
    after  0x1001000 4K write,user,young,dirty,page,anon,exclusive
  0x402000-0x403000                            1 swapped-in               [heap]
    before not present: swap type 0 offset 0x7 -
    after  0x1002000 4K write,user,young,dirty,page,anon,exclusive
  0x403000-0x404000                            1 moved                    [heap]
    before 0x3000000 4K write,user,young,dirty,page,anon,exclusive
    after  0x1003000 4K write,user,young,dirty,page,anon,exclusive
  0x500000-0x501000                            1 mapped                   /gone
    before not present: in no VMA -
    after  0x2000000 4K write,user,young,page,anon,exclusive
  0x600000-0x601000                            1 unmapped                 /new
    before 0x2000000 4K write,user,young,page,anon,exclusive
    after  not present: in no VMA -
recorded on Linux 6.12.3: 1 VMA new, 1 gone, 1 changed; pages changed: 1 mapped, 1 unmapped, 1 moved, 1 swapped-in, 1 written, 1 young' -av after before
expect 0 '{"type":"vma","change":"gone","start":"0x500000","last":"0x501fff","flags":["read","write","mayread","maywrite","mayexec"],"raw_flags":"0x0","pgoff":"0x0","pkey":0,"page_size":4096,"name":"/gone"}
{"type":"vma","change":"new","start":"0x700000","last":"0x700fff","flags":["read","write","mayread","maywrite","mayexec"],"raw_flags":"0x0","pgoff":"0x0","pkey":0,"page_size":4096}
{"type":"change","start":"0x402000","last":"0x402fff","pages":1,"name":"","changes":["unmapped"],"before":{"kind":"swap","level":"pte","page_size":4096,"swap_type":0,"swap_offset":"0x7","flags":[]},"after":{"kind":"no-vma"}}
{"type":"summary","kernel":"6.12.3","vmas_new":1,"vmas_gone":1,"changes":{"unmapped":1}}' --json one other_one

# With the numbers of pages in their mappings: onto memory that was mapped, and cleaned.
recording here 6.12.3 'vma 400000 400fff 73 c 0 73 400 0 0 0' 'vma 500000 500fff 73 c 0 73 500 0 0 0' \
	"extent 400000 1000 1 $dirty" "extent 500000 2000 1 $dirty" \
	"page 400000 1 $dirty $page" "page 500000 1 $dirty $page" \
	'file smaps' '|00400000-00401000 rw-p 00000000 00:00 0 ' '|Size: 4 kB' \
	'|00500000-00501000 rw-p 00000000 00:00 0 ' '|Size: 4 kB'
recording there 6.12.3 'vma 400000 400fff 73 c 0 73 500 0 0 0' \
	"extent 400000 2000 1 $clean" "page 400000 1 $clean $page" \
	'file smaps' '|00400000-00401000 rw-p 00000000 00:00 0 ' '|Size: 4 kB'
expect 0 '  - 0x400000-0x401000 rw-p pgoff 0x400 flags -
  + 0x400000-0x401000 rw-p pgoff 0x500 flags -
  - 0x500000-0x501000 rw-p pgoff 0x500 flags -
  0x400000-0x401000                            1 remapped,replaced,cleaned from 0x500000
  0x500000-0x501000                            1 remapped                 to 0x400000
recorded on Linux 6.12.3: 1 VMA new, 2 gone; pages changed: 1 remapped, 1 replaced, 1 cleaned' here there

# The heap grows, and is two mappings then; another one moves.
recording grown 6.12.3 'vma 400000 401fff 14000000073 c 0 73 400 0 0 0' 'vma 402000 403fff 14000000073 c 0 75 402 0 0 0' \
	'vma 900000 900fff 4000000073 c 0 73 500 0 0 0'
recording heap 6.12.3 'vma 400000 401fff 14000000073 c 0 73 400 0 0 0'
recording growing 6.12.3 'vma 400000 401fff 14000000073 c 0 73 400 0 0 0' 'vma 500000 500fff 4000000073 c 0 73 500 0 0 0'
expect 0 '  ~ 0x400000-0x402000 rw-p pgoff 0x400 flags anonymous,heap
  ~ 0x402000-0x404000 rw-p pgoff 0x402 flags anonymous,heap
    grew,split: was 0x400000-0x402000 rw-p pgoff 0x400 flags anonymous,heap
  ~ 0x900000-0x901000 rw-p pgoff 0x500 flags anonymous
    moved: was 0x500000-0x501000 rw-p pgoff 0x500 flags anonymous
recorded on Linux 6.12.3: 0 VMAs new, 0 gone, 1 grew, 1 split, 1 moved; pages changed: none' growing grown
expect 0 '{"type":"vma","change":"changed","changes":["shrank","merged"],"before":[{"start":"0x400000","last":"0x401fff","flags":["read","write","mayread","maywrite","mayexec","anonymous","heap"],"raw_flags":"0x73","pgoff":"0x400","pkey":0,"page_size":4096},{"start":"0x402000","last":"0x403fff","flags":["read","write","mayread","maywrite","mayexec","anonymous","heap"],"raw_flags":"0x75","pgoff":"0x402","pkey":0,"page_size":4096}],"after":[{"start":"0x400000","last":"0x401fff","flags":["read","write","mayread","maywrite","mayexec","anonymous","heap"],"raw_flags":"0x73","pgoff":"0x400","pkey":0,"page_size":4096}]}
{"type":"vma","change":"gone","start":"0x900000","last":"0x900fff","flags":["read","write","mayread","maywrite","mayexec","anonymous"],"raw_flags":"0x73","pgoff":"0x500","pkey":0,"page_size":4096}
{"type":"summary","kernel":"6.12.3","vmas_new":0,"vmas_gone":1,"vmas_shrank":1,"vmas_merged":1,"changes":{}}' --json grown heap
# The first page allows writing, and its mapping doesn't; later, so does the third.
recording wrong 6.12.3 'vma 400000 403fff 4071 c' "extent 400000 1000 1 $clean" "page 400000 1 $clean $page" \
	'file maps' '|00400000-00404000 r--p 00000000 00:00 0 [heap]'
recording worse 6.12.3 'vma 400000 403fff 4071 c' "extent 400000 1000 1 $clean" "extent 402000 2000 1 $clean" \
	"page 400000 1 $clean $page" "page 402000 1 $clean $page" \
	'file maps' '|00400000-00404000 r--p 00000000 00:00 0 [heap]'
expect 1 'wrong
  ! 0x400000-0x401000                          1 more-than-vma            [heap]
    entry  physical 0x1000000, memory type index 0, writable
    law    the VMA allows r--p and no more
worse
  ! 0x402000-0x403000                          1 more-than-vma            [heap]
    entry  physical 0x2000000, memory type index 0, writable
    law    the VMA allows r--p and no more
  0x402000-0x403000                            1 mapped                   [heap]
recorded on Linux 6.12.3: 0 VMAs new, 0 gone; pages changed: 1 mapped; 2 pages against a law' -l wrong worse
expect 1 '{"type":"broken","recording":"worse","start":"0x400000","last":"0x400fff","pages":1,"name":"[heap]","rule":"more-than-vma","entry":"physical 0x1000000, memory type index 0, writable","law":"the VMA allows r--p and no more"}
{"type":"broken","recording":"worse","start":"0x402000","last":"0x402fff","pages":1,"name":"[heap]","rule":"more-than-vma","entry":"physical 0x2000000, memory type index 0, writable","law":"the VMA allows r--p and no more"}
{"type":"summary","kernel":"6.12.3","vmas_new":0,"vmas_gone":0,"changes":{},"broken":2}' --json --laws worse worse

# What can't be compared.
recording other 6.12.4 'vma 400000 403fff 73 c' 'extent 400000 0 4 0'
recording large 6.12.3 'vma 400000 403fff 73 e' 'extent 400000 0 1 0'
sed -i '/^kernel/s/ c / e /; /^levels/s/c:200/e:800/' "$dir/large"
recording levels 6.12.3 'vma 400000 403fff 73 c' 'extent 400000 0 4 0'
sed -i '/^levels/s/15:200/16:400/' "$dir/levels"
head -n 7 "$dir/before" >"$dir/cut"
echo 'hello' >"$dir/text"
echo 'check 5 0 ff 1 x86_64' >"$dir/check"
one='give two recordings of one kernel'
expect 2 "ptwalk: before is of Linux 6.12.3, other of 6.12.4: $one" before other
expect 2 "ptwalk: standard input is of Linux 6.12.3, other of 6.12.4: $one" - other
expect 2 "ptwalk: before has pages of 4K, large of 16K: $one" before large
expect 2 "ptwalk: levels and before have page tables of different levels: $one" levels before
expect 2 'ptwalk: text:1: no line of a recording: `ptwalk rss --record FILE PID` makes one' before text
expect 2 'ptwalk: check:1: of `ptwalk check`: only `ptwalk check --replay` takes it' check before
expect 3 'ptwalk: cut:7: no end mark; is the file cut off?' before cut
expect 3 'ptwalk: none: No such file or directory' none before
expect 2 'ptwalk: diff: give two recordings: `ptwalk rss --record FILE PID` makes one'
expect 2 'ptwalk: diff: give two recordings: `ptwalk rss --record FILE PID` makes one' before
expect 2 "ptwalk: diff: 'after' is too much: give two recordings" before before after
expect 2 'ptwalk: only one of the recordings can be standard input' - -
exit $status
