# SPDX-License-Identifier: GPL-2.0
#
# Counts the results in a KTAP stream, its innermost ones: the line of a test
# that has subtests only sums those up. Prints
#
#	failed NAME		skipped NAME (REASON)
#	counts PASSED FAILED SKIPPED
#
# and with -v all=1 "passed NAME", too.
#
# A plan that is not fulfilled counts as a failure, as does a stream without
# any result, "Bail out!", and a "not ok" none of whose subtests failed.
# Subtests are indented by spaces or by "# ", as kselftest's runner does it.

function fail(name)
{
	print "failed " name
	failed++
}

# Leave the levels that are deeper than this one.
function leave(depth,   d)
{
	for (d = deepest; d > depth; d--) {
		if ((d in plan) && seen[d] < plan[d])
			fail("plan of " plan[d] " tests, but " seen[d] + 0 " results")
		inner[depth] += inner[d] + seen[d]
		badly[depth] += badly[d]
		delete plan[d]
		delete seen[d]
		delete inner[d]
		delete badly[d]
	}
	deepest = depth
}

{
	sub(/\r$/, "")
	line = $0
	depth = 0
	while (match(line, /^(  |# )/)) {
		line = substr(line, 3)
		depth++
	}
	if (line !~ /^(ok|not ok|[0-9]+\.\.[0-9]+|K?TAP version [0-9]|Bail out!)/)
		next
}

line ~ /^Bail out!/ {
	fail(line)
	next
}

line ~ /^K?TAP version/ {
	if (depth > deepest)
		deepest = depth
	next
}

line ~ /^[0-9]+\.\.[0-9]+/ {
	if (depth < deepest && (depth in plan))
		leave(depth)
	if (depth > deepest)
		deepest = depth
	if ((depth in plan) && seen[depth] < plan[depth])
		fail("plan of " plan[depth] " tests, but " seen[depth] + 0 " results")
	split(line, n, /\.\.| /)
	# A plan may also stand behind its results.
	if (depth in plan)
		seen[depth] = 0
	plan[depth] = n[2] + 0
	if (n[2] == 0 && line ~ /[Ss][Kk][Ii][Pp]/) {
		sub(/^[^#]*# *[Ss][Kk][Ii][Pp][Pp]?[Ee]?[Dd]?:? */, "", line)
		print "skipped everything (" line ")"
		skipped++
		inner[depth]++
	}
	next
}

{
	if (depth < deepest)
		leave(depth)
	else
		deepest = depth
	good = line ~ /^ok/
	name = line
	sub(/^(not )?ok *[0-9]* *-? */, "", name)
	reason = ""
	if (match(name, / ?# *[A-Z]+/)) {
		reason = substr(name, RSTART)
		name = substr(name, 1, RSTART - 1)
		sub(/^ ?# */, "", reason)
	}
	nested = inner[depth]
	nested_bad = badly[depth]
	inner[depth] = badly[depth] = 0
	seen[depth]++
	results++
	if (!good && reason !~ /^(SKIP|XFAIL|TODO)/) {
		if (!nested || !nested_bad)
			fail(name)
		badly[depth - 1]++
	} else if (nested) {
		badly[depth - 1] += nested_bad
	} else if (reason ~ /^SKIP/) {
		sub(/^SKIP[A-Z]* */, "", reason)
		print "skipped " name " (" (reason ? reason : "no reason given") ")"
		skipped++
	} else {
		if (all)
			print "passed " name
		passed++
	}
}

END {
	leave(-1)
	if (!results && !skipped)
		fail("no results at all")
	print "counts " passed + 0 " " failed + 0 " " skipped + 0
}
