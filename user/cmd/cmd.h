/* SPDX-License-Identifier: GPL-2.0 */
/* The commands, and what they share. */
#ifndef PTWALK_CMD_CMD_H
#define PTWALK_CMD_CMD_H

#include "base/exit_status.h"

/**
 * struct cmd - a command of ptwalk
 * @name: As typed.
 * @args: Synopsis of its arguments, for the help.
 * @help: One line.
 * @options: Its options, a line each, indented; "" if it has none.
 * @run: Handler; argv[0] is the command's name. Returns the exit status,
 *	or a negative errno, see base/error.h.
 * @more: Prints the rest of the help, or NULL.
 */
struct cmd {
	const char *name;
	const char *args;
	const char *help;
	const char *options;
	int (*run)(int argc, char **argv);
	void (*more)(void);
};

int cmd_translate(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_check(int argc, char **argv);
void cmd_check_sources(void);
int cmd_pagemap(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_frame(int argc, char **argv);
int cmd_share(int argc, char **argv);
int cmd_rss(int argc, char **argv);
int cmd_iova(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_huge(int argc, char **argv);
int cmd_dirty(int argc, char **argv);
int cmd_pins(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_kernel(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_info(int argc, char **argv);

#endif /* PTWALK_CMD_CMD_H */
