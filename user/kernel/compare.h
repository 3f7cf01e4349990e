/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own tables against what it says of them. Pure: what was read comes
 * in, findings come out.
 */
#ifndef PTWALK_KERNEL_COMPARE_H
#define PTWALK_KERNEL_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proc/area_frames.h"
#include "proc/directmap.h"
#include "proc/iomem.h"
#include "proc/kcore.h"
#include "proc/kernel_tables.h"
#include "proc/memtype_list.h"
#include "proc/module_sections.h"
#include "proc/ptdump.h"
#include "proc/vmalloc_used.h"
#include "proc/vmallocinfo.h"

/**
 * struct kernel_facts - what was read
 * @tables: The tables.
 * @before: What the kernel listed of vmalloc() and its like before they were read.
 * @areas: What it lists of that afterwards. What is in one of the two alone may own
 *	what is mapped, and is nothing to compare with.
 * @frames: What the frames are that these map.
 * @directmap: What it says of the direct mapping.
 * @used: What it says that vmalloc() has taken, and how much that is by its areas.
 * @sections: Where modules have their sections, by what it said before the tables were
 *	read; @sections_after: afterwards.
 * @iomem: What is RAM.
 * @kcore: What /proc/kcore has by physical address; no segments if it can't be read,
 *	and @kcore_why_not says why.
 * @memtypes: Memory types that it has given out, on x86.
 * @ptdump: Its own dump of the tables, on the few kernels that have it.
 * @tables_after: The tables once more, behind that dump: only what is the same in both is
 *	compared with it.
 */
struct kernel_facts {
	struct kernel_tables tables;
	struct vmallocinfo before, areas;
	struct area_frames frames;
	struct directmap directmap;
	struct vmalloc_used used;
	struct module_sections sections, sections_after;
	struct iomem iomem;
	struct kcore kcore;
	const char *kcore_why_not;
	struct memtype_list memtypes;
	struct ptdump ptdump;
	struct kernel_tables tables_after;
};

/**
 * struct kernel_finding - something that isn't as it should be
 * @rule: What is broken; the manual page has a list.
 * @start: First address.
 * @bytes: Length.
 * @more: By how much a figure is too large; of frames of an area, the first of them that
 *	isn't as it should be; of an entry unlike the dump's, where it leads to; of
 *	memory with two addresses, the other one; of other findings 0.
 * @page: The address of that frame; of other findings 0.
 * @known: It is a known bug of the kernel.
 * @text: In words.
 */
struct kernel_finding {
	const char *rule;
	uint64_t start, bytes, more, page;
	bool known;
	char text[320];
};

/**
 * struct kernel_findings - what was found, and in how much
 * @finding: What was found, with @nr.
 * @areas: Areas that were compared.
 * @sizes: Lines of meminfo that were.
 * @dumped: Lines of the kernel's dump with mappings that were.
 * @segments: Segments of /proc/kcore that were.
 * @sections: Sections of modules that were.
 * @memtypes: Lines of the list of memory types that were.
 * @extents: Extents that were looked at.
 * @frames: Pages that areas map, and whose frames were looked at.
 * @unread: Bytes whose tables couldn't be read, or didn't hold still.
 * @by_design: Bytes of DMA memory that has a type of its own.
 * @no_memory: There was none for a finding.
 */
struct kernel_findings {
	struct kernel_finding *finding;
	size_t nr, max;
	uint64_t areas, sizes, dumped, segments, sections, memtypes, extents, frames, unread;
	uint64_t by_design;
	bool no_memory;
};

/* Each area has the pages that its line says, and no others are mapped. */
void kernel_compare_areas(const struct kernel_facts *facts,
			  struct kernel_findings *findings);

/* The sizes of the direct mapping are those of its leaves. */
void kernel_compare_directmap(const struct kernel_facts *facts,
			      struct kernel_findings *findings);

/* What vmalloc() has taken is what its areas have. */
void kernel_compare_used(const struct kernel_facts *facts, struct kernel_findings *findings);

/* Code of modules can be executed alone, and their constants can't be written to. */
void kernel_compare_modules(const struct kernel_facts *facts,
			    struct kernel_findings *findings);

/* What is mapped where /proc/kcore has memory is at the physical address that it says. */
void kernel_compare_kcore(const struct kernel_facts *facts,
			  struct kernel_findings *findings);

/* What areas map of devices has the memory type that was given out for it. */
void kernel_compare_memtypes(const struct kernel_facts *facts,
			     struct kernel_findings *findings);

/* Each address has what the kernel's own dump says: level, rights and memory type. */
void kernel_compare_ptdump(const struct kernel_facts *facts,
			   struct kernel_findings *findings);

/* Nothing can be written and executed, nor be reached by processes. */
void kernel_lint_rights(const struct kernel_facts *facts,
			struct kernel_findings *findings);

/* No memory is mapped with two memory types, nor is code writable elsewhere. */
void kernel_lint_aliases(const struct kernel_facts *facts,
			 struct kernel_findings *findings);

/* No area maps a page that was freed, nor ioremap() memory. */
void kernel_lint_areas(const struct kernel_facts *facts,
		       struct kernel_findings *findings);

/* What could not be looked at. */
void kernel_count_unread(const struct kernel_facts *facts,
			 struct kernel_findings *findings);

/* Keeps findings that @again has, too: of the same rule at the same place, and frame. */
void kernel_findings_keep(struct kernel_findings *findings,
			  const struct kernel_findings *again);
void kernel_findings_free(struct kernel_findings *findings);

#endif /* PTWALK_KERNEL_COMPARE_H */
