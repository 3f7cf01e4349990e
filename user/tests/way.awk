#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-2.0
#
# way.awk -v top=DIR [-v most=LINES] [-v files=N] Documentation/interfaces.md: whether each
# function of the table in "The way of one byte" is in the file of its row, and how many
# lines they are together, with the comments above them, in how many files. Fails if one
# isn't there, or if they are more than that.

/^#/ { here = /The way of one byte/ }

here && /^\| `/ {
	split($0, cell, "|")
	split(cell[2], quoted, "`")
	file = quoted[2]
	if (!(file in seen) && ++nr_files)
		seen[file] = 1
	n = split(cell[3], quoted, "`")
	for (i = 2; i <= n; i += 2)
		find(top "/" file, quoted[i])
}

function find(path, call,	line, name, text, comment, inside, lines)
{
	name = call
	sub(/\(\)$/, "", name)
	while ((getline line <path) > 0) {
		if (!inside && line ~ /^(\/\*| \*)/)
			comment++
		else if (!inside && line == "")
			comment = 0
		text = " " line
		if (!inside && line ~ /^[a-z]/ && text ~ "[ *]" name "\\(")
			inside = 1
		if (inside)
			lines++
		if (inside && line ~ /;$/ && line !~ /^\t/ && lines == 1)
			inside = lines = 0
		if (inside && line == "}")
			break
	}
	close(path)
	if (!lines) {
		print path ": no " call >"/dev/stderr"
		errors++
	}
	printf "%4d %s %s\n", lines + comment, path, call
	sum += lines + comment
}

END {
	print sum + 0, "lines in", nr_files + 0, "files"
	if ((most && sum > most) || (files && nr_files > files)) {
		print "the way of one byte takes", sum, "lines in", nr_files, "files" >"/dev/stderr"
		errors++
	}
	exit errors || !sum
}
