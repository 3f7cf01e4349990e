# SPDX-License-Identifier: GPL-2.0
#
# A walk that goes on behind the end of a PTE table, into whatever is there.
#
# file: kmod/walk.c
# run: (echo; sleep 60) | dd bs=256M of=/dev/null & sleep 3; ptwalk dump $!
# complaint: KASAN: [a-z-]*(use-after-free|out-of-bounds)
/^static .* ptwalk_walk_pmd\(/,/^}/s/pmd_addr_end\(walk->addr, end\)/end/
