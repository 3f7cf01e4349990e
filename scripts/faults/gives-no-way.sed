# SPDX-License-Identifier: GPL-2.0
#
# A dump that keeps the mmap lock though somebody waits for it.
#
# kernel: 6.12
# file: kmod/dump.c
# run: /selftests/latency
# fails: latency.no_worse_than_pagemap
/^static int ptwalk_dump_read\(/,/^}/s/mmap_lock_is_contended\(mm\)|need_resched\(\)/(& \&\& false)/
/^static int ptwalk_dump_hold\(/,/^}/s/ptwalk_dump_read\(&reader, .*\)/ptwalk_dump_read(\&reader, 512)/
