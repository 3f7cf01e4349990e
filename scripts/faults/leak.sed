# SPDX-License-Identifier: GPL-2.0
#
# A translation whose memory is never given back.
#
# file: kmod/translate.c
# run: for i in 1 2 3 4; do ptwalk translate self 0; done; sleep 1
# complaint: unreferenced object
/^static void ptwalk_batch_free/,/^}/s/kfree\(batch->out\);/;/
