# SPDX-License-Identifier: GPL-2.0
#
# More PTEs than the array that collects them has room for.
#
# file: kmod/walk.c
# run: (echo; sleep 60) | dd bs=256M of=/dev/null & until [ "$(cut -d " " -f 1 /proc/$!/statm)" -gt 65536 ]; do sleep 0.1; done; sleep 1; ptwalk dump $!
# complaint: UBSAN: array-index-out-of-bounds|KASAN: stack-out-of-bounds
/^static .* ptwalk_walk_copy\(/,/^}/s/for \(; from < end; from\+\+\)/for (; from < end + 2; from++)/
