# SPDX-License-Identifier: GPL-2.0
#
# A dump whose memory is never given back.
#
# file: kmod/dump.c
# run: for i in 1 2 3 4; do ptwalk dump self; done; sleep 1
# complaint: unreferenced object
/^int ptwalk_nl_walk_done/,/^}/s/kfree\(dump\);/;/
