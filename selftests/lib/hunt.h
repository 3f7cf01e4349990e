/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drawn sequences of operations on memory against a model of it
 * (Documentation/laws.md). The order of the files, each of which uses those before:
 * calls, model, truth, look, operations (memory, uffd, system), draw, episode, print.
 */
#ifndef PTWALK_TEST_HUNT_H
#define PTWALK_TEST_HUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hunt_calls.h"
#include "ptw.h"

/* Kinds of memory. hugetlb_other: pages of another size than the default, the last area. */
#define HUNT_KINDS(X)	X(anon) X(thp) X(large) X(low) X(droppable) X(shmem) X(private) \
			X(shmem_thp) X(hugetlb) X(hugetlb_shared) X(hugetlb_other)
#define HUNT_KIND(name)	KIND_##name,
enum hunt_kind { HUNT_KINDS(HUNT_KIND) NR_HUNT_KINDS };
extern const char *const hunt_kind_name[NR_HUNT_KINDS];

/* Of something that is so or not: what the model knows. */
enum { NO, YES, MAY };

#define ANONYMOUS	255	/* no file */
#define MISSING		1	/* modes of a registration */
#define PROTECT		2
#define MINOR		4

/**
 * struct hunt_page - what must be true of a page of an area
 * @mapped: There is a VMA.
 * @private: MAP_PRIVATE.
 * @prot: PROT_READ and so on.
 * @file: Number of the file, or ANONYMOUS.
 * @offset: Its page there.
 * @own: The page has contents of its own, @value, not those of the file or zeros,
 * @lazy: or may have lost them (MADV_FREE), or may not have got them yet.
 * @any: Nothing is known of the contents.
 * @droppable: MAP_DROPPABLE: may be lost at any time.
 * @locked: VM_LOCKED.
 * @registered: MISSING, PROTECT, MINOR: with the userfaultfd.
 * @wp: Is write-protected by it: NO, YES or MAY; those below likewise.
 * @dirty: Is soft-dirty.
 * @fresh: Its VMA is soft-dirty.
 * @unsaved: If it is present, the kernel must know that it was written to, by the entry
 *	or by the folio: its contents are nowhere else.
 * @guard: Has a guard.
 * @poison: Has the marker of UFFDIO_POISON.
 * @huge: Advice: 1 MADV_HUGEPAGE, 2 MADV_NOHUGEPAGE.
 * @merge: MADV_MERGEABLE.
 * @wipe: MADV_WIPEONFORK.
 * @dont_fork: MADV_DONTFORK.
 * @dont_dump: MADV_DONTDUMP.
 * @key: Protection key.
 */
struct hunt_page {
	bool mapped, private, own, lazy, any, droppable, locked, merge, wipe, dont_fork, dont_dump;
	bool fresh, unsaved;
	uint8_t prot, file, registered, wp, dirty, guard, poison, huge, key;
	uint32_t offset;
	word value;
};

/**
 * struct hunt_area - addresses for memory of one kind
 * @kind: Which.
 * @start: First address.
 * @unit: Size of a page.
 * @nr: How many pages.
 * @page: They.
 */
struct hunt_area {
	enum hunt_kind kind;
	word start, unit, nr;
	struct hunt_page *page;
};

/* Two of each kind, but for low and hugetlb_other. */
#define HUNT_AREAS	(2 * NR_HUNT_KINDS - 2)
#define HUNT_FILES	3
#define HUNT_STEPS	64

/**
 * struct hunt_step - an operation, with all that it needs: it can be done again
 * @operation: Index of hunt_operations[].
 * @area: To pages of this area,
 * @first: from this one on,
 * @count: so many.
 * @short_by: Bytes that the length is less than that, below a page.
 * @to: Another area, and
 * @to_first: a page there.
 * @argument: What else it takes.
 */
struct hunt_step {
	uint16_t operation, area, to, short_by;
	uint32_t first, count, to_first, argument;
};

/**
 * struct hunt_finding - what was found
 * @law: Which law does not hold.
 * @text: Of what page, and how.
 * @step: After which step, or NR_HUNT_STEPS at the end.
 */
struct hunt_finding {
	char law[32], text[480];
	int step;
};

