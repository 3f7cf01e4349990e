/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An interface of the kernel under test, or anything else that claims to know
 * a process's memory. A new one is a file with these verbs and a line in
 * sources[]; nothing else changes.
 */
#ifndef PTWALK_SOURCE_H
#define PTWALK_SOURCE_H

#include <jansson.h>
#include "compare.h"

struct source_file;

/**
 * struct source - an interface
 * @name: As in --source and in reports.
 * @help: One line.
 * @probe: Whether it can be used at all: NULL, or what is missing.
 * @open: For one process. 0 or a negative errno.
 * @read: Fills @values with one value a page from @addr on. @truth has the
 *	extents of these pages, for interfaces that are indexed by frame.
 *	Returns how many pages it got, fewer if the interface ends, or a
 *	negative errno.
 * @close: Of what @open opened.
 * @limit: What the interface hides from us, or NULL; sets it in @env, too.
 * @expect: Pure: what the documentation says that the interface shows.
 * @text: A value in words. Pure.
 * @json: A value as an object. Pure.
 */
struct source {
	const char *name;
	const char *help;
	const char *(*probe)(void);
	int (*open)(pid_t pid, struct source_file **file);
	ssize_t (*read)(struct source_file *file, const struct truth *truth,
			uint64_t addr, size_t pages, uint64_t *values);
	void (*close)(struct source_file *file);
	const char *(*limit)(struct env *env);
	void (*expect)(const struct env *env, const struct page_truth *truth,
		       struct expectation *out);
	void (*text)(const struct env *env, uint64_t addr, uint64_t value,
		     char *buf, size_t size);
	json_t *(*json)(const struct env *env, uint64_t addr, uint64_t value);
};

#define SOURCE_TEXT_SIZE	192

extern const struct source *const sources[];	/* ends with NULL */

extern const struct source source_pagemap;
extern const struct source source_claims;	/* not in sources[] */

void expect_pagemap(const struct env *env, const struct page_truth *truth,
		    struct expectation *out);
void expect_claims(const struct env *env, const struct page_truth *truth,
		   struct expectation *out);

/* What a claim of "not mapped" is as a value. */
#define CLAIM_UNMAPPED	UINT64_MAX

#endif /* PTWALK_SOURCE_H */
