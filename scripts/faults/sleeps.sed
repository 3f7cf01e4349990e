# SPDX-License-Identifier: GPL-2.0
#
# An allocation that may sleep, under a page-table lock.
#
# file: kmod/walk.c
# run: ptwalk dump self
# complaint: sleeping function called from invalid context
/^static .* ptwalk_walk_ptes\(/,/^}/s/spin_lock\(ptl\);/spin_lock(ptl); kfree(kmalloc(64, GFP_KERNEL));/
