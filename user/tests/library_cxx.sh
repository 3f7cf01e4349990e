#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# library_cxx.sh CXX -IDIR...: whether the library's header is one of C++, too,
# and its functions are called by their names. Needs a C++ compiler, which
# nothing else does: without one that is said, and no more.
set -eu
here=${0%/*} cxx=$1
shift
if ! command -v "$cxx" >/dev/null; then
	echo "# there is no $cxx: lib/ptwalk.h isn't tried in C++"
	exit
fi
object=$(mktemp)
trap 'rm -f "$object"' EXIT
for standard in c++11 c++20; do
	"$cxx" -std=$standard -Wall -Wextra -Werror "$@" -c -o "$object" "$here/library_header.cc"
done
nm -u "$object" | grep -q ' ptwalk_open$' || {
	echo "lib/ptwalk.h: C++ gives its functions other names" >&2
	exit 1
}
