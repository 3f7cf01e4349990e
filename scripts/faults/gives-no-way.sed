# SPDX-License-Identifier: GPL-2.0
#
# A dump that keeps the mmap lock though somebody waits for it.
#
# kernel: 6.12
# file: kmod/dump.c
# run: /selftests/latency
# fails: latency.no_worse_than_pagemap
/^static bool ptwalk_dump_grant\(/,/^}/s/ \|\| mmap_lock_is_contended\(mm\) \|\| need_resched\(\)//
/^static bool ptwalk_dump_grant\(/,/^}/s/left->grants--;/left->grants = 1;/
