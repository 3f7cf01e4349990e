/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PTWALK_TEST_LAWS_SELFCHECK_H
#define PTWALK_TEST_LAWS_SELFCHECK_H

/*
 * Breaks each law by a change to a page that was fine, and the changes that an
 * operation may be allowed with and without that. NULL, or what went unnoticed.
 */
const char *laws_flaw(void);

#endif /* PTWALK_TEST_LAWS_SELFCHECK_H */
