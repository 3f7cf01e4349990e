#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# reports.sh FOLDER NAME:TAKES...
#
# In a guest: prepares what the reproducers in FOLDER take, words of
# scripts/reports with commas between them, runs one after the other, and prints
# "NAME STATUS" of each, behind what it printed.

folder=$1
shift

prepare()
{
	[ ! -e "/tmp/$1" ] || return
	: >"/tmp/$1"
	case $1 in
	swap)
		modprobe brd rd_nr=1 rd_size=65536
		mkswap /dev/ram0 >/dev/null
		swapon /dev/ram0
		echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled
		;;
	hugetlb)
		echo 6 >/proc/sys/vm/nr_hugepages
		;;
	esac
}

for what; do
	name=${what%%:*}
	takes=${what#*:}
	for word in $(echo "$takes" | tr , ' '); do
		prepare "$word"
	done
	"$folder/$name" >/tmp/out 2>&1
	status=$?
	sed 's/^/# /' /tmp/out
	echo "$name $status"
done
