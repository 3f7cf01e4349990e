# SPDX-License-Identifier: GPL-2.0
#
# A dump that goes on one page too late after a full buffer.
#
# kernel: 6.12
# file: kmod/dump.c
# run: /selftests/vanish -r vanish.undisturbed
# fails: vanish.undisturbed
/^static int ptwalk_dump_vma\(/,/^}/s/dump->addr = reader->walk.addr;/dump->addr = reader->walk.addr + (reader->walk.addr < end ? PAGE_SIZE : 0);/
