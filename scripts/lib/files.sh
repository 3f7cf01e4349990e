# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What --file puts into the guest, and a COMMAND of this machine.

# add_pages STAGE: the manual pages as text, for the guest's man
add_pages()
{
	local page name
	mkdir -p "$1/usr/share/man"
	for page in "$TOP"/user/man/*.[0-9]; do
		name=${page##*/}
		groff -P-cbu -mandoc -Tascii "$page" >"$1/usr/share/man/${name%.*}" 2>/dev/null || {
			rm -rf "$1/usr/share/man"
			return 0
		}
	done
}

# guest_path PATH: where it is in the guest, in which /bin and its like are links
guest_path()
{
	case $1 in
	/bin/* | /sbin/* | /lib/* | /lib64/*) echo "/usr$1" ;;
	*) echo "$1" ;;
	esac
}

# check_file HOST[:GUEST]
check_file()
{
	[ -e "${1%%:*}" ] || usage_error "--file ${1%%:*}: no such file"
	[ -r "${1%%:*}" ] || usage_error "--file ${1%%:*}: it can't be read"
	case $1 in
	*:/* | "${1%%:*}") ;;
	*) usage_error "--file $1: the name in the guest must begin with /" ;;
	esac
}

# add_file HOST[:GUEST] STAGE
add_file()
{
	local host=${1%%:*} guest stage=$2
	check_file "$1"
	case $1 in
	*:*) guest=${1#*:} ;;
	*) guest=$(realpath -s "$host") ;;
	esac
	case $guest in
	*/) guest=$guest${host##*/} ;;
	*) guest=$(guest_path "$guest") ;;
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

# add_python STAGE: this machine's, and what it reads of itself
add_python()
{
	local python
	python=$(readlink -f /usr/bin/python3)
	add_file "$python:/usr/bin/python3" "$1"
	add_file "/usr/lib/${python##*/}" "$1"
}

# in_guest PATH STAGE
in_guest()
{
	local path
	path=$(guest_path "$1")
	[ -e "$2$path" ] || grep -qxF "${path#/}" "$GUEST_FILES"
}

# check_command NAME: what can be said of it before it is known what the guest has
check_command()
{
	[[ $1 = */* ]] || return 0
	if [ ! -f "$1" ]; then
		[[ $1 = /* ]] || usage_error "$1: no such program here; give its absolute name if it is one of the guest's"
		return 0
	fi
	[[ $1 = /* || -x $1 ]] || usage_error "$1: not executable (chmod +x)"
}

# comes_later PATH: whether the guest may get it when it has booted: by a mount, of a share
# at one of $SHARE_PLACES, a line for each, or of its own
comes_later()
{
	local place
	while read -r place; do
		case $1/ in
		"${place%/}"/*) return 0 ;;
		esac
	done <<<"/dev
/proc
/sys
${SHARE_PLACES:-/proc}"
	return 1
}

# add_command NAME STAGE: a name with a slash is this machine's, unless it begins
# with one and the guest has it. Sets COMMAND to what the guest is to call.
add_command()
{
	local name=$1 stage=$2
	COMMAND=$name
	case $name in
	/*) ! in_guest "$name" "$stage" || return 0 ;;
	*/*) ;;
	*) return 0 ;;
	esac
	check_command "$name"
	if [ ! -f "$name" ]; then
		comes_later "$name" || usage_error "$name: neither this machine nor the guest has such a program"
		return 0
	fi
	[ -x "$name" ] || usage_error "$name: not executable (chmod +x)"
	COMMAND=$(realpath -s "$name")
	fits_guest "$name"
	add_interpreter "$name" "$stage"
	add_file "$name" "$stage"
}

# fits_guest FILE
fits_guest()
{
	local machine
	machine=$({ readelf -h "$1" 2>/dev/null || :; } | sed -n 's/^ *Machine: *//p')
	case $K_ARCH:$machine in
	*: | amd64:*X86-64 | amd64:*80386 | i386:*80386 | arm64:AArch64 | arm64:ARM | armhf:ARM) ;;
	s390x:*S/390 | riscv64:RISC-V | ppc64el:PowerPC64) ;;
	*) usage_error "$1: a program for $machine, and the guest is $K_ARCH" ;;
	esac
}

# add_interpreter SCRIPT STAGE: a shell needs no more files than itself and its
# libraries; of others nobody knows what they read.
add_interpreter()
{
	local script=$1 stage=$2 words program d
	read -ra words < <(head -c 200 "$script" | tr -d '\0' | sed -n '1s/^#!//p') || :
	program=${words[0]:-}
	case $program in
	'') return 0 ;;
	*/env)
		program=${words[1]:-}
		[ "$program" != -S ] || program=${words[2]:-}
		for d in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin; do
			! in_guest "$d/$program" "$stage" || return 0
		done
		program=$(command -v "$program") || program=${words[1]}
		;;
	esac
	! in_guest "$program" "$stage" || return 0
	case $program in
	*/bash | */dash | */ksh | */zsh) [ ! -x "$program" ] || { add_file "$program" "$stage"; return 0; } ;;
	esac
	case $program in
	*/python3* | python3*) usage_error "$script: the guest has no ${program##*/} to run it: --python puts that there" ;;
	esac
	usage_error "$script: the guest has no ${program##*/} to run it: put that there with --file, and the folders that it reads"
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
		readelf -d "$program" 2>/dev/null | grep NEEDED >/dev/null || continue
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
