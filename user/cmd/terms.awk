# SPDX-License-Identifier: GPL-2.0
#
# terms.awk ptwalk-flags.7 PAGE... >terms.c: the names of the manual page as a table, and
# those of the lists of others that begin with a comment, List: TITLE.

function flush(	i, all)
{
	for (i = 1; nr > 1 && i <= nr; i++)
		all = all name[i] (i < nr ? ", " : ": ")
	for (i = 1; i <= nr; i++)
		printf "\t{ \"%s\", \"%s\", \"%s\", \"%s\" },\n", name[i],
			kernel, list, all text
	nr = 0
	text = ""
}

# words(FROM): the words of a line of mdoc from there on
function words(from,	i, all)
{
	for (i = from; i <= NF; i++)
		all = all ($i ~ /^[.,:;]$/ || i == from ? "" : " ") $i
	return all
}

BEGIN {
	print "#include \"cmd/terms.h\"\n\nconst struct term terms[] = {"
}

/^\.Ss / { list = substr($0, 5) }
/^\.\\" List: / { list = substr($0, 11) }
/^\.(It|El)/ { flush() }
/^\.El/ { list = "" }
/^\.It / && list {
	kernel = ""
	for (i = 2; i <= NF && $i != "Pq"; i++)
		if ($i !~ /^(Li|Cm|,)$/)
			name[++nr] = $i
	if ($(i + 1) == "Dv")
		kernel = $(i + 2)
}
/^\.Fn / { $0 = $2 "()" $3 }
/^\.Xr / { $0 = $2 "(" $3 ")" $4 }
/^\.Fl / { $0 = "-" words(2) }
/^\.(Li|Dv|Cm|Pa) / { $0 = words(2) }
/^\./ { next }
nr {
	gsub(/\\e/, "\\\\")
	gsub(/"/, "\\\"")
	text = text (text ? " " : "") $0
}

END {
	print "};\n\nconst unsigned int nr_terms = sizeof(terms) / sizeof(terms[0]);"
}
