#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# man in the guest: the pages that scripts/vm --shell has put there as text.

[ $# -gt 0 ] || {
	echo "man: give the name of a page, such as ptwalk" >&2
	exit 1
}
for name; do :; done
page=/usr/share/man/$name
if [ -e "$page" ] && [ -t 1 ]; then
	exec less "$page"
elif [ -e "$page" ]; then
	exec cat "$page"
fi
echo "man: no page $name here: those of ptwalk are, in a shell (scripts/vm --shell), if this
machine's groff can write them; they are in user/man, and \`ptwalk help COMMAND\` has the options" >&2
exit 16
