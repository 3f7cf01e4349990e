/* SPDX-License-Identifier: GPL-2.0 */
/* Whose memory a command looks at, as its command line says. */
#ifndef PTWALK_PROC_SUBJECT_H
#define PTWALK_PROC_SUBJECT_H

#include <stdbool.h>
#include <sys/types.h>
#include "proc/maps.h"
#include "proc/selfmap.h"

struct ptwalk;

/**
 * struct subject - whose memory a command looks at
 * @pid: The process.
 * @map: Of --map, into ptwalk itself; all zero without.
 * @touch: --touch was given.
 */
struct subject {
	pid_t pid;
	struct selfmap map;
	bool touch;
};

/* Each that can fail returns 0 or a negative errno, see base/error.h. */

/* Takes the argument of --map. */
int subject_take_map(struct subject *subject, const char *spec);

/* Without arguments of the command line, --map makes one: self. */
void subject_args(const struct subject *subject, char ***args, int *nr);

/*
 * Takes the argument PID (NULL if there was none), sees that there is such a
 * process with memory to look at, and makes the mapping of --map.
 */
int subject_open(struct subject *subject, const char *pid);
void subject_close(struct subject *subject);

/*
 * The RANGEs @args of the subject, whose mappings @maps are, without overlaps;
 * if there is none, the mapping of --map, or else everything. A RANGE in which
 * nothing is mapped is refused like a name that no mapping has, unless @maps is NULL,
 * which it can be if no RANGE is a name.
 */
int subject_ranges(const struct subject *subject, const struct maps *maps,
		   char **args, int nr, struct ranges *ranges);

/* Refuses RANGEs that are addresses of the kernel, of whatever process. */
int subject_refuse(char **args, int nr);

/* maps_read() of the subject, or -EBUSY where that would wait; see truth_busy(). */
int subject_maps(const struct subject *subject, struct ptwalk *client,
		 struct maps *maps);

#endif /* PTWALK_PROC_SUBJECT_H */
