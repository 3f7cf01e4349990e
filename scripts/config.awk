# SPDX-License-Identifier: GPL-2.0
#
# A kernel's configuration for one architecture (-v arch=NAME), and for one version
# of Linux (-v version=X.Y): behind a "#" in a line stands which ones it is for.
/^CONFIG_.* # / {
	split($0, part, / *# /)
	if (!index(" " part[2] " ", " " arch " ") &&
	    !(version && index(" " part[2] " ", " " version " ")))
		next
	$0 = part[1]
}

{ print }
