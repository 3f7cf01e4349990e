/* SPDX-License-Identifier: GPL-2.0 */
/* Parses what users type: addresses, ranges, PIDs. Pure, no input or output. */
#ifndef PTWALK_BASE_PARSE_H
#define PTWALK_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct range - addresses from @start to @last, both inclusive
 *
 * Inclusive, so that the last page of the address space is no special case.
 */
struct range {
	uint64_t start, last;
};

/*
 * Each parser returns NULL when it took all of @s, or else a reason to be
 * printed behind the text at fault, such as "trailing garbage". What it would
 * have stored is then left alone.
 */

/* Hexadecimal, with or without 0x, up to 64 bits; no sign, no blanks. */
const char *parse_hex(const char *s, uint64_t *value);

/* Decimal, for option arguments; at most @max. */
const char *parse_decimal(const char *s, uint64_t max, uint64_t *value);

/* A number of bytes: decimal, 0x and hexadecimal, or decimal with K, M, G or T. */
const char *parse_size(const char *s, uint64_t *bytes);

/*
 * START-END (END exclusive, as in /proc/PID/maps) or START+LENGTH. LENGTH is
 * hexadecimal, too, unless it has a unit: 64K.
 */
const char *parse_range(const char *s, struct range *range);

/* The same, or ADDR alone, which is a range of that byte: @single. */
const char *parse_range_or_address(const char *s, struct range *range, bool *single);

/* A number, or "self" for the caller. */
const char *parse_pid(const char *s, pid_t *pid);

/*
 * Whether @s names a mapping rather than an address: [heap], /a/path,
 * anon_inode:[x], busybox. What begins with a digit or a sign never does, nor
 * what has only the characters of a hexadecimal range.
 */
bool parse_is_name(const char *s);

/* Whether the first @length bytes of @s, which have no NUL, are @word. */
bool parse_is_word(const char *s, size_t length, const char *word);

/* How many letters are wrong, missing or too many in @a if @b was meant. */
unsigned int parse_distance(const char *a, const char *b);

/*
 * Of two names, of which @best can be NULL, the one that was rather meant with @word;
 * @name only if few letters are wrong.
 */
const char *parse_nearer(const char *word, const char *name, const char *best);

#endif /* PTWALK_BASE_PARSE_H */
