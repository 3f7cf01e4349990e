# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Whether runs of the same tests came to the same, and whether others read in
# them what is there.

# results FILE: a line for each test, with its name and why it was skipped
results()
{
	awk -v all=1 -f "$SCRIPTS/ktap.awk" "$1" | grep -v '^counts ' | sort
}

# same_results FILE FILE: prints where they differ. What is skipped by chance in the
# one may pass in the other.
same_results()
{
	diff <(without_chance "$1" "$2") <(without_chance "$2" "$1")
}

# without_chance FILE OTHER: results of FILE
without_chance()
{
	awk '/^skipped .* \(by chance/ { chance[$2] }
		NR == FNR { line[++n] = $0 }
		END {
			for (i = 1; i <= n; i++) {
				split(line[i], word, " ")
				print (word[1] != "failed" && word[2] in chance ? "by chance " word[2] : line[i])
			}
		}' <(results "$1") <(results "$2") | sort
}

# read_alike FILE: the parsers of scripts/readers.awk find each test of what
# run_kselftest.sh printed, as ktap.awk does, under a name of its own. To openQA's
# a test that was skipped is none.
read_alike()
{
	local p f s seen status=0
	read -r _ p f s < <(awk -f "$SCRIPTS/ktap.awk" "$1" | grep '^counts ')
	seen=$(awk -f "$SCRIPTS/readers.awk" "$1")
	read_as "LKFT passes" "$p" "^lkft .* pass$" || status=1
	read_as "LKFT failures" "$f" "^lkft .* fail$" || status=1
	read_as "LKFT skips" "$s" "^lkft .* skip$" || status=1
	read_as "openQA passes" "$p" "^openqa .* ok$" || status=1
	read_as "openQA failures" "$f" "^openqa .* fail$" || status=1
	! sort <<<"$seen" | uniq -d | sed 's/^/twice: /' | grep . || status=1
	return "$status"
}

# read_as WHAT NUMBER PATTERN
read_as()
{
	local number
	number=$(grep -c "$3" <<<"$seen") || :
	[ "$number" = "$2" ] || { echo "$1: $number, not $2"; return 1; }
}
