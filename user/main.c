// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <linux/ptwalk.h>
#include "cmd.h"
#include "out.h"

#define VERSION	"0.1"

static int cmd_help(int argc, char **argv);

static const struct cmd commands[] = {
	{ "translate", "PID ADDR...",
	  "the physical address of each virtual address", cmd_translate },
	{ "dump", "PID [RANGE...]",
	  "the whole translation as extents", cmd_dump },
	{ "check", "PID...|--all [RANGE...]",
	  "truth against the kernel's interfaces", cmd_check },
	{ "pagemap", "PID [RANGE...]",
	  "pagemap decoded; works without the module", cmd_pagemap },
	{ "decode", "ENTRY...",
	  "raw pagemap values decoded, of either format", cmd_decode },
	{ "frame", "PFN...",
	  "what a physical page is, and who maps it", cmd_frame },
	{ "share", "PID PID...",
	  "which frames processes share, which have parted", cmd_share },
	{ "rss", "PID...",
	  "pages counted by kind, reconciled with the kernel's sums", cmd_rss },
	{ "iova", "DEVICE [RANGE...]",
	  "what a device's bus addresses lead to, and whose pages", cmd_iova },
	{ "explain", "[RULE]",
	  "why a difference is by design", cmd_explain },
	{ "info", "",
	  "module, protocol, kernel, permissions, interfaces", cmd_info },
	{ "help", "[COMMAND]", "this text", cmd_help },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct cmd *find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	return fail(EXIT_USAGE, "unknown command '%s': see `ptwalk help`",
		    name);
}

static void print_help(FILE *to)
{
	size_t i;

	fputs("Usage: ptwalk COMMAND [ARGUMENT...]\n\n"
	      "Where a page really is, and whether the kernel tells user space the truth.\n\n",
	      to);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-9s  %-24s  %s\n", commands[i].name,
			commands[i].args, commands[i].help);
	fputs("\nPID is a number or `self`; ADDR is hexadecimal; RANGE is START-END,\n"
	      "START+LENGTH or a name from /proc/PID/maps. Most commands take --json.\n"
	      "Options and examples: man ptwalk-COMMAND.\n\n"
	      "Exit status: 0 match or explained, 1 mismatch, 2 command line wrong,\n"
	      "3 could not be checked, 4 unstable pages only.\n", to);
}

static int cmd_help(int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc < 2) {
		print_help(stdout);
		return 0;
	}
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	printf("Usage: ptwalk %s%s%s\n\n%s\n\nSee `man ptwalk-%s` for its options.\n",
	       cmd->name, *cmd->args ? " " : "", cmd->args, cmd->help,
	       cmd->name);
	return 0;
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;
	char *help[] = { "help", NULL, NULL };

	/* A reader that goes away is told as one, and no target stays frozen. */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return out_finish(cmd_help(1, help));
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("ptwalk %s, protocol version %d\n", VERSION,
		       PTWALK_PROTOCOL_VERSION);
		return out_finish(0);
	}
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "--help")) {
		help[1] = argv[1];
		return out_finish(cmd_help(2, help));
	}
	return out_finish(cmd->run(argc - 1, argv + 1));
}
