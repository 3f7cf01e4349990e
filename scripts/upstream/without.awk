# SPDX-License-Identifier: GPL-2.0
#
# A C file without the functions, structures, enums and declarations that name
# what is in a series of its own: awk -v names=REGEX -f without.awk FILE

# A blank line ends such a piece, unless it is inside braces.
function flush()
{
	if (piece !~ names)
		printf "%s", piece
	piece = ""
}

{
	piece = piece $0 "\n"
	text = $0
	depth += gsub(/{/, "", text) - gsub(/}/, "", text)
}
!NF && !depth { flush() }
END { flush() }
