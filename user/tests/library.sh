#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# library.sh NM LIBRARY HEADER MAP MANUAL RECORD: whether the shared library offers the
# functions of its headers, inline ones too, and those of its map, no more and no
# less, and has none that print or end the program; and whether the manual page has
# what the two headers define. Prints what is wrong.
set -eu
nm=$1 library=$2 header=$3 map=$4 manual=$5 record=$6
status=0

# same WHAT LIST: as what the library offers
same()
{
	[ "$2" = "$offered" ] && return
	echo "$library: offers other functions than $1 has:" >&2
	printf '%s\n' "$offered" "$2" | sort | uniq -u >&2
	status=1
}

offered=$("$nm" -D --defined-only "$library" | sed -n 's/.* T \(ptwalk_[a-z_]*\).*/\1/p' | sort)
# What is looked for below is looked for in these.
"$nm" -D --undefined-only "$library" | grep -q ' nl_' && [ -n "$offered" ] || {
	echo "$library: it has no functions, or calls none" >&2
	exit 1
}
same "$header" "$(sed -nE 's/^[a-z].*[ *](ptwalk_[a-z_]+)\(.*/\1/p' "$header" "$record" | sort)"
same "$map" "$(sed -nE 's/^\t(ptwalk_[a-z_]+);/\1/p' "$map" | sort)"

# But for what puts bits together, which the module does.
synopsis=$(sed -nE '1,/^\.Sh DESCRIPTION/s/^\.F[no] (ptwalk_[a-z_]+).*/\1/p' "$manual" | sort)
wanted=$(sed -nE 's/^#define (ptwalk_[a-z_]+)\(.*/\1/p' "$header" "$record")
wanted=$(printf '%s\n' "$wanted" "$offered" | grep -vx ptwalk_bits | sort -u)
if [ "$synopsis" != "$wanted" ]; then
	echo "$manual: has other functions than $header:" >&2
	printf '%s\n' "$synopsis" "$wanted" | sort | uniq -u >&2
	status=1
fi

if "$nm" -D --undefined-only "$library" |
	grep -E ' (_*(v?f?printf|f?put[cs]|putchar|perror|fwrite|syslog)(_chk)?|stdout|stderr|_?exit|_Exit|abort|errx?|warnx?|sigaction|signal)(@|$)' >&2; then
	echo "$library: a library doesn't print, end the program, or handle signals" >&2
	status=1
fi
exit $status
