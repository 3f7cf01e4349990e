#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# completion.sh PTWALK: whether bash completes commands, options and the names of
# interfaces, all of which it has from the help of the command. Prints what is wrong.
shopt -s extglob
. "${0%/*}/../completion/ptwalk"
status=0

# completes WANTED WORD...: whether the last word can become WANTED
completes()
{
	local wanted=$1
	shift
	COMP_WORDS=("$ptwalk" "$@")
	COMP_CWORD=$#
	_ptwalk
	[[ " ${COMPREPLY[*]} " != *" $wanted "* ]] || return 0
	echo "ptwalk $*: not completed to $wanted, but: ${COMPREPLY[*]}" >&2
	status=1
}

ptwalk=$1
for command in translate dump check pagemap decode frame share rss iova explain info; do
	completes "$command" "${command:0:2}"
	completes "$command" help "${command:0:2}"
	completes --json "$command" --j
done
completes --verbose dump --
completes --pid iova -
completes all check --source ''
completes pagemap-scan check --source pagemap-s
completes procmap-query check --source p
completes old decode --format o
completes pfnmap-hidden explain pfn
exit $status
