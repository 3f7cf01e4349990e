// SPDX-License-Identifier: GPL-2.0
/* The table of commands, and help. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/ptwalk.h>
#include "base/error.h"
#include "base/parse.h"
#include "base/print.h"
#include "cmd/cmd.h"

static int cmd_help(int argc, char **argv);

#define JSON	"  --json             one JSON object per line\n"
#define MAP	\
"  --map FILE[:OFFSET[:LENGTH]][:ro|:wo|:private]\n" \
"                     first map FILE into ptwalk itself; PID is `self`\n" \
"  --touch            then read a byte of each of its pages\n"
#define FREEZE	"  --freeze           stop each process while it is read\n"
#define RETRIES	"  --retries N        read differing pages and figures up to N times\n"
#define HUMAN	"  -h, --human        amounts in K, M, G...; alone, -h prints this help\n"
#define BUGS	"  --known-bugs       don't count known bugs of the kernel\n"

static const struct cmd commands[] = {
	{ "translate", "PID ADDR...",
	  "the physical address of each virtual address",
	  "  -v, --verbose      also every level, the VMA, and the kind of memory\n"
	  MAP JSON, cmd_translate },
	{ "dump", "PID [RANGE...]",
	  "all translations, as extents",
	  "  -s, --summary      totals by kind and level only\n"
	  "  -v, --verbose      also handlers, the kind of memory, if pinned\n"
	  "  --present          without empty entries\n"
	  "  --would-fault      only pages that would fault, and why\n"
	  HUMAN MAP JSON, cmd_dump },
	{ "check", "PID...|--all [RANGE...]",
	  "compare page tables and kernel interfaces",
	  "  --all              every process\n"
	  "  --source NAME,...  compare with these interfaces only, or `all`\n"
	  "  --without NAME,... leave these interfaces out\n"
	  "  -v, --verbose      every finding, and the limits of the check\n"
	  "  --prove            compare the bytes in memory, too\n"
	  "  --lint             find mappings that are wrong whatever was meant\n"
	  "  --guest PID[:FD]   compare the second stage of KVM guests instead\n"
	  "  --expect PHYS:LENGTH[,ATTRIBUTE...]\n"
	  "                     what RANGE should map; PHYS may be `any`\n"
	  MAP FREEZE RETRIES BUGS
	  "  --during           repeat until the command behind `--` ends\n"
	  "  --effort N         random requests for N times the plain read (1)\n"
	  "  --seed S           repeat the random requests of the run with seed S\n"
	  "  --budget SECONDS   end after that time\n"
	  "  --prometheus FILE  also write metrics\n"
	  "  --claims FILE      check these translations; `-`: standard input\n"
	  "  --partial          pages need no claim; =pagemap: those it hides\n"
	  "  --record FILE      write examples of the compared pages\n"
	  "  --replay FILE      check a recording again; `-`: standard input\n"
	  "  --request REQUEST  make only this request of a finding\n"
	  "  --format FORMAT    the format of the results: see below\n"
	  "  --ktap             KTAP: one test per interface\n"
	  JSON, cmd_check, cmd_check_sources },
	{ "pagemap", "PID [RANGE...]",
	  "pagemap decoded; works without the module",
	  "  --raw              one line per entry, with its value\n"
	  "  -v, --verbose      a line for each piece of scattered pages\n"
	  MAP JSON, cmd_pagemap },
	{ "decode", "ENTRY...",
	  "raw values of pagemap or of page tables decoded",
	  "  --format FORMAT    auto, new or old (before Linux 4.2)\n"
	  "  --pte              entries of page tables, not of pagemap\n"
	  "  --arch ARCH        with --pte: x86_64, arm64, riscv64, s390x, ppc64le,\n"
	  "                     i386, i386-pae, arm, arm-lpae (this system's)\n"
	  "  --level LEVEL      with --pte: pte, pmd, pud, p4d or pgd\n"
	  "  --kernel VERSION   with --pte: the kernel's version (the newest)\n"
	  "  --c-bit N          with --pte: the encryption bit of SME and SEV\n"
	  "  --shared-bit N     with --pte: the bit of shared memory of TDX\n"
	  "  --page-size SIZE   page size of the entries' system (4K)\n"
	  JSON, cmd_decode },
	{ "frame", "PFN...",
	  "what a physical page is, and who maps it",
	  "  -v, --verbose      each frame of a range, not only immovable ones\n"
	  "  --pid PID,...      search these processes only\n"
	  JSON, cmd_frame },
	{ "share", "PID PID...",
	  "which frames processes share, which are copies",
	  "  -v, --verbose      every range with its frames\n"
	  HUMAN JSON, cmd_share },
	{ "rss", "PID... | --cgroup PATH",
	  "pages by kind, and the kernel's sums",
	  "  --mappings         a line per mapping: RSS, PSS, swap...; largest first\n"
	  "  --top N            this many mappings (20)\n"
	  "  --all              all mappings\n"
	  "  --cgroup PATH      the processes of a control group, instead of PIDs\n"
	  "  --zeros            count pages that hold only zeros\n"
	  "  -v, --verbose      every figure, and how the kernel computes it\n"
	  HUMAN FREEZE RETRIES BUGS
	  "  --record FILE      write everything that was read\n"
	  "  --replay FILE      check a recording again; `-`: standard input\n"
	  JSON, cmd_rss },
	{ "watch", "PID [RANGE...]",
	  "which pages change while it runs",
	  "  -i, --interval SECONDS\n"
	  "                     time between two looks (1)\n"
	  "  -n, --looks N      end after N looks\n"
	  "  -e, --enter        look at each line of standard input instead\n"
	  "  -l, --laws         entries that no operation may leave behind, too\n"
	  "  -a, --all          accessed bits and map counts, too\n"
	  "  -v, --verbose      the first page of each change, before and after\n"
	  JSON, cmd_watch },
	{ "diff", "FILE FILE",
	  "what changed between two recordings of rss",
	  "  -l, --laws         entries that no operation may leave behind, too\n"
	  "  -a, --all          accessed bits and map counts, too\n"
	  "  -v, --verbose      the first page of each change, before and after\n"
	  JSON, cmd_diff },
	{ "huge", "PID [RANGE...]",
	  "what huge pages map, and why not the rest",
	  "  --expect \"PERCENT% SIZE\"\n"
	  "                     fail unless PERCENT are in leaves of SIZE or more\n"
	  "  -v, --verbose      also sizes, folios and reasons of each mapping\n"
	  HUMAN JSON, cmd_huge },
	{ "dirty", "PID [RANGE...]",
	  "what was written to, by each write tracker",
	  "  -v, --verbose      also the reasons for each range\n"
	  JSON, cmd_dirty },
	{ "pins", "PID...|DEVICE...|--all",
	  "memory held for I/O; replaced pages",
	  "  --all              every process (the default)\n"
	  "  --orphans          also search all memory for pinned, unmapped pages\n"
	  "  --budget SECONDS   end after that time, with what was found by then\n"
	  "  --iova RANGE       look up only these bus addresses of a DEVICE\n"
	  JSON, cmd_pins },
	{ "map", "PID",
	  "a picture of the address space and its memory",
	  "  -o, --output FILE  HTML or SVG, by the end of the name; `-`: stdout\n"
	  "  --format FORMAT    html or svg, whatever the name; without -o: stdout\n"
	  "  --replay FILE      draw a recording of `ptwalk rss`; `-`: standard input\n"
	  "  --before FILE      also draw the changes since that recording\n"
	  "  --kernel           the recordings are of `ptwalk kernel --record`\n"
	  MAP JSON, cmd_map },
	{ "iova", "DEVICE [RANGE...]",
	  "where a device's bus addresses lead",
	  "  -p, --pid PID      find this process's pages; RANGE is in its memory\n"
	  "  --iova RANGE       look up these bus addresses only\n"
	  "  -v, --verbose      a line for each piece of scattered pages\n"
	  "  --lint             find memory that the device must not use\n"
	  MAP JSON, cmd_iova },
	{ "kernel", "[RANGE|PART...]",
	  "the kernel's own page tables, and its own lists",
	  "  -s, --summary      how much of each part is mapped, and how\n"
	  "  -v, --verbose      each contiguous piece of scattered memory\n"
	  "  --phys RANGE       only mappings of these physical addresses\n"
	  "  --record FILE      write everything to FILE\n"
	  "  --replay FILE      read a recording instead of the kernel's tables\n"
	  "  --diff FILE        what changed since FILE was recorded\n"
	  "  --check            compare with vmallocinfo, iomem, meminfo and kcore\n"
	  "  --lint             find wrong rights, memory types and pages\n"
	  BUGS JSON, cmd_kernel },
	{ "explain", "[RULE|NAME]",
	  "why a difference is by design; what a name means",
	  "  --all              explain all; otherwise, without NAME, list names\n"
	  JSON, cmd_explain },
	{ "info", "",
	  "module, protocol, kernel, rights, interfaces",
	  JSON, cmd_info },
	{ "help", "[COMMAND]", "this text, or the options of a command", "",
	  cmd_help },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct cmd *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *meant = NULL;
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		meant = parse_nearer(name, commands[i].name, meant);
	if (meant)
		return fail(EXIT_USAGE,
			    "unknown command '%s': did you mean '%s'? See `ptwalk help`",
			    name, meant);
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
		fprintf(to, "  %-9s  %-17s  %s\n", commands[i].name,
			commands[i].args, commands[i].help);
	fputs("\nPID is a number or `self`; ADDR is hexadecimal, or a name from\n"
	      "/proc/PID/maps, with an offset if need be: prog+0x4058, as nm prog prints it;\n"
	      "RANGE is START-END, START+LENGTH or a name. Most commands take --json.\n"
	      "Options: ptwalk help COMMAND.\n\n"
	      "Exit status: 0 match or explained, 1 mismatch, 2 command line wrong,\n"
	      "3 not checked, 4 unstable pages only, 5 the command of --during failed.\n",
	      to);
}

static int cmd_help(int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc < 2) {
		print_help(stdout);
		return 0;
	}
	if (argc > 2)
		return fail(EXIT_USAGE, "help: '%s' is too much: one command at a time",
			    argv[2]);
	cmd = find_command(argv[1]);
	if (!cmd)
		return unknown_command(argv[1]);
	printf("Usage: ptwalk %s%s%s%s\n\nptwalk %s: %s\n%s%s", cmd->name,
	       *cmd->options ? " [OPTION...]" : "", *cmd->args ? " " : "",
	       cmd->args, cmd->name, cmd->help, *cmd->options ? "\n" : "",
	       cmd->options);
	if (cmd->more)
		cmd->more();
	return 0;
}

/* Files that the caller has closed: or else a socket becomes the output. */
static void hold_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(EXIT_UNCHECKED);
}

/* Where -h is --human it asks for help only if it is all that is there. */
static bool wants_help(const struct cmd *cmd, int argc, char **argv)
{
	const bool human = strstr(cmd->options, HUMAN) && argc > 2;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") ||
		    (!strcmp(argv[i], "-h") && !human))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;
	char *help[] = { "help", NULL, NULL };

	hold_standard_files();
	out_begin();
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return out_finish(cmd_help(argc - 1, argv + 1));
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("ptwalk %s, protocol version %d\n", VERSION,
		       PTWALK_FAMILY_VERSION);
		return out_finish(0);
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return unknown_command(argv[1]);
	if (wants_help(cmd, argc - 1, argv + 1)) {
		help[1] = argv[1];
		return out_finish(cmd_help(2, help));
	}
	return out_finish(error_status(cmd->run(argc - 1, argv + 1)));
}
