# SPDX-License-Identifier: GPL-2.0
#
# A kernel's configuration for one architecture (-v arch=NAME): behind a "#" in a
# line stands which ones it is for.
/^CONFIG_.* # / {
	split($0, part, / *# /)
	if (!index(" " part[2] " ", " " arch " "))
		next
	$0 = part[1]
}

{ print }
