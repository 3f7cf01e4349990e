# SPDX-License-Identifier: GPL-2.0
#
# What others take for the tests in what run_kselftest.sh printed. Prints
#
#	lkft NAME RESULT	parse-output.py of LKFT's test-definitions
#	openqa NAME RESULT	openQA's parser of KTAP
#
# written from what these do. The tests are those of the programs, one level down.
# LKFT's has letters, digits, "_" and "-" in a name alone, and the reason of one
# that was skipped behind it; openQA's leaves out those that were skipped.

function slug(name)
{
	gsub(/\[[0-9][0-9]?[0-9]?[0-9]?[0-9]?\]/, "", name)
	gsub(/[^A-Za-z0-9_-]+/, "_", name)
	gsub(/^_|_$/, "", name)
	gsub(/_-/, "__", name)
	return name
}

# Sets good, name, and of the directive the word and the reason.
function parse(line)
{
	good = line !~ /^not /
	directive = ""
	if (match(line, /#/)) {
		directive = substr(line, RSTART + 1)
		line = substr(line, 1, RSTART - 1)
	}
	name = line
	sub(/^(not )?ok *[0-9]* *(- )?/, "", name)
	sub(/ *$/, "", name)
	sub(/^ */, "", directive)
	skipped = good && tolower(directive) ~ /^skip/
}

/^# *selftests: / {
	group = $0
	sub(/^# */, "", group)
	gsub(/[\/.]/, "_", group)
	gsub(/ /, "", group)
}

/^# *(not )?ok +[0-9]+ / {
	line = $0
	sub(/^# */, "", line)
	parse(line)
	child[++children] = slug(name (skipped ? " " substr(directive, 5) : ""))
	result[children] = skipped ? "skip" : good ? "pass" : "fail"
	if (group != "" && tolower(directive) !~ /^skip/)
		print "openqa " group " " name " " (good ? "ok" : "fail")
}

/^(not )?ok +[0-9]+ selftests: / {
	parse($0)
	sub(/^selftests: */, "", name)
	for (i = 1; i <= children; i++)
		print "lkft " slug(name (skipped ? " " substr(directive, 5) : "")) "_" child[i] " " result[i]
	# One that was skipped as a whole has no other line.
	if (!children)
		print "lkft " slug(name) " " (skipped ? "skip" : good ? "pass" : "fail")
	children = 0
	group = ""
}
