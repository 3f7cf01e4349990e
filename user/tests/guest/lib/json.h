/* SPDX-License-Identifier: GPL-2.0 */
/* Checks the members of --json lines and their types. */
#ifndef PTWALK_TEST_JSON_H
#define PTWALK_TEST_JSON_H

#include <stddef.h>

/*
 * What a line has: "pid:n name:s? vma:o0" are members with their types, n for
 * a number, s a string, x a string such as "0x12", b true or false, a an array,
 * o an object, * any; 0 behind it allows null, and ? that it isn't there.
 */
struct json_lines {
	const char *command, *type, *members;
};

/*
 * NULL if @line is one JSON object in ASCII that is as the one of @lines for
 * its member "type" says. Addresses anywhere in it are x, and pid is n.
 * Otherwise what is wrong, until the next call.
 */
const char *json_check(const char *line, const char *command,
		       const struct json_lines *lines, size_t nr);

/*
 * What is wrong with the lines of @text, which it cuts: each must be as user/json.lines has
 * it for @command, and there must be so many; or NULL.
 */
const char *json_wrong(char *text, const char *command, size_t wanted);

#endif /* PTWALK_TEST_JSON_H */
