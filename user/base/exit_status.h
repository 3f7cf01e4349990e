/* SPDX-License-Identifier: GPL-2.0 */
/* Exit statuses, on which scripts rely. */
#ifndef PTWALK_BASE_EXIT_STATUS_H
#define PTWALK_BASE_EXIT_STATUS_H

enum {
	EXIT_MATCH = 0,		/* all compared pages match or are explained */
	EXIT_MISMATCH = 1,
	EXIT_USAGE = 2,		/* the command line is wrong */
	EXIT_UNCHECKED = 3,	/* no module, no permission, no such process */
	EXIT_UNSTABLE = 4,	/* pages that never held still */
	EXIT_COMMAND = 5,	/* nothing was found, but the command failed */
	EXIT_PIPE = 141,	/* nobody reads on: as if SIGPIPE had ended it */
};

#endif /* PTWALK_BASE_EXIT_STATUS_H */
