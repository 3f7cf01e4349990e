/* SPDX-License-Identifier: GPL-2.0 */
/* What is printed on stdout, and as JSON; that is parsed by libjansson, which it isn't made by. */
#ifndef PTWALK_TESTS_TOLD_H
#define PTWALK_TESTS_TOLD_H

#include <jansson.h>

/* What @print prints with @arg, terminated and to be freed. */
char *told_text(void (*print)(void *arg), void *arg);

/*
 * The members that @json tells with @arg between jsonw_begin(NULL) and jsonw_end(),
 * as an object to be dropped. Fails the test unless it is one line of ASCII.
 */
json_t *told_json(void (*json)(void *arg), void *arg);

#endif /* PTWALK_TESTS_TOLD_H */
