/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What "ptwalk explain" explains besides the rules: findings about a mapping
 * itself, not about an interface that shows it.
 */
#ifndef PTWALK_CMD_TOPICS_H
#define PTWALK_CMD_TOPICS_H

/**
 * struct topic - a kind of finding
 * @name: As in reports.
 * @source: Who finds it.
 * @what: What it means, for the author of a driver.
 * @decided_by: Where in the kernel that is decided.
 * @kind: What it is, in words; NULL: a mismatch.
 */
struct topic {
	const char *name;
	const char *source;
	const char *what;
	const char *decided_by;
	const char *kind;
};

extern const struct topic topics[];
extern const unsigned int nr_topics;

#endif /* PTWALK_CMD_TOPICS_H */
