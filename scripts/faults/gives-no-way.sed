# SPDX-License-Identifier: GPL-2.0
#
# A walk that keeps the mmap lock though somebody waits for it, 50 ms each time.
#
# kernel: 6.12
# file: kmod/walk.c
# run: /selftests/latency
# fails: latency.no_worse_than_pagemap
s/^#include <linux\/fs.h>/#include <linux\/delay.h>\n&/
s/^\t\tenum ptwalk_step outcome = ptwalk_walk_pgd\(walk\);/&\n\n\t\tif (mmap_lock_is_contended(walk->vma->vm_mm))\n\t\t\tmsleep(50);/
