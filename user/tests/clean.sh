#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# clean.sh -c COMMAND: as sh -c does, in an environment that is the same for everybody: the
# shell with which user/Makefile runs the tests. What they are given by it comes with COMMAND.
umask 022
exec env -i PATH="${PATH:-/usr/bin:/bin}" HOME=/ CCACHE_DISABLE=1 LC_ALL=C.UTF-8 TZ=UTC0 \
	${TMPDIR:+"TMPDIR=$TMPDIR"} ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} \
	${LD_LIBRARY_PATH:+"LD_LIBRARY_PATH=$LD_LIBRARY_PATH"} sh "$@"
