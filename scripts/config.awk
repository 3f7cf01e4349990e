# SPDX-License-Identifier: GPL-2.0
#
# A kernel's configuration for one architecture (-v arch=NAME), and for one version
# of Linux (-v version=X.Y): behind a "#" in a line stands which ones it is for, or
# which version of which architecture, X.Y-NAME.
function for_any(list,   word, n, i)
{
	n = split(list, word, " ")
	for (i = 1; i <= n; i++)
		if (word[i] == arch || (version && (word[i] == version || word[i] == version "-" arch)))
			return 1
	return 0
}

/^CONFIG_.* # / {
	split($0, part, / *# /)
	if (!for_any(part[2]))
		next
	$0 = part[1]
}

{ print }
