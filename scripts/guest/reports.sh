#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# reports.sh FOLDER NAME:TAKES...
#
# In a guest: prepares what the reproducers in FOLDER take, words of
# scripts/reports with commas between them, runs one after the other, and prints
# "NAME STATUS" of each, behind what it printed. What takes dax is given a file.

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
	dax)
		for module in nd_e820 nd_pmem crc32c_generic ext4; do
			modprobe -q "$module"
		done
		for _ in $(seq 30); do
			[ ! -e /dev/pmem0 ] || break
			sleep 1
		done
		# For one huge page of the first file: so many inodes that it begins at
		# a multiple of 2 MiB, and the flag of ext4's that is for extents.
		mke2fs -b 4096 -i 8340 /dev/pmem0 >/dev/null
		printf '\102' | dd of=/dev/pmem0 bs=1 seek=1120 conv=notrunc 2>/dev/null
		mkdir /dax
		mount -t ext4 -o dax=always /dev/pmem0 /dax || rmdir /dax
		;;
	esac
}

for what; do
	name=${what%%:*}
	takes=${what#*:}
	for word in $(echo "$takes" | tr , ' '); do
		prepare "$word"
	done
	file=
	case $takes in *dax*) file=/dax/$name ;; esac
	"$folder/$name" ${file:+"$file"} >/tmp/out 2>&1
	status=$?
	sed 's/^/# /' /tmp/out
	echo "$name $status"
done
