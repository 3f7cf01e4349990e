# SPDX-License-Identifier: GPL-2.0
#
# A count of requests that several processes change at a time.
#
# kernel: races
# file: kmod/family.c
# run: for i in 1 2 3 4; do timeout 60 sh -c 'while ptwalk dump 1; do :; done' >/dev/null & done; wait
# complaint: BUG: KCSAN: data-race in ptwalk_may_ask
s/^\tstruct sock \*sk = NETLINK_CB.*/&\n\tstatic unsigned long asked;\n\n\tfor (int i = 0; i < 10000; i++) {\n\t\tasked++;\n\t\tbarrier();\n\t}/
