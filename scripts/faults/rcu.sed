# SPDX-License-Identifier: GPL-2.0
#
# A PTE table that is left without the end of its RCU read-side section.
#
# file: kmod/walk.c
# run: ptwalk dump self
# complaint: lock held when returning to user space|context switch within RCU|RCU nest depth: 1
/^static .* ptwalk_walk_ptes\(/,/^}/s/rcu_read_unlock\(\);/;/
