#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# library_headers.sh HEADER UAPI CC...: whether the library's header takes the module's
# headers from one place, beside those that others have installed: older ones, a
# kernel's that are not all there, or a kernel's that are.
set -eu
header=$1 uapi=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
all="ptwalk.h ptwalk_device.h ptwalk_record.h"

# put FOLDER FILE...: those of the module; refuse FOLDER FILE...: others, which fail
put()
{
	mkdir -p "$dir/$1"
	for file in $2; do cp "$uapi/$file" "$dir/$1/"; done
}

refuse()
{
	mkdir -p "$dir/$1"
	for file in $2; do echo "#error $1/$file" >"$dir/$1/$file"; done
}

# compiles WHAT CC...: beside what was put there
compiles()
{
	what=$1 status=0
	shift
	echo '#include "ptwalk.h"
	enum ptwalk_domain domain; enum ptwalk_kind kind; struct ptwalk_translation translation;' |
		"$@" -Wall -Werror -I"$dir" -fsyntax-only -x c - 2>"$dir/errors" || status=$?
	[ "$status" = 0 ] || sed "s/^/# $what: /" "$dir/errors"
	rm -rf "$dir/linux" "$dir/ptwalk"
	return $status
}

cp "$header" "$dir/ptwalk.h"
put ptwalk/linux "$all"
compiles "alone" "$@"
put ptwalk/linux "$all"
refuse linux "ptwalk.h ptwalk_record.h"
compiles "beside older ones" "$@"
put ptwalk/linux "$all"
mkdir -p "$dir/linux"
# Theirs has the constants of devices between its own.
{
	printf '#ifndef _UAPI_LINUX_PTWALK_H\n#define _UAPI_LINUX_PTWALK_H\n'
	sed /_UAPI_LINUX_/d "$uapi/ptwalk_device.h" "$uapi/ptwalk.h"
	echo "#endif"
} >"$dir/linux/ptwalk.h"
compiles "behind an older one" "$@" -include "$dir/linux/ptwalk.h"
put linux "$all"
refuse ptwalk/linux "$all"
compiles "beside the kernel's" "$@"
# An error there is one that is seen.
refuse ptwalk/linux "$all"
if compiles "refused" "$@" >/dev/null; then
	echo "lib/ptwalk.h: none of these headers is included" >&2
	exit 1
fi
