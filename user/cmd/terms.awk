# SPDX-License-Identifier: GPL-2.0
#
# terms.awk ptwalk-flags.7 >terms.c: the names of the manual page as a table.

function flush()
{
	if (name)
		printf "\t{ \"%s\", \"%s\", \"%s\", \"%s\" },\n", name,
			kernel, list, text
	name = text = ""
}

BEGIN {
	print "#include \"cmd/terms.h\"\n\nconst struct term terms[] = {"
}

/^\.Ss / { list = substr($0, 5) }
/^\.(It|El)/ { flush() }
/^\.It Li / && list { name = $3; kernel = $5 == "Dv" ? $6 : "" }
/^\.Fn / { $0 = $2 "()" $3 }
/^\./ { next }
name {
	gsub(/\\e/, "\\\\")
	gsub(/"/, "\\\"")
	text = text (text ? " " : "") $0
}

END {
	print "};\n\nconst unsigned int nr_terms = sizeof(terms) / sizeof(terms[0]);"
}
