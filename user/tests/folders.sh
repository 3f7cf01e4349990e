#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# folders.sh: whether folders.awk finds each thing that it is for, and nothing else, in
# files made up here. Prints what is wrong.
awk=${0%/*}/folders.awk
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir"/base "$dir"/check "$dir"/report "$dir"/cmd "$dir"/other
status=0

# expect good|bad FILE LINE...: what is said of FILE with these lines
expect()
{
	local wanted=$1 file=$dir/$2 found=good
	shift 2
	printf '%s\n' "$@" >"$file"
	awk -v folders='base check report cmd' -f "$awk" "$file" 2>/dev/null || found=bad
	[ "$found" != "$wanted" ] || return 0
	echo "folders.awk calls this $found:" "$@" >&2
	status=1
}

begin=('// SPDX-License-Identifier: GPL-2.0' '/* What it is for. */')
expect good check/a.c "${begin[@]}" '#include "base/error.h"' '#include "check/a.h"'
expect bad check/a.c "${begin[@]}" '#include "report/describe.h"'
expect bad check/a.c "${begin[@]}" '#include "a.h"'
expect bad check/a.c "${begin[@]}" '#include "nowhere/a.h"'
expect bad other/a.c "${begin[@]}"
expect bad check/a.c "${begin[0]}" 'int a;'
for line in 'return fail(0, "a");' 'error_status(err);' 'return EXIT_USAGE;' 'fputs("a", stderr);' \
	'exit(1);' $'\tprintf("a");' $'\tout_bytes(from, to);' 'jsonw_begin("a");' 'jsonw_end();'; do
	for file in base/a.c check/a.c; do
		expect bad $file "${begin[@]}" "$line"
	done
	for file in base/print.c base/jsonw.c base/error.c report/a.c cmd/a.c; do
		expect good $file "${begin[@]}" "$line"
	done
done
expect good check/check.c "${begin[@]}" 'return EXIT_USAGE;'
expect bad check/check.c "${begin[@]}" 'exit(1);'
for line in '_exit(1);' 'jsonw_hex("a", 1);' 'exit_no_memory();' 'snprintf(buf, size, "a");' 'fputs("a", to);' \
	'handle_fail(p, err);' 'r->fail(1);'; do
	expect good check/a.c "${begin[@]}" "$line"
done
for line in 'while (fgets(line, size, stream))' 'n = getline(&line, &size, stream);' '!fscanf(f, "%d", &n)' \
	'entry = readdir(dir);' 'int ch = getc(f);'; do
	expect bad check/a.c "${begin[@]}" "$line"
	expect bad cmd/a.c "${begin[@]}" "$line"
	expect good base/a.c "${begin[@]}" "$line"
done
expect good check/a.c "${begin[@]}" 'sscanf(line, "%d", &n);'
exit $status
