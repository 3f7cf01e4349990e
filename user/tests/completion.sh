#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# completion.sh PTWALK: whether bash, and zsh and fish if they are installed, complete
# commands, each option and the names of interfaces, all of which they have from the help of
# the command; and bash the names of mappings, which it must not run. Prints what is wrong.
shopt -s extglob
completion=$(realpath "${0%/*}/../completion")
. "$completion/ptwalk"
status=0

# replies WORD...: what the last word can become, in COMPREPLY
replies()
{
	COMP_WORDS=("$ptwalk" "$@")
	COMP_CWORD=$#
	COMP_LINE=$*
	COMP_POINT=${#COMP_LINE}
	_ptwalk
}

# completes WANTED WORD...: whether the last word can become WANTED
completes()
{
	local wanted=$1
	shift
	replies "$@"
	[[ " ${COMPREPLY[*]} " != *" $wanted "* ]] || return 0
	echo "ptwalk $*: not completed to $wanted, but: ${COMPREPLY[*]}" >&2
	status=1
}

# refuses UNWANTED WORD...: whether the last word can't become UNWANTED
refuses()
{
	local unwanted=$1
	shift
	replies "$@"
	[[ " ${COMPREPLY[*]} " == *" $unwanted "* ]] || return 0
	echo "ptwalk $*: completed to $unwanted" >&2
	status=1
}

ptwalk=$1
for command in translate dump check pagemap decode frame share rss watch diff huge map iova explain info; do
	completes "$command" "${command:0:2}"
	completes "$command" help "${command:0:2}"
	completes --json "$command" --j
done
completes --verbose dump --
completes --pid iova -
completes all check --source ''
completes pagemap-scan check --source pagemap-s
completes procmap-query check --source p
completes pagemap,kpageflags check --without pagemap,kpagef
refuses all check --without ''
completes old decode --format o
completes junit check --format j
completes svg map --format s
completes pfnmap-hidden explain pfn
completes pagemap,kpagecount check --source pagemap,kpagec
completes pagemap check --source = pagem
completes pagemap check --source =
completes $$ frame --pid $$
completes 1,$$ frame --pid 1,$$
completes $$ rss $$
completes $$ map $$
completes "$0" map -o "${0%.sh}"
completes "$0" map --before "${0%.sh}"
completes sleep check --during -- slee
completes --during check --dur
completes "$0" diff --all x "${0%.sh}"
completes '\[heap\]' dump $$ '['
completes '\[heap\]' dump $$ '\[h'

# taken SHELL WORD LIST: whether a shell's list of completions has the word
taken()
{
	grep -qxF -e "$2" <<<"$3" && return
	echo "$1: no $2" >&2
	status=1
}

# in_fish WORD...: what the last word can become
in_fish()
{
	fish --no-config -c "source '$completion/ptwalk.fish'; complete -C '$*'" | sed 's/\t.*//'
}

# in_zsh WORD...: the same, as far as it is given to the functions of zsh that complete
in_zsh()
{
	zsh -f -c 'words=("$@") CURRENT=$# PREFIX=$@[-1]
		_arguments() {
			[[ $words[-2] != --source ]] || _ptwalk_sources
			print -l -- $@ | sed -E "s/^\\([^)]*\\)//; s/[[+=].*//"
		}
		_describe() { print -l -- ${(P)2%%:*}; }
		_values() { print -l -- $@; }
		compadd() { print -l -- $@; }
		. "$0"' "$completion/_ptwalk" "$@"
}

# becomes WANTED LINE: whether that is what Tab makes of the line, with the functions of
# zsh itself, at a terminal
becomes()
{
	local got
	got=$(TERM=xterm zsh -f -c 'zmodload zsh/zpty
		zpty terminal zsh -f -i
		zpty -w terminal "fpath=(${(q)0} \$fpath); autoload -Uz compinit; compinit -u -D
			show() { print -r -- \$BUFFER >${(q)1}; exit; }; zle -N show; bindkey ^X show"
		zpty -w -n terminal "$2"$'"'\t\x18'"'
		while zpty -r terminal; do :; done >/dev/null
		cat $1' "$completion" "$dir/line" "$2")
	[ "${got% }" != "$1" ] || return 0
	echo "zsh: '$2' becomes '$got', not '$1'" >&2
	status=1
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PATH=$(dirname "$(realpath "$ptwalk")"):$PATH
shells=()
for shell in zsh fish; do
	if command -v "$shell" >/dev/null; then
		shells+=("$shell")
	else
		echo "# no $shell: its completion is not checked"
	fi
done
commands=$(ptwalk help | sed -nE 's/^  ([a-z]+)  .*/\1/p')
[ -n "$commands" ] || { echo "ptwalk help names no commands" >&2; status=1; }
for shell in "${shells[@]}"; do
	list=$("in_$shell" ptwalk '')
	for command in $commands; do
		taken "$shell" "$command" "$list"
	done
	taken "$shell" pagemap-scan "$("in_$shell" ptwalk check --source pagemap-s)"
done
for command in $commands; do
	help=$(ptwalk help "$command")
	options=$(sed -nE 's/^  (-.)?(, )?(--[a-z-]+).*/\1 \3/p' <<<"$help")
	for shell in "${shells[@]}"; do
		list=$("in_$shell" ptwalk "$command" -)
		for option in $options; do
			taken "$shell" "$option" "$list"
		done
	done
	for option in $options; do
		[[ $option != --* ]] || completes "$option" "$command" "$option"
	done
	# What follows an option that has a value is no PID, unless it is that of --pid.
	for option in $(sed -nE 's/^  (-.)?(, )?(--[a-z-]+) [A-OQ-Z].*/\1 \3/p' <<<"$help"); do
		refuses self "$command" "$option" ''
	done
done

# Strangers' files: their names are to be quoted, not to be run.
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
: >recording
[[ " ${shells[*]} " != *' fish '* ]] || {
	taken fish recording "$(in_fish ptwalk diff rec)"
	taken fish all "$(in_fish ptwalk check --source al)"
	taken fish kpageflags "$(in_fish ptwalk check --without kpagef)"
	! in_fish ptwalk check --without al | grep -qx all || {
		echo "ptwalk check --without al: completed to all by fish" >&2
		status=1
	}
}
[[ " ${shells[*]} " != *' zsh '* ]] || {
	becomes "ptwalk check" "ptwalk chec"
	becomes "ptwalk check --verbose" "ptwalk check --verb"
	becomes "ptwalk check --source pagemap,move_pages," "ptwalk check --source pagemap,mov"
	becomes "ptwalk check --source all," "ptwalk check --source al"
	becomes "ptwalk check --without move_pages," "ptwalk check --without mov"
	becomes "ptwalk check --without al" "ptwalk check --without al"
	becomes "ptwalk explain pfnmap-hidden" "ptwalk explain pfnmap-h"
	becomes "ptwalk diff recording" "ptwalk diff rec"
	becomes "ptwalk rss self" "ptwalk rss sel"
}
[ ! -e run ] || { echo "the name of a file was run" >&2; status=1; }
exit $status
