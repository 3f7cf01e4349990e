/* SPDX-License-Identifier: GPL-2.0 */
/* What two readings differ in, as text and as JSON, for watch and diff. */
#ifndef PTWALK_REPORT_CHANGES_H
#define PTWALK_REPORT_CHANGES_H

#include "lint/lints.h"
#include "watch/changes.h"
#include "watch/vmas.h"

/**
 * struct changes_report - how changes are told
 * @info: The kernel that the readings are of.
 * @json: As JSON.
 * @verbose: With what the first page was, and what it is.
 * @recorded: The readings are of recordings, which don't have all of a VMA.
 * @typed: The kernel's own: with memory types, whether they changed or not.
 * @title: A line for above the next text, or NULL.
 * @about: Tells members that each object has, with @about_arg, or NULL.
 * @pages: Pages that changed, by kind.
 * @vmas: VMAs that did, by word.
 */
struct changes_report {
	const struct ptwalk_kernel *info;
	bool json, verbose, recorded, typed;
	const char *title;
	void (*about)(void *arg);
	void *about_arg;
	uint64_t pages[NR_CHANGES];
	uint64_t vmas[NR_VMA_WORDS];
};

/* Prints and counts a change; @name is the mapping's, "" for none. */
void changes_print(struct changes_report *r, const struct change *change,
		   const char *name);

/*
 * Prints and counts what became of VMAs; @name gives the name of one of the later
 * reading, or of the earlier one, "" for none.
 */
void changes_print_vma(struct changes_report *r, const struct vma_change *change,
		       const char *(*name)(const struct ptwalk_vma *vma, bool later,
					   void *arg),
		       void *arg);

/* "1 VMA new, 0 gone, 1 grew", without an end. */
void changes_print_vma_sums(const struct changes_report *r);
/* A member for each that there was; those that are new or gone always. */
void changes_vma_sums_json(const struct changes_report *r);

/* Prints what was found of the laws. */
void changes_print_broken(struct changes_report *r, const struct lint_finding *f,
			  const char *name);

/* All pages that changed: "pages changed: 3 moved, 1 written", without an end. */
void changes_print_sums(const struct changes_report *r);
/* The members of an object: a number for each kind that there was. */
void changes_sums_json(const struct changes_report *r);

#endif /* PTWALK_REPORT_CHANGES_H */
