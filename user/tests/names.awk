#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-2.0
#
# names.awk FILE...: whether the name of each function stands in one of the files. In
# several only one that each of them gives to a member, as the functions of an interface
# are called the same in all that have it. Prints those that aren't.

FNR == 1 {
	name = ""
}

/^[a-z].*\(/ && !/^typedef / {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
}

/;$/ {
	name = ""
}

/^\{/ && name && !((name, FILENAME) in defined) {
	defined[name, FILENAME]
	files[name] = files[name] " " FILENAME
	nr[name]++
	functions++
	name = ""
}

/\.[a-z_]+ = [a-z_]+[,;]/ {
	for (rest = $0; match(rest, /\.[a-z_]+ = [a-z_]+[,;]/); rest = substr(rest, RSTART + RLENGTH)) {
		member = substr(rest, RSTART, RLENGTH - 1)
		sub(/.* = /, "", member)
		if (!((member, FILENAME) in given)) {
			given[member, FILENAME]
			times[member]++
		}
	}
}

END {
	for (name in nr)
		if (nr[name] > 1 && times[name] < nr[name]) {
			print name "() stands in" files[name] >"/dev/stderr"
			errors++
		}
	exit errors || !functions
}
