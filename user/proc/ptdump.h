/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own dump of its tables (CONFIG_PTDUMP_DEBUGFS), of x86 and arm64:
 * note_page() of arch/x86/mm/dump_pagetables.c and arch/arm64/mm/ptdump.c.
 */
#ifndef PTWALK_PROC_PTDUMP_H
#define PTWALK_PROC_PTDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct ptdump_run - a line: addresses with entries alike
 * @start: First address.
 * @last: Last address.
 * @level: Of the entries: 1 is that of PTEs.
 * @mapped: They are present; what follows is only of these.
 * @write, @exec, @user: What the entries allow, whatever tables above them do.
 * @index: x86: the memory type, as PAT, PCD and PWT make it.
 * @type: arm64: an enum ptwalk_memory_type; 0 on x86.
 */
struct ptdump_run {
	uint64_t start, last;
	unsigned int level;
	bool mapped, write, exec, user;
	unsigned int index, type;
};

/**
 * struct ptdump - the file; all zero is a valid empty one
 * @run: Its lines of the upper half of the addresses, ascending, with @nr. Between two
 *	lines nothing is mapped: one more says so, unless the kernel has left some out.
 * @left_out: Behind the last line, it has.
 * @why_not: Why it isn't read, or NULL.
 */
struct ptdump {
	struct ptdump_run *run;
	size_t nr, max;
	bool left_out;
	const char *why_not;
};

/*
 * Reads @stream to its end. Returns 0 or a negative errno: -EOPNOTSUPP for the columns of
 * another architecture.
 */
int ptdump_parse(FILE *stream, struct ptdump *dump);

/*
 * Reads the file; a kernel that has none, or has it with other columns, has an empty one.
 * Returns 0 or a negative errno with a message.
 */
int ptdump_read(struct ptdump *dump);
void ptdump_free(struct ptdump *dump);

#endif /* PTWALK_PROC_PTDUMP_H */
