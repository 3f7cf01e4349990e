# SPDX-License-Identifier: GPL-2.0
#
# A walk that goes on behind the end of a PTE table, into whatever is there: far
# enough, without the budget, to meet a page that is free.
#
# file: kmod/walk.c
# run: (echo; sleep 60) | dd bs=256M of=/dev/null & until [ "$(cut -d " " -f 1 /proc/$!/statm)" -gt 65536 ]; do sleep 0.1; done; sleep 1; ptwalk dump $!
# complaint: KASAN: [a-z-]*(use-after-free|out-of-bounds)
/^static .* ptwalk_walk_pmd\(/,/^}/s/pmd_addr_end\(walk->addr, end\)/end/
/^static .* ptwalk_walk_ptes\(/,/^}/s/ && walk->budget\)/)/