/**
 * struct hunt_world - the model
 * @area: Memory.
 * @content: What the pages of the files contain, and
 * @file_pages: how many there are.
 * @asynchronous: The userfaultfd ends a protection itself (UFFD_FEATURE_WP_ASYNC).
 * @unpopulated: It protects what isn't there, too.
 * @shared_writes: Shared memory was registered: see shared_is_untracked(), and
 * @merged: a VMA that was soft-dirty was merged with one that wasn't: likewise.
 * @can_swap: There is a swap area.
 * @sees: The module ptwalk shows the entries.
 * @tracks: The kernel has soft-dirty bits.
 * @nodes: Of memory.
 * @other_size: Of hugetlb pages of another size than the default, or 0 if there are none.
 * @tag: What was last written.
 * @base: VmSize, VmData, VmLck and HugetlbPages, in kB, without any area.
 * @child: This is a child that an operation has made.
 * @merges: KSM may merge all private memory (PR_SET_MEMORY_MERGE).
 */
struct hunt_world {
	struct hunt_area area[HUNT_AREAS];
	word *content[HUNT_FILES];
	word file_pages[HUNT_FILES];
	bool asynchronous, unpopulated, shared_writes, merged, can_swap, sees, tracks, child, merges;
	int nodes;
	word tag, other_size;
	long base[4];
};

extern struct hunt_world world;

/* hunt_model.c */
void hunt_world_make(void);
bool is_huge(const struct hunt_area *a);
bool is_tight(const struct hunt_area *a);
word base_of(const struct hunt_page *p);
bool may_contain(const struct hunt_page *p, word value);
bool surely_there(const struct hunt_page *p);
void page_written(struct hunt_area *a, word i, word value);
void page_copied(struct hunt_page *p);
void written_beside(struct hunt_area *a, const struct hunt_page *p);
void file_saved(int number);
void page_discarded(struct hunt_page *p);
void page_either(struct hunt_page *p, const struct hunt_page *before);
void page_disturbed(struct hunt_page *p);
void entries_may_go(void);
void vmas_change(struct hunt_area *a);
void vmas_merge(struct hunt_area *a);
bool kernel_is_since(unsigned int major, unsigned int minor);
bool shared_is_untracked(void);
word page_at(const struct hunt_area *a, word i);

/* hunt_truth.c: the entries against the model, with the module */
void hunt_truth_begin(void);
void look_at_truth(const struct hunt_area *a);
void look_at_all_truth(void);

/* hunt_look.c: what the kernel shows against the model */
void hunt_tell(const char *law, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
void hunt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hunt_say_call(const char *name, int nr, const word *arguments);
extern int hunt_program_fd;
const char *page_text(const struct hunt_area *a, word i);
/* What an entry says: the later, the rarer. */
enum hunt_entry { ENTRY_HOLE, ENTRY_PRESENT, ENTRY_HUGE, ENTRY_WP_ABSENT, ENTRY_SWAPPED, ENTRY_WP,
		  ENTRY_WP_HUGE, ENTRY_GUARD, NR_HUNT_ENTRIES };
enum hunt_entry entry_state(word start);
void look_at_entries(const struct hunt_area *a);
bool any_is_mapped(const struct hunt_area *a);
void look_at_all_entries(void);
void look_at_counters(void);
void look_at_mappings(void);
void look_at_contents(const struct hunt_area *a, word first, word count, word way);
void look_at_all_contents(void);
void look_by_command(void);

/* A call that the printed program has, too. */
#define DO(call, ...) ({							\
	const word arguments_[] = { __VA_ARGS__ };				\
										\
	hunt_say_call(#call, sizeof(arguments_) / sizeof(word), arguments_);	\
	call(__VA_ARGS__);							\
})

/* What pages an operation is drawn for. */
enum hunt_state { ANYWHERE, UNMAPPED, MAPPED, ANON_MAPPED, WRITTEN, REGISTERED, EMPTY_REGISTERED,
		  MINOR_REGISTERED, MERGEABLE, GUARDED, OF_FILE };

/**
 * struct hunt_operation - something that changes memory
 * @name: What it is called.
 * @operate: Does a step, and what follows in the model; returns 0, or not if refused.
 * @weight: How often it is drawn.
 * @wants: For pages in which state.
 * @instead: Which operation is done first if there are none, by name.
 * @uniform: All pages are of one VMA.
 * @what: The behaviour of madvise(), or a variant of @operate.
 * @kernel: The words of the kernel's headers that it covers.
 * @source: Who says what must follow.
 */
