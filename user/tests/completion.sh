#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# completion.sh PTWALK: whether bash completes commands, options and the names of
# interfaces, all of which it has from the help of the command, and the names of mappings,
# which it must not run. Prints what is wrong.
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
	COMP_LINE=$*
	COMP_POINT=${#COMP_LINE}
	_ptwalk
	[[ " ${COMPREPLY[*]} " != *" $wanted "* ]] || return 0
	echo "ptwalk $*: not completed to $wanted, but: ${COMPREPLY[*]}" >&2
	status=1
}

ptwalk=$1
for command in translate dump check pagemap decode frame share rss watch diff iova explain info; do
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
completes pagemap,kpagecount check --source pagemap,kpagec
completes pagemap check --source = pagem
completes pagemap check --source =
completes $$ frame --pid $$
completes 1,$$ frame --pid 1,$$
completes $$ rss $$
completes "$0" diff --all x "${0%.sh}"
completes '\[heap\]' dump $$ '['
completes '\[heap\]' dump $$ '\[h'

# Strangers' files: their names are to be quoted, not to be run.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit
# shellcheck disable=SC2016
for name in 'a$(:>run)' 'a b'; do
	cp "$(command -v sleep)" "$name"
	"./$name" 600 &
	pid=$!
	until grep -qF "$name" "/proc/$pid/maps" || ! kill -0 $pid; do :; done
	completes "$(printf %q "$dir/$name")" dump $pid "$dir/a"
	kill $pid
done
[ ! -e run ] || { echo "the name of a file was run" >&2; status=1; }
exit $status
