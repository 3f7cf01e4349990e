# SPDX-License-Identifier: GPL-2.0
#
# A dump that keeps the mmap lock though somebody waits for it, 50 ms each time.
#
# kernel: 6.12
# file: kmod/dump.c
# run: /selftests/latency
# fails: latency.no_worse_than_pagemap
/^static bool ptwalk_dump_grant\(/,/^}/s/^\tif \(!piece->grants .*/\tif (mmap_lock_is_contended(reader->walk.vma->vm_mm))\n\t\tmsleep(50);\n\tif (!piece->grants)/
