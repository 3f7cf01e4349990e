#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# ptwalk.sh [SECONDS]
#
# Checks every process, and tells LAVA of each test; without LAVA, prints them
# and their results. Exits as ptwalk check does.

output=$(mktemp)
trap 'rm -f "$output"' EXIT
[ -e /sys/module/ptwalk ] || modprobe ptwalk
status=0
ptwalk check --all --budget "${1:-600}" --ktap >"$output" || status=$?
cat "$output"
awk '/^not ok / { print $4, "fail" }
	/^ok / { print $3, / # SKIP/ ? "skip" : "pass" }
	/^Bail out!/ { print "ptwalk.check", "fail" }' "$output" |
	while read -r name result; do
		if command -v lava-test-case >/dev/null; then
			lava-test-case "$name" --result "$result"
		else
			echo "$name $result"
		fi
	done
exit "$status"
