#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# partial.sh LARGE: whether commands that Ctrl-C ends, on a process of which a made-up module
# tells (tests/large.c), say so at the end of what they have found by then, in text and in
# JSON, and end by the signal; and what watch says that an error ends. Prints what is wrong.
large=$1
status=0

wrong()
{
	printf '%s\n' "$*" >&2
	status=1
}

# ends TEXT COMMAND [ARG...]: the same with and without --json, at message $at
ends()
{
	local text=$1 command=$2 out
	shift 2

	out=$(INTERRUPT=$at "$large" "$command" 20000 2 "$@" 2>/dev/null)
	[ $? = 130 ] || wrong "$command: not ended by the signal"
	[[ $out == *"partial: $text"* ]] || wrong "$command: not partial: ${out: -200}"
	out=$(INTERRUPT=$at "$large" "$command" 20000 2 --json "$@" 2>/dev/null)
	[ $? = 130 ] || wrong "$command --json: not ended by the signal"
	[[ $out == *'"partial":"signal"'* ]] || wrong "$command --json: not partial: ${out: -200}"
	out=$("$large" "$command" 2000 1 --json "$@" 2>/dev/null)
	[[ $out != *'"partial"'* ]] || wrong "$command: partial without a signal"
}

sleep 600 &
other=$!
picture=$(mktemp --suffix=.svg)
trap 'rm -f "$picture"' EXIT
at=3
ends 'interrupted in VMA 0x' dump --summary self
ends 'interrupted in VMA 0x' dump self
ends 'interrupted in VMA 0x' dump -v self
ends 'interrupted after 0 of 2 processes' frame --pid $$,$other 1
ends 'interrupted at 0x' share $$ $other
ends 'interrupted at 0x' huge self
ends 'interrupted' map self
ends 'interrupted: ' map self -o "$picture"
INTERRUPT=$at "$large" map 20000 2 self -o "$picture" >/dev/null
grep -q 'partial: interrupted' "$picture" || wrong "map -o: the picture doesn't say that it is partial"
ends 'ended by the signal' check --source pagemap $$ $other
# Eleven are of a look at what can't be read safely, which is not ended.
at=14
ends 'interrupted after 0 of 2 processes' rss $$ $other
# Before the module is asked about the process.
at=1
ends 'interrupted' dump self
ends 'interrupted at 0x' huge self
ends 'interrupted' map self
kill $other

# fails STATUS TEXT [ARG...]: watch, which can't be asked at message $at
fails()
{
	local wanted=$1 text=$2 out found=0
	shift 2

	out=$(ERROR=$at "$large" watch 200 1 --interval 0 --looks 9 "$@" self 2>&1) || found=$?
	[[ $found = "$wanted" && $out == *$text* ]] || wrong "watch $*: status $found: ${out: -200}"
}

# The third message is the first look's, the sixth that of the second: what the first one
# found is more than that it ended early.
at=6
fails 3 'ptwalk: an error was asked for'
fails 1 '2 looks in *, until an error; pages changed: none; 200 pages against a law' --laws
fails 1 '"broken":200,"partial":"error"' --laws --json
at=3
fails 3 'ptwalk: an error was asked for' --laws
exit $status
