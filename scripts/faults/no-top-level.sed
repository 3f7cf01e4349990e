# SPDX-License-Identifier: GPL-2.0
#
# A translation without the entry of the top level.
#
# kernel: 6.12
# file: kmod/translate.c
# run: /selftests/run mapping.anon_written.truth
# fails: anon_written.truth
s/(level = reader.walk.entry_level; level < PTWALK_LEVELS)/\1 - 1/
