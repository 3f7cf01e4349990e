# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What every script needs: an environment that is the same for everybody, the places,
# messages, locks, and becoming root. Source it first.

set -euo pipefail

# Of what a person has set, these stay: where things are, what a script is told with a
# variable, the author of scripts/series and scripts/deb, and how one's own kernel is built.
# Whatever else would change what a program does (LC_*, TZ, GIT_*, MAKEFLAGS, CDPATH,
# POSIXLY_CORRECT, GREP_COLORS, PAGER...) is taken away.
for name in $(compgen -e); do
	case $name in
	PATH | HOME | PWD | TERM | TMPDIR | XDG_CACHE_HOME | XDG_CONFIG_HOME | *_proxy | *_PROXY) ;;
	PTWALK_* | CHECK_* | MUTANT | SHELLOPTS | BASHOPTS) ;;
	GIT_AUTHOR_NAME | GIT_AUTHOR_EMAIL | EMAIL | DEBFULLNAME | DEBEMAIL | DEB_BUILD_OPTIONS) ;;
	CC | HOSTCC | LLVM | LLVM_IAS | KBUILD_* | KCFLAGS) ;;
	*) unset "$name" ;;
	esac
done
unset name
export LC_ALL=C.UTF-8 TZ=UTC0
# git takes no settings but a repository's, whoever that belongs to.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
PERSON_UMASK=$(umask)
umask 022
PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin

TOP=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
SCRIPTS=$TOP/scripts
BUILD=$TOP/build

# A service may run without a home, and a user may have none.
: "${HOME:=$(getent passwd "$(id -u)" | cut -d : -f 6)}"
[[ -d $HOME && -w $HOME ]] || HOME=$BUILD/home
export HOME
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/ptwalk
ME=scripts/${0##*/}

say()
{
	printf '%s: %s\n' "$ME" "$*" >&2
}

# What is only for somebody who watches.
tell()
{
	if [ -t 2 ] || [ -n "${PTWALK_TELL:-}" ]; then
		say "$*"
	fi
}

die()
{
	say "$*"
	exit 1
}

# A command line that makes no sense.
usage_error()
{
	say "$*"
	exit 2
}

# nearest WORD: the line of standard input with the fewest other letters, if at most a third
# of them are
nearest()
{
	awk -v word="$1" '
	function distance(a, b,	i, j, d, least) {
		for (i = 0; i <= length(a); i++)
			for (j = 0; j <= length(b); j++) {
				least = i && j ? d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)) : i + j
				if (i && j && d[i - 1, j] + 1 < least) least = d[i - 1, j] + 1
				if (i && j && d[i, j - 1] + 1 < least) least = d[i, j - 1] + 1
				d[i, j] = least
			}
		return d[length(a), length(b)]
	}
	BEGIN { best = int((length(word) + 2) / 3) + 1 }
	{ far = distance(word, $0) }
	far < best { best = far; name = $0 }
	END { if (name) print name }'
}

# unknown_option OPTION [MORE]: says so, with the one of --help that may be meant
unknown_option()
{
	local meant=
	[ "$1" = --help ] || meant=$("$0" --help | grep -oE -- '--[a-z][-a-z]+' | nearest "${1%%=*}") || :
	usage_error "unknown option '$1'${meant:+: did you mean $meant?}${2:-}"
}

# as_root WHY COMMAND...: through sudo when we aren't root.
as_root()
{
	local why=$1
	shift
	if [ "$(id -u)" = 0 ]; then
		"$@"
		return
	fi
	command -v sudo >/dev/null ||
		die "needs root ($why), and there is no sudo: run it as root"
	[ -n "${PTWALK_TOLD:-}" ] || say "needs root through sudo: $why"
	# Or root makes them, and we can't write there.
	mkdir -p "$BUILD" "$CACHE"
	sudo HOME="$HOME" XDG_CACHE_HOME="${XDG_CACHE_HOME:-}" PTWALK_TOLD=1 PTWALK_TELL="${PTWALK_TELL:-}" \
		${http_proxy:+http_proxy="$http_proxy"} "$@"
}

# locked FILE COMMAND...: one at a time. COMMAND runs in a subshell of its own
# that stops at its first error, unless locked itself stands before || or &&.
locked()
{
	local file=$1 fd
	shift
	if ! { : >>"$file"; } 2>/dev/null && [ ! -e "$file" ]; then
		die "cannot write $file"
	fi
	exec {fd}<"$file"
	flock -w 3 "$fd" || {
		tell "waiting for another run, which holds $file"
		flock "$fd"
	}
	local status errexit=$-
	set +e
	(
		set -e
		"$@"
	)
	status=$?
	case $errexit in
	*e*) set -e ;;
	esac
	exec {fd}<&-
	return "$status"
}

# files_of FOLDER... -- EXPRESSION...: the files of the tree below these folders that find(1)
# finds with EXPRESSION, but for what make leaves there; with git or without.
files_of()
{
	local below=()
	while [ "$1" != -- ]; do
		below+=("$1")
		shift
	done
	shift
	(cd "$TOP" && find "${below[@]}" -type f ! -name '*.mod.c' "$@" |
		grep -vxF -f <(sed -n 's,^/,,p' .gitignore) | sort) || die "no $* in ${below[*]}"
}

# quietly LOG COMMAND...: shows the log only of what fails.
quietly()
{
	local log=$1 status=0
	shift
	"$@" >"$log" 2>&1 || status=$?
	[ "$status" = 0 ] || cat "$log" >&2
	return "$status"
}
