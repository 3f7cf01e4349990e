# SPDX-License-Identifier: GPL-2.0
#
# A piece of work that ends without letting go of the mmap lock.
#
# file: kmod/target.c
# run: ptwalk translate self 0 & sleep 3
# complaint: lock held when returning to user space
/^void ptwalk_target_unlock/,/^}/s/mmap_read_unlock\(/mmap_assert_locked(/
