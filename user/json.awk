# SPDX-License-Identifier: GPL-2.0
#
# awk -v as=schema|c -f json.awk json.lines
#
# Prints the JSON schema of the lines that ptwalk prints with --json, or what initialises
# an array of struct json_lines of tests/guest/lib/json.h.

function fail(why)
{
	print "json.lines: " why >"/dev/stderr"
	failed = 1
	exit 1
}

# The members of a line, from its word @first on.
function members(first,   i, all)
{
	for (i = first; i <= NF; i++) {
		if ($i !~ /^(@[a-z]+|[a-z_]+:[nsxbao*]0?[?]?)$/ || ($i ~ /^@/ && !($i in shared)))
			fail("'" $i "' of " $1 " " $2)
		all = all " " ($i ~ /^@/ ? shared[$i] : $i)
	}
	return substr(all, 2)
}

function schema(command, type, all,   member, nr, i, part, properties, required)
{
	nr = split(all, member, " ")
	required = "\"type\""
	for (i = 1; i <= nr; i++) {
		split(member[i], part, ":")
		properties = properties sprintf(",\n   \"%s\": {\"$ref\": \"#/definitions/%s\"}", part[1],
						kind[substr(part[2], 1, 1)] (part[2] ~ /0/ ? "-or-null" : ""))
		if (part[2] !~ /[?]/)
			required = required ", \"" part[1] "\""
	}
	printf ",\n  \"%s.%s\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\n", command, type
	printf "   \"type\": {\"const\": \"%s\"}%s},\n   \"required\": [%s]}", type, properties, required
	any = any sprintf("%s\n  {\"$ref\": \"#/definitions/%s.%s\"}", any == "" ? "" : ",", command, type)
}

function define(letter, name, type)
{
	kind[letter] = name
	if (as != "schema")
		return
	printf "%s\n  \"%s\": {\"type\": \"%s\"%s},\n", letter == "n" ? "" : ",", name, type, pattern(letter)
	printf "  \"%s-or-null\": {\"type\": [\"%s\", \"null\"]%s}", name, type, pattern(letter)
}

function pattern(letter)
{
	return letter == "x" ? ", \"pattern\": \"^0x[0-9a-f]+$\"" : ""
}

function line()
{
	$0 = whole
	whole = ""
	if (/^@/) {
		shared[$1] = members(2)
	} else if (NF) {
		if (as == "schema")
			schema($1, $2, members(3))
		else
			printf "{ \"%s\", \"%s\", \"%s\" },\n", $1, $2, members(3)
	}
}

BEGIN {
	if (as == "schema")
		printf "{\n \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n" \
		       " \"title\": \"A line that ptwalk prints with --json\",\n \"definitions\": {"
	define("n", "number", "integer")
	define("s", "string", "string")
	define("x", "hexadecimal", "string")
	define("b", "boolean", "boolean")
	define("a", "array", "array")
	define("o", "object", "object")
	kind["*"] = "any"
	if (as == "schema")
		printf ",\n  \"any\": true"
}

/^#/ { next }
/^[ \t]/ { whole = whole $0; next }
{ next_line = $0; line(); whole = next_line }

END {
	if (failed)
		exit 1
	line()
	if (as == "schema")
		printf "\n },\n \"anyOf\": [%s]\n}\n", any
}
