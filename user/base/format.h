/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes and ranges as text. Pure. */
#ifndef PTWALK_BASE_FORMAT_H
#define PTWALK_BASE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define FORMAT_SIZE	24
#define FORMAT_RANGE	48

/* What ends the word for @nr things: "" or "s". */
const char *plural(uint64_t nr);

/* "4K", "2M", "1G"; bytes that make no round number stay a number. */
const char *format_size(uint64_t bytes, char buf[FORMAT_SIZE]);

/* For --human: "4K" of exactly that many, else rounded: "4.0K", "1.5M", "312M". */
const char *format_human(uint64_t bytes, char buf[FORMAT_SIZE]);

/* So many units of 1 << @shift bytes: as a number, or with --human how much that is. */
const char *format_amount(uint64_t nr, unsigned int shift, bool human,
			  char buf[FORMAT_SIZE]);

/* How many columns numbers up to @most take, and at least @least. */
int format_columns(uint64_t most, int least);

/* "0xSTART-0xEND", END exclusive, as a RANGE of the command line is. */
const char *format_range(uint64_t start, uint64_t last, char buf[FORMAT_RANGE]);

#endif /* PTWALK_BASE_FORMAT_H */
