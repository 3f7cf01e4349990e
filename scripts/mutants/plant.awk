# SPDX-License-Identifier: GPL-2.0
#
# awk -v file=FILE -f plant.awk TABLE FILE: the kernel's source file FILE with the
# mutants of TABLE that are for it, each behind a test of the kernel's parameter
# "mutant". A mutant that finds no place is an error. What is to stand instead of
# a line must stand for a whole statement.

# Splits a line of the table: the last field may have a | in it.
function fields(line,    i, at)
{
	for (i = 1; i < 7; i++) {
		at = index(line, " | ")
		if (!at)
			return 0
		f[i] = substr(line, 1, at - 1)
		line = substr(line, at + 3)
	}
	f[7] = line
	return 1
}

function code(nr, statement)
{
	return "\tif (unlikely(kernel_mutant == " nr ")) { " statement " }"
}

FNR == NR {
	if ($0 ~ /^#/ || !NF)
		next
	nr++
	if (!fields($0)) {
		print "line " FNR ": not seven fields" >"/dev/stderr"
		bad = 1
		exit 1
	}
	if (f[3] != file)
		next
	in_function[nr] = f[4]
	where[nr] = f[5]
	pattern[nr] = f[6]
	statement[nr] = f[7]
	mine[nr] = 1
	next
}

FNR == 1 {
	declared = 0
}

# After the last of the file's own first #includes.
!declared && /^#include/ {
	includes = 1
}

includes && !declared && !/^#include/ && NF {
	print (file ~ /task_mmu/ ? \
		"#include <linux/moduleparam.h>\nunsigned int kernel_mutant;\ncore_param(mutant, kernel_mutant, uint, 0644);" : \
		"extern unsigned int kernel_mutant;")
	declared = 1
}

# The definition of a function, whose name starts its line or follows its type.
/^[a-z].*[a-z_]\(/ && !/;$/ {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	now = name
}

/^}/ {
	now = ""
}

# Those that stand for the line itself come last, right in front of it.
{
	instead = after = ""
	for (i = 1; i <= nr; i++) {
		if (!(i in mine) || done[i] || now != in_function[i] || index($0, pattern[i]) == 0)
			continue
		done[i] = 1
		if (where[i] == "before")
			print code(i, statement[i])
		else if (where[i] == "instead") {
			instead = instead code(i, statement[i]) " else {\n"
			after = "\n\t}" after
		} else
			after = after "\n" code(i, statement[i])
	}
	print instead $0 after
}

END {
	for (i = 1; i <= nr; i++)
		if (!bad && (i in mine) && !done[i]) {
			print "mutant " i " finds no place in " in_function[i] "() of " file >"/dev/stderr"
			bad = 1
		}
	exit bad
}
