# SPDX-License-Identifier: GPL-2.0
#
# One PTE more than the array that collects them has room for.
#
# file: kmod/walk.c
# run: (echo; sleep 60) | dd bs=256M of=/dev/null & sleep 3; ptwalk dump $!
# complaint: UBSAN: array-index-out-of-bounds|KASAN: stack-out-of-bounds
s/for \(i = 0; i < nr; i\+\+\)/for (i = 0; i <= nr; i++)/
