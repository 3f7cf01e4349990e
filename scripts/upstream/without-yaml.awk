# SPDX-License-Identifier: GPL-2.0
#
# A YNL specification without the definitions, attribute sets and operations of
# these names: awk -v names=REGEX -f without-yaml.awk FILE

function flush()
{
	if (name !~ "^(" names ")$")
		printf "%s", item
	item = name = ""
}

/^[^ ]/ || /^(  |    )-$/ { flush() }
name == "" && /^ +name: / { name = $2 }
{ item = item $0 "\n" }
END { flush() }
