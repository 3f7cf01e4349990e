#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# partial.sh LARGE: whether commands that a signal ends, on a process of which a made-up module
# tells (tests/large.c), say so at the end of what they have found by then, in text and in
# JSON, and end by the signal; and what watch says that an error ends. Prints what is wrong.
large=$1
status=0

wrong()
{
	printf '%s\n' "$*" >&2
	status=1
}

# Whoever runs the tests may ignore a signal (nohup), which a program inherits.
ended()
{
	INTERRUPT=$at SIGNAL=$signal env --default-signal=HUP,INT,TERM "$large" "$@" 2>/dev/null
}

# ends_by SIGNAL TEXT COMMAND [ARG...]: the same with and without --json, at message $at
ends_by()
{
	local signal=$1 text=$2 command=$3 out
	shift 3

	out=$(ended "$command" 20000 2 "$@")
	[ $? = $((128 + signal)) ] || wrong "$command: not ended by signal $signal"
	[[ $out == *"partial: $text"* ]] || wrong "$command: not partial: ${out: -200}"
	out=$(ended "$command" 20000 2 --json "$@")
	[ $? = $((128 + signal)) ] || wrong "$command --json: not ended by signal $signal"
	[[ $out == *'"partial":"signal"'* ]] || wrong "$command --json: not partial: ${out: -200}"
}

# ends TEXT COMMAND [ARG...]: that by SIGINT, SIGTERM and SIGHUP
ends()
{
	local command=$2 signal out

	for signal in 2 15 1; do
		ends_by $signal "$@"
	done
	shift 2
	out=$("$large" "$command" 2000 1 --json "$@" 2>/dev/null)
	[[ $out != *'"partial"'* ]] || wrong "$command: partial without a signal"
}

sleep 600 &
other=$!
picture=$(mktemp --suffix=.svg)
trap 'rm -f "$picture"; kill $other' EXIT
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

# Whoever doesn't want to hear of a hang-up doesn't; one that is told twice of it, and
# more often, hears of one.
out=$(trap '' HUP; INTERRUPT=3 SIGNAL=1 "$large" dump 20000 2 --summary self 2>/dev/null)
[ $? = 0 ] || wrong "dump: ended by a signal that is ignored"
[[ $out != *partial* ]] || wrong "dump: partial, by a signal that is ignored"

# full COMMAND [ARG...]: where there is no room it says so, and fails
full()
{
	local out status command=$1
	shift

	out=$("$large" "$command" 20000 2 "$@" 2>&1 >/dev/full)
	status=$?
	[[ $status = 3 && $out == *'cannot write to stdout'* ]] ||
		wrong "$command into a full disk: status $status: $out"
}

for command in dump 'dump --json' 'huge' 'huge --json' 'map' 'map --json' \
	'map --format svg' 'map --format html' 'watch --looks 2 --interval 0' \
	'watch --json --looks 2 --interval 0'; do
	# shellcheck disable=SC2086
	full $command self
done
for command in 'frame --pid $$ 1' 'share $$ $other' 'share --json $$ $other' 'rss $other' \
	'rss --json $other' 'check --source pagemap $other' 'check --json --source pagemap $other'; do
	eval "full $command"
done
for options in 'rss --record' 'check --source pagemap --record' 'map --format svg -o'; do
	for file in /dev/full /nowhere/x.svg; do
		# shellcheck disable=SC2086
		set -- $options
		out=$("$large" "$1" 200 1 "${@:2}" $file $other 2>&1 >/dev/null)
		wanted=$?
		# A mismatch, of what a made-up module tells, is more than that.
		[[ $wanted = [13] && $out == *"$file: No "* ]] ||
			wrong "$options $file: status $wanted: $out"
	done
done

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
