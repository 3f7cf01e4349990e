#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# man.sh PTWALK DIR: whether the manual pages in DIR name each command, option, interface,
# finding, reason and bug that the command's own help and `ptwalk explain` name, and no
# others; and whether each has an example, whose output is the command's where that is the
# same on every machine. Prints what is wrong.
ptwalk=$1 dir=$2
status=0

# same WHAT HAS WANTED: whether two lists of words have the same words
same()
{
	local what=$1 word
	[[ $3 == *[a-z]* ]] || {
		echo "$what: nothing to compare it with" >&2
		status=1
	}
	while read -r word; do
		echo "$what: $word" >&2
		status=1
	done < <(comm -3 --output-delimiter=$'\t' <(tr -s ' \t' '\n' <<<"$2" | sort -u | sed '/^$/d') \
		<(tr -s ' \t' '\n' <<<"$3" | sort -u | sed '/^$/d') |
		sed 's/^\t\(.*\)/\1 is missing/; t; s/$/ is of no table/')
}

# section PAGE FROM TO: the lines behind the one that begins with FROM, up to one with TO
section()
{
	awk -v from="$2" -v to="$3" 'index($0, from) == 1 { on = 1; next }
		index($0, to) == 1 { on = 0 }
		on' "$dir/$1"
}

# words MACRO...: what these macros mark, up to the next macro
words()
{
	sed -nE "s/ No .*//; s/^\\.$1 //p" | grep -oE '[a-z0-9_-]+'
}

# explained SOURCE [BUG]: the names that `ptwalk explain` has of an interface
explained()
{
	sed -nE "s/^\{\"type\":\"rule\",\"rule\":\"([^\"]*)\",\"source\":\"$1\"${2:+,\"bug\":$2}.*/\1/p" <<<"$explanations"
}

for page in "$dir"/*; do
	while read -r item; do
		echo "${page##*/}: '$item' stands there twice" >&2
		status=1
	done < <(grep '^\.It Fl' "$page" | sort | uniq -d)
done

explanations=$("$ptwalk" explain --json)
commands=$("$ptwalk" help | sed -nE 's/^  ([a-z]+)  .*/\1/p' | grep -vx help)

same ptwalk.1 "$(section ptwalk.1 '.Sh COMMANDS' '.El' | sed -nE 's/^\.It Xr ptwalk-([a-z]+) 1$/\1/p')" "$commands"
for command in $commands; do
	same "ptwalk-$command.1" \
		"$(grep -E '^\.(It|Op) Fl' "$dir/ptwalk-$command.1" | grep -oE 'Fl -[a-z-]+' | sed 's/Fl -/--/')" \
		"$("$ptwalk" help "$command" | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p')"
done

same 'ptwalk-check.1, --source' \
	"$(section ptwalk-check.1 '.It Fl -source' '.It Fl' | words 'It Cm')" \
	"$("$ptwalk" help check | sed -nE '/^The NAMEs/,/^$/s/^  ([^ ]+).*/\1/p')"
same 'ptwalk-check.1, --format' \
	"$(section ptwalk-check.1 '.It Fl -format' '.It Fl' | words 'It Cm')" \
	"$("$ptwalk" help check | sed -nE '/^The FORMATs/,/^$/s/^  ([^ ]+).*/\1/p')"
same 'ptwalk-check.1, --lint' \
	"$(section ptwalk-check.1 '.It Fl -lint' '.It Fl' | words 'It Li')" "$(explained lint)"
same 'ptwalk-check.1, --expect' \
	"$(section ptwalk-check.1 '.It Fl -expect' '.It Fl' | words Li | grep ^expect-)" "$(explained expect)"
# Of the memory types, the message has but some, and not uc-, another name of one.
same 'ptwalk-check.1, attributes' \
	"$(section ptwalk-check.1 '.It a memory type' '.El' |
		sed 's/ No (or Cm uc- Ns ), Cm/ ,/' | words '(It )?Cm')" \
	"$(sed -nE 's/^\{"type":"term","name":"([^"]*)","list":"Memory types".*/\1/p' <<<"$explanations" |
		grep -vx unknown)
	$("$ptwalk" check --expect any:4K,? self / 2>&1 | sed 's/.*such as//; s/ or / /' | tr -d ',;)')"