struct hunt_operation {
	const char *name;
	int (*operate)(const struct hunt_operation *o, const struct hunt_step *s);
	uint8_t weight;
	enum hunt_state wants;
	const char *instead;
	bool uniform;
	uint8_t what;
	const char *kernel, *source;
};

extern const struct hunt_operation hunt_operations[];
extern const int nr_hunt_operations;
int hunt_operation_named(const char *name);
struct hunt_area *step_area(const struct hunt_step *s);
word step_start(const struct hunt_step *s);
word step_length(const struct hunt_step *s);

#define RUN(name) int name(const struct hunt_operation *o, const struct hunt_step *s)

/* hunt_memory.c */
RUN(run_mmap); RUN(run_munmap); RUN(run_mprotect); RUN(run_pkey); RUN(run_mremap);
RUN(run_shrink); RUN(run_grow); RUN(run_advise); RUN(run_mlock); RUN(run_munlock);
RUN(run_mlockall); RUN(run_write); RUN(run_read);
word drawn_prot(const struct hunt_step *s);
/* hunt_uffd.c */
RUN(run_register); RUN(run_unregister); RUN(run_close); RUN(run_protect); RUN(run_copy);
RUN(run_zeropage); RUN(run_continue); RUN(run_uffd_move); RUN(run_poison); RUN(run_scan);
void look_at_scan_end(const struct hunt_step *s);
/* hunt_system.c */
RUN(run_clear_refs); RUN(run_swapoff); RUN(run_migrate); RUN(run_compact); RUN(run_split);
RUN(run_ksm); RUN(run_migrate_all); RUN(run_merge_any); RUN(run_reclaim); RUN(run_fork);
RUN(run_punch); RUN(run_truncate);
bool store_page(struct hunt_area *a, word i, word value, word way);
bool touch_page(const struct hunt_area *a, word i, word way, const char *who);

/* hunt_draw.c */
u64 hunt_random(void);
void hunt_seed(u64 seed);
void hunt_draw_episode(unsigned int kinds);
bool hunt_draw(struct hunt_step *s, const struct hunt_step *last);
bool fits_state(const struct hunt_page *p, enum hunt_state state);
bool same_vma(const struct hunt_page *p, const struct hunt_page *q, word apart);

/**
 * struct hunt_shared - what an episode's process tells
 * @finding: What was found; its law is empty if nothing.
 * @step: What was done, @nr so many.
 * @at: The step that is being done.
 * @tried: By operation, kind of memory and state of the entry: how often,
 * @done: and how often not in vain.
 * @operations: All that were tried.
 * @lacks: hunt_spoil() couldn't.
 * @seed: Of the episode.
 */
#define HUNT_OPERATIONS	80
struct hunt_shared {
	struct hunt_finding finding;
	struct hunt_step step[HUNT_STEPS + 1];
	int nr, at;
	unsigned int tried[HUNT_OPERATIONS][NR_HUNT_KINDS][NR_HUNT_ENTRIES];
	unsigned int done[HUNT_OPERATIONS][NR_HUNT_KINDS][NR_HUNT_ENTRIES];
	unsigned long operations;
	bool lacks;
	u64 seed;
};
extern struct hunt_shared *shared;

/* hunt_episode.c; hunt_spoil is called before the last look at what is done again */
extern void (*hunt_spoil)(void);
/* Compares all that the kernel shows of a process, or NULL: --check */
extern const char *hunt_check;
bool hunt_is_complaint(const char *line);
void hunt_begin(void);
void hunt_end(void);
bool hunt_episode(u64 seed, int steps, unsigned int kinds);
bool hunt_replay(const struct hunt_step *steps, int nr);
int hunt_shrink(struct hunt_step *steps, int nr, const char *law);
/* hunt_print.c */
void hunt_print_steps(const struct hunt_step *steps, int nr);
void hunt_print_program(const char *path, const struct hunt_step *steps, int nr, const char *head);
void hunt_print_coverage(void);
/* hunt_selfcheck.c */
const char *hunt_flaw(void);
/* Programs that tell of each law, as if it were broken. */
void hunt_print_examples(void);

#endif /* PTWALK_TEST_HUNT_H */
