#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# map.sh PTWALK PICTURES [write]: whether ptwalk map draws the pictures in the folder PICTURES
# of some recordings, byte for byte, with user/map/page.css and page.js whole where these are
# named; whether they are well-formed XML; and whether it refuses what cannot be drawn. Prints
# what is wrong. With write, it writes the pictures instead.
# shellcheck disable=SC2016
ptwalk=$1 pictures=$2 write=$3
here=$(cd "$(dirname "$0")" && pwd)
map=$here/../map
status=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# recording NAME LINE...: a file of that name
recording()
{
	local file=$dir/$1
	shift
	printf '%s\n' 'kernel 6.12.3 c 0 0 3f 34 2 1' \
		'levels 1f 1f c:200:8 15:200:8 1e:200:8 27:200:8 30:200:8' "$@" >"$file"
	printf 'end %x\n' "$(wc -l <"$file")" >>"$file"
}

wrong()
{
	printf '%s\n' "ptwalk map: $*" >&2
	status=1
}

command -v xmllint >/dev/null || echo "# no xmllint: whether the pictures are well-formed is not checked"

# well_formed FILE
well_formed()
{
	! command -v xmllint >/dev/null || xmllint --noout "$1"
}

# shortened PICTURE: it, with the names of the files page.css and page.js for their lines
shortened()
{
	local text file lines
	text=$(<"$1")
	for file in page.css page.js; do
		lines=$(<"$map/$file")
		text=${text/"$lines"/"$file"}
	done
	printf '%s\n' "$text"
}

# draws NAME ARGUMENT...: whether the picture of that name is drawn of these
draws()
{
	local name=$1
	shift
	if [[ $name == *.txt ]]; then
		(cd "$dir" && COLUMNS=100 "$ptwalk" map "$@" >"$name") || wrong "$name: status $?"
	else
		(cd "$dir" && "$ptwalk" map "$@" -o "$name") || wrong "$name: status $?"
		well_formed "$dir/$name" || wrong "$name isn't well-formed"
	fi
	if [ -n "$write" ]; then
		shortened "$dir/$name" >"$pictures/$name"
	else
		diff "$pictures/$name" <(shortened "$dir/$name") >&2 || wrong "$name is another picture"
	fi
}

# refuses STATUS TEXT ARGUMENT...
refuses()
{
	local wanted=$1 text=$2 printed found=0
	shift 2
	printed=$(cd "$dir" && "$ptwalk" map "$@" 2>&1) || found=$?
	[ "$found" != "$wanted" ] || [ "$printed" != "$text" ] || return 0
	wrong "$*: status $found, expected $wanted: $printed"
}

# Entries that are accessed and dirty, of anonymous memory, of a file, of the zero page and of
# a driver; and a huge one.
anon=1c01b00000001 file=400d00000001 zero=2000d00000001 special=4b00000001 huge=1c01b00000101
shared="0 200000002 2 0" once="0 100000001 1 0" of_huge="0 100000001 1 9"
files=('file maps' '|00400000-00408000 r-xp 00000000 00:02 7 /usr/bin/a "b" <c> & '$'\001\377\351'
	'|00600000-00e00000 rw-p 00000000 00:00 0 [heap]' '|7f0000000000-7f0000010000 rw-s 00000000 00:06 107 /dev/driver'
	'|7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0 [stack]')
vmas=('vma 400000 407fff 75 c' 'vma 600000 dfffff 4000000073 c' 'vma 7f0000000000 7f000000ffff 2fb c'
	'vma 7ffe00000000 7ffe00020fff 4000000173 c')
recording before "${vmas[@]}" 'vma 7fff00000000 7fff00001fff 4000000073 c' \
	"extent 400000 1000 4 $file" 'extent 404000 0 4 0' \
	"extent 600000 3000 2 $anon" 'extent 602000 0 1fe 0' "extent 800000 4000 200 $huge" \
	"extent 7f0000000000 fe000 10 $special" "extent 7ffe00000000 0 20 0" \
	"extent 7ffe00020000 3010 1 $anon" "extent 7fff00000000 3020 2 $anon" \
	"page 400000 4 $file $shared" "page 600000 2 $anon $once" "page 800000 200 $huge $of_huge" \
	"page 7ffe00020000 1 $anon $once" "page 7fff00000000 2 $anon $once" "${files[@]}"
