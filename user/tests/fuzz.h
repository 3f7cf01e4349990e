/* SPDX-License-Identifier: GPL-2.0 */
/* The parsers of the command. */
#ifndef PTWALK_TESTS_FUZZ_H
#define PTWALK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct fuzz_parser - a parser
 * @name: Of the folder of its samples in tests/corpus; as $PARSER for libFuzzer.
 * @parse: Gives it @size bytes, and has what it made of them used as the
 *	command does. Returns 0 if they were accepted.
 * @read: Or gives it a text.
 */
struct fuzz_parser {
	const char *name;
	int (*parse)(const uint8_t *data, size_t size);
	int (*read)(FILE *stream);
};

extern const struct fuzz_parser fuzz_parsers[];	/* ends with no name */

const struct fuzz_parser *fuzz_parser_of(const char *name);

int fuzz_parse(const struct fuzz_parser *parser, const uint8_t *data, size_t size);

#endif /* PTWALK_TESTS_FUZZ_H */
