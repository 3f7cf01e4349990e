/* SPDX-License-Identifier: GPL-2.0 */
/* Names of what the protocol and the kernel's interfaces number. Pure. */
#ifndef PTWALK_LIB_NAMES_H
#define PTWALK_LIB_NAMES_H

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

extern const struct names names_kind;		/* enum ptwalk_kind */
extern const struct names names_level;		/* enum ptwalk_level */
extern const struct names names_flag;		/* enum ptwalk_flag */
extern const struct names names_page_flag;	/* enum ptwalk_page_flag */
extern const struct names names_marker;		/* enum ptwalk_marker */
extern const struct names names_vma_flag;	/* enum ptwalk_vma_flag */
extern const struct names names_feature;	/* enum ptwalk_feature */
extern const struct names names_memory_type;	/* enum ptwalk_memory_type */
extern const struct names names_domain;		/* enum ptwalk_domain */
extern const struct names names_device_flag;	/* enum ptwalk_device_flag */

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

#endif /* PTWALK_LIB_NAMES_H */
