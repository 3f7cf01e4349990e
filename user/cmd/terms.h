/* SPDX-License-Identifier: GPL-2.0 */
/* What the names of flags, kinds and memory types mean: ptwalk-flags(7). */
#ifndef PTWALK_CMD_TERMS_H
#define PTWALK_CMD_TERMS_H

/**
 * struct term - a name and what it means
 * @name: As in lib/names.h.
 * @kernel: What the kernel calls it, such as VM_PFNMAP; "" if it has no name.
 * @list: Of what it is one, such as "Flags of entries".
 * @what: In a few sentences.
 */
struct term {
	const char *name, *kernel, *list, *what;
};

extern const struct term terms[];
extern const unsigned int nr_terms;

#endif /* PTWALK_CMD_TERMS_H */
