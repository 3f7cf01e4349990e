#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-2.0
#
# folders.awk -v folders="LOW ... HIGH" FILE...: whether each of the files, such
# as user/check/rules.c, includes headers of its own folder and of lower ones
# only, by their whole names (so no two folders can include each other), and
# opens with a line that says what it is for; and whether those of the folders
# before report leave it to commands to print and, but for check/check.c, to have exit
# statuses; and whether all leave it to base to read texts. Prints what is wrong.

function wrong(what)
{
	print file ": " what >"/dev/stderr"
	errors++
}

BEGIN {
	n = split(folders, folder)
	for (i = 1; i <= n; i++)
		floor[folder[i]] = i
}

FNR == 1 {
	n = split(FILENAME, part, "/")
	here = part[n - 1]
	file = here "/" part[n]
	if (!(here in floor))
		wrong("its folder isn't in the makefile's list")
	files++
}

FNR == 2 && !/^(\/\*|\/\/)/ {
	wrong("doesn't say in its second line what it is for")
}

# A child may _exit().
file !~ /^base\/(error|exit_status|fold|jsonw|print|progress)\./ && floor[here] < floor["report"] &&
/(^|[^a-z_>.])(fail|error_status|exit|abort|perror|v?printf|puts|putchar|out_[a-z]+|jsonw_(begin|end))\(|std(out|err)/ {
	wrong("prints: " $0)
}

# The way of a page through a check ends with what the command returns.
file !~ /^(base\/(error|exit_status|jsonw|print|progress)|check\/check)\./ && floor[here] < floor["report"] && /EXIT_/ {
	wrong("has an exit status: " $0)
}

# A text that ends for want of memory, or with an error, looks like one that is whole.
floor[here] != floor["base"] &&
/(^|[^a-z_])(fgets|fgetc|getc|getchar|fread|v?fscanf|getline|getdelim|readdir|opendir|fdopendir)(_unlocked)?\(/ {
	wrong("reads a text itself, and not through base/: " $0)
}

/^#include "/ {
	split($2, part, "\"")
	header = part[2]
	if (header !~ /^[a-z]+\/[a-z_]+\.h$/)
		wrong("includes \"" header "\", not \"FOLDER/FILE.h\"")
	split(header, part, "/")
	if (!(part[1] in floor))
		wrong("includes " header ", of no folder of the makefile's list")
	else if (floor[part[1]] > floor[here])
		wrong("includes " header ", but " here " comes before " part[1])
}

END {
	if (!files)
		wrong("no files were given")
	exit errors > 0
}
