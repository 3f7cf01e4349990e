# SPDX-License-Identifier: GPL-2.0
#
# What is known of PTEs, kept behind the array for it.
#
# file: kmod/entry.c
# run: ptwalk dump $$
# complaint: UBSAN: array-index-out-of-bounds|KASAN: stack-out-of-bounds
/^static .* \*ptwalk_entry_know\(/,/^}/s/(reader->decoded % PTWALK_KNOWN)\]/\1 + 5]/
