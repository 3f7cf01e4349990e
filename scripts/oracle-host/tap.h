/* SPDX-License-Identifier: GPL-2.0 */
/* Results of tests, in TAP, which are kept until they are wanted. */
#ifndef ORACLE_TAP_H
#define ORACLE_TAP_H

#include <stdbool.h>

/* Forgets what there was. */
void tap_begin(void);
void tap_result(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A comment, a line. */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether all was good until now. */
bool tap_good(void);
/* Prints all of it, and the plan. */
void tap_print(void);

#endif /* ORACLE_TAP_H */
