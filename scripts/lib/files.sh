# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What --file puts into the guest.

# add_file HOST[:GUEST] STAGE
add_file()
{
	local host=${1%%:*} guest stage=$2
	case $1 in
	*:*) guest=${1#*:} ;;
	*) guest=$(realpath -s "$host") ;;
	esac
	[ -e "$host" ] || usage_error "--file $host: no such file"
	case $guest in
	/*) ;;
	*) usage_error "--file $1: the name in the guest must begin with /" ;;
	esac
	case $guest in
	*/) guest=$guest${host##*/} ;;
	/bin/* | /sbin/* | /lib/* | /lib64/*) guest=/usr$guest ;;
	esac
	mkdir -p "$stage${guest%/*}"
	if [ -d "$host" ]; then
		mkdir -p "$stage$guest"
		cp -rL "$host/." "$stage$guest/" 2>/dev/null || cp -r "$host/." "$stage$guest/"
	else
		cp -L "$host" "$stage$guest"
	fi
	find "$host" -follow -type f \( -perm -u+x -o -name '*.so*' \) -print0 |
		xargs -0 -r -n 64 bash -c 'file_libraries "$@"' file_libraries "$stage"
	local script
	script=$(head -c 200 "$host" 2>/dev/null | tr -d '\0' | sed -nE '1s/^#! *([^ ]+).*/\1/p') || :
	if [ -n "$script" ] && [ -x "$script" ] && [ ! -e "$stage$script" ] &&
		[ "$script" != /bin/sh ] && [ "$script" != /usr/bin/env ]; then
		add_file "$script" "$stage"
	fi
}

# The libraries of this machine's programs come from this machine; those of
# another architecture from the build root.
file_libraries()
{
	local stage=$1 program path
	shift
	for program; do
		case $(head -c 4 "$program" | tr -d '\0') in
		$'\x7fELF') ;;
		*) continue ;;
		esac
		readelf -d "$program" 2>/dev/null | grep -q NEEDED || continue
		{ ldd "$program" 2>/dev/null || :; } |
			sed -nE -e 's/.* => (\/[^ ]+) .*/\1/p' -e 's/^\s*(\/[^ ]+) \(.*/\1/p' |
		while read -r path; do
			add_library "$path" "$stage"
		done
	done
}

# A library that the guest has already is only replaced by a newer C library,
# which serves the programs of the older one too.
add_library()
{
	local path=$1 stage=$2 to=$1
	case $to in
	/lib/* | /lib64/*) to=/usr$to ;;
	esac
	[ ! -e "$stage$to" ] || return 0
	if [ -z "${HOST_IS_NEWER:-}" ] && grep -qxF "${to#/}" "$GUEST_FILES"; then
		return 0
	fi
	mkdir -p "$stage${to%/*}"
	cp -L "$path" "$stage$to"
}
export -f file_libraries add_library
