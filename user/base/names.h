/* SPDX-License-Identifier: GPL-2.0 */
/* Names of numbered things: the values of an enum, the bits of a mask. Pure. */
#ifndef PTWALK_BASE_NAMES_H
#define PTWALK_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct names - names by value (of an enum) or by bit number (of flags)
 * @name: May have holes.
 * @nr: Length of @name.
 */
struct names {
	const char *const *name;
	unsigned int nr;
};

#define NAME_SIZE	16

/*
 * The name of @value, or "value_N" written to @buf; "bit_N" with name_bit().
 */
const char *name_of(const struct names *names, unsigned int value,
		    char buf[NAME_SIZE]);
const char *name_bit(const struct names *names, unsigned int bit,
		     char buf[NAME_SIZE]);

/*
 * Writes the names of the bits of @mask, lowest first, with @separator
 * between them, and "-" for none. Always terminates @buf; returns the length
 * that was wanted, as snprintf() does.
 */
size_t names_mask(const struct names *names, uint64_t mask,
		  const char *separator, char *buf, size_t size);

#endif /* PTWALK_BASE_NAMES_H */