same 'ptwalk-check.1, --prove' \
	"$(section ptwalk-check.1 '.It Fl -prove' '.It Fl' | words 'Pq Li')" "$(explained prove)"
figures='figures of [^"]*'
same 'ptwalk-rss.1, VERDICTS' \
	"$(section ptwalk-rss.1 '.Sh VERDICTS' 'If two' | sed -nE '/^\.Bl .*-pmd-/,/^\.El/s/^\.It //p')" \
	"$(explained "$figures" false)"
same 'ptwalk-rss.1, --known-bugs' \
	"$(section ptwalk-rss.1 '.It Fl -known-bugs' '.It Fl' | words 'It Li')" "$(explained "$figures" true)"

same 'ptwalk-huge.1, reasons' \
	"$(section ptwalk-huge.1 'The reasons are' '.El' | words 'It Li')" "$(explained huge)"

# Names in other places, in which not all of them stand.
shopt -s nullglob
while read -r name; do
	"$ptwalk" explain "$name" >/dev/null 2>&1 || {
		echo "$name: cannot be explained" >&2
		status=1
	}
done < <(cat "$dir"/*.[0-9] "$dir"/../../README*.md "$dir"/../../Documentation/*.md |
	grep -oE '[a-z0-9]+(-[a-z0-9]+)*-bug\b|ptwalk (Cm )?explain (Li )?[a-z][a-z0-9-]*' |
	sed 's/.* //' | sort -u)

in_a_row() { tr -s ' \n' ' ' | sed 's, *$,,'; }

# examples PAGE: the examples in it that run anywhere, and their output as it stands there
examples()
{
	awk '/^([#$] |\.Ed)/ { on = /^\$ ptwalk (decode|explain|rss --replay) / }
		on' "$1"
}
ptwalk() { "$ptwalk" "$@"; }
recording=${BASH_SOURCE[0]%/*}/recordings/rss-6.12

for page in "$dir"/*.[0-9]; do
	name=${page##*/}
	grep -qx '\.Sh EXAMPLES' "$page" || {
		echo "$name: no examples" >&2
		status=1
	}
	run=$(examples "$page" | sed -n 's/^\$ //p' | while read -r command; do
		echo "$ $command"
		eval "${command/ recording / \"$recording\" }" 2>&1
	done)
	# Lines there are folded, as on a terminal.
	[ "$(in_a_row <<<"$run")" = "$(examples "$page" | in_a_row)" ] || {
		echo "$name: an example prints something else" >&2
		status=1
	}
	# Other pages need not be installed here; ours must be in this folder.
	while read -r other; do
		[ -e "$dir/$other" ] || {
			echo "$name: no page $other" >&2
			status=1
		}
	done < <(sed -nE 's/^\.(It )?Xr ((lib)?ptwalk[a-z-]*) ([0-9]).*/\2.\4/p' "$page")
done

for command in '' $("$ptwalk" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	# shellcheck disable=SC2086
	"$ptwalk" help $command | awk -v command="help $command" '{ lines++ }
		length > 80 { print command ": more than 80 columns: " $0 }
		END { if (!lines) print command ": nothing" }' | grep . >&2 && status=1
done

# Whether all this can be found wrong.
[ $# = 2 ] || exit $status
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp "$dir"/* "$copy"
sed -i 's/^\.It \(Cm move_pages\|Cm junit\|Li past-resource\|split-rss\|Fl -freeze\)/&x/
	s/^\.\(Pq \|It \)\?Li \(bytes-move\|expect-end\|pss-overflow\|special-pmd\)/&x/
	s/special-pmd/x-pmd/; s/pte , pmd/& , pux/; s/^\.It Xr ptwalk-iova/&x/' "$copy"/ptwalk{,-check,-rss}.1
sed -i 's/^\.Sh EXAMPLES/.Sh NOTES/' "$copy"/ptwalk-share.1
sed -i 's/^\.It Li too-small/&x/' "$copy"/ptwalk-huge.1
sed -i 's/^0x0600000000000000 absent/0x0600000000000000 present/' "$copy"/ptwalk-decode.1
sed -i 's/^[0-9]* figures: /1&/' "$copy"/ptwalk-rss.1
wrong=27
found=$("$0" "$ptwalk" "$copy" again 2>&1 >/dev/null | wc -l)
if [ "$found" != $wrong ]; then
	echo "of $wrong things that are wrong, $found are found" >&2
	status=1
fi
exit $status
