#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# library.sh NM LIBRARY HEADER MAP MANUAL RECORD: whether the shared library offers the
# functions of its header, of its map and of its manual page, no more and no
# less, and has none that print or end the program; and whether the page has
# what the two headers define themselves. Prints what is wrong.
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
inline=$(sed -nE 's/^(static inline .*[ *]|#define )(ptwalk_[a-z_]+)\(.*/\2/p' "$header" "$record")
synopsis=$(sed -nE '1,/^\.Sh DESCRIPTION/s/^\.F[no] (ptwalk_[a-z_]+).*/\1/p' "$manual")
same "$header" "$(sed -nE 's/^[a-z].*[ *](ptwalk_[a-z_]+)\(.*/\1/p' "$header" | grep -vxF "$inline" | sort)"
same "$map" "$(sed -nE 's/^\t(ptwalk_[a-z_]+);/\1/p' "$map" | sort)"
same "$manual" "$(echo "$synopsis" | grep -vxF "$inline" | sort)"

# But for what puts bits together, which the module does.
missing=$(echo "$inline" | grep -vxF -e ptwalk_bits -e "$synopsis" || :)
if [ "$missing" ]; then
	printf '%s: not in it:\n%s\n' "$manual" "$missing" >&2
	status=1
fi

if "$nm" -D --undefined-only "$library" |
	grep -E ' (_*(v?f?printf|f?put[cs]|putchar|perror|fwrite|syslog)(_chk)?|stdout|stderr|_?exit|_Exit|abort|errx?|warnx?|sigaction|signal)(@|$)' >&2; then
	echo "$library: a library doesn't print, end the program, or handle signals" >&2
	status=1
fi
exit $status