recording after "${vmas[@]}" \
	"extent 400000 1000 8 $file" \
	"extent 600000 5000 2 $anon" "extent 602000 3002 1 $zero" 'extent 603000 0 1fd 0' \
	"extent 800000 4000 200 $huge" 'extent a00000 7 10 2' 'extent a10000 0 1f0 0' \
	"extent 7f0000000000 fe000 10 $special" "extent 7ffe00000000 0 20 0" \
	"extent 7ffe00020000 3010 1 $anon" \
	"page 400000 8 $file $shared" "page 600000 2 $anon $once" "page 800000 200 $huge $of_huge" \
	"page 7ffe00020000 1 $anon $once" "${files[@]}"
sed 's/^kernel 6.12.3/kernel 6.12.4/' "$dir/after" >"$dir/other"

for end in txt svg html; do
	draws small.$end --replay after
	draws changed.$end --replay after --before before
done
# smaps NUMBER FIELD=KB...: what smaps has of that mapping; all other fields are 0
smaps()
{
	local field value set line=${files[$1]}
	shift
	echo "$line"
	for field in Size KernelPageSize=4 MMUPageSize=4 Rss Pss Pss_Dirty Shared_Clean Shared_Dirty \
		Private_Clean Private_Dirty Referenced Anonymous KSM LazyFree AnonHugePages \
		ShmemPmdMapped FilePmdMapped Shared_Hugetlb Private_Hugetlb Swap SwapPss Locked; do
		value=${field#*=}
		for set; do
			[ "${set%=*}" != "$field" ] || value=${set#*=}
		done
		printf '|%s: %d kB\n' "${field%=*}" "$((value))"
	done
	echo '|THPeligible: 0'
}

# What smaps has is wrong in two places.
{
	sed '/^end/d' "$dir/after"
	echo 'file smaps'
	smaps 1 Size=32 Rss=32 Pss=16 Shared_Clean=32 Referenced=32
	smaps 2 Size=8192 Rss=2056 Pss=2056 Pss_Dirty=2056 Private_Dirty=2056 Referenced=2056 \
		Anonymous=2056 AnonHugePages=2048 Swap=8
	smaps 3 Size=64
	smaps 4 Size=132 Rss=99 Pss=4 Pss_Dirty=4 Private_Dirty=4 Referenced=98 Anonymous=4
} >"$dir/wrong"
printf 'end %x\n' "$(wc -l <"$dir/wrong")" >>"$dir/wrong"
for end in txt svg html; do
	draws wrong.$end --replay wrong
done
# A driver's memory that can't be read, and nothing of the rest.
recording unread 'vma 400000 40ffff 2fb c' 'extent 404000 0 4 8'
draws unread.txt --replay unread
draws unread.svg --replay unread
# same NAME ARGUMENT...: whether standard output gets the picture of that name, whole
same()
{
	local name=$1
	shift
	(cd "$dir" && "$ptwalk" map --replay after "$@" | cmp - "$name") >&2 || wrong "$*: not $name"
}
same small.html -o -
same small.svg -o - --format svg
same small.html --format html
(cd "$dir" && "$ptwalk" map --replay after -o picture.html --format svg && cmp picture.html small.svg) >&2 ||
	wrong "--format svg: not what the name says"
(cd "$dir" && "$ptwalk" map --replay after -o - >/dev/full 2>&1) && wrong "a full disk is not noticed"

# The one that the README shows.
pictures=$here/../../Documentation draws map.svg --replay "$here/recordings/rss-6.12"

refuses 2 'ptwalk: a PID is missing: give a number or `self`'
refuses 2 "ptwalk: '3' is too much: give one PID" 1 3
refuses 2 "ptwalk: -o 'x.png': give a file whose name ends with .html or .svg, or --format" -o x.png 1
refuses 2 "ptwalk: -o 'svg': give a file whose name ends with .html or .svg, or --format" -o svg 1
refuses 2 "ptwalk: --format 'png': give html or svg" --format png -o x.svg 1
refuses 2 "ptwalk: -o '-': standard output has the JSON: give a file" --json -o - 1
refuses 2 'ptwalk: --replay takes nothing but the recording' --replay after 1
refuses 2 'ptwalk: only one of the recordings can be standard input' --replay - --before -
refuses 2 'ptwalk: other is of Linux 6.12.4, after of 6.12.3: give two recordings of one kernel' \
	--replay after --before other
refuses 3 'ptwalk: none: No such file or directory' --replay none
refuses 3 'ptwalk: none: No such file or directory' --before none 1
refuses 3 'ptwalk: none/x.svg: No such file or directory' --replay after -o none/x.svg
exit $status
