/* SPDX-License-Identifier: GPL-2.0 */
/* File names with odd bytes, as they are printed and as users type them. */
#ifndef PTWALK_BASE_ESCAPE_H
#define PTWALK_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints @text; control characters and what is no UTF-8 as \ooo. */
void escape_print(FILE *to, const char *text);

/* Prints @name as /proc/PID/maps does: newlines alone as \012. */
void escape_newlines(FILE *to, const char *name);

/* As escape_print(), a string to be freed; NULL without memory. */
char *escape_text(const char *text);

/*
 * Whether @arg is @name, each character of it either as it is or escaped:
 * /proc/PID/maps escapes newlines only.
 */
bool escape_is(const char *name, const char *arg);

/* The same of the first @bytes bytes of @name. */
bool escape_is_part(const char *name, size_t bytes, const char *arg);

/* Bytes of the character at @text in UTF-8, which is @character; 0 if it is none. */
size_t utf8_character(const char *text, uint32_t *character);

/* Whether terminals take it for a command, or show something else than there is. */
bool utf8_is_control(uint32_t character);

#endif /* PTWALK_BASE_ESCAPE_H */
