# SPDX-License-Identifier: GPL-2.0
#
# A request that queues for the mmap lock while generic netlink holds cb_lock.
#
# kernel: 6.12
# file: kmod/target.c
# run: /selftests/busy -r busy.families_can_be_registered
# fails: busy.families_can_be_registered
s/if \(target->queue\)/if (true)/
