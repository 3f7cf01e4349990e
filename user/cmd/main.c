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

#define JSON	"  --json             one JSON object a line\n"
#define MAP	\
"  --map FILE[:OFFSET[:LENGTH]][:ro|:wo|:private]\n" \
"                     map that into ptwalk itself first; PID is `self`\n" \
"  --touch            read a byte of each of its pages first\n"
#define FREEZE	"  --freeze           stop each process while it is looked at\n"
#define RETRIES	"  --retries N        look N times at what differs\n"
#define HUMAN	"  -h, --human        amounts in K, M, G...; alone, -h prints this help\n"
#define BUGS	"  --known-bugs       known bugs of the kernel are no mismatch\n"

static const struct cmd commands[] = {
	{ "translate", "PID ADDR...",
	  "the physical address of each virtual address",
	  "  -v, --verbose      every level, the VMA, and what memory that is\n"
	  MAP JSON, cmd_translate },
	{ "dump", "PID [RANGE...]",
	  "the whole translation as extents",
	  "  -s, --summary      totals by kind and level only\n"
	  "  -v, --verbose      who handles a mapping, what memory that is, if pinned\n"
	  "  --present          without empty entries\n"
	  "  --would-fault      only what an access or a write would fault at, and why\n"
	  HUMAN MAP JSON, cmd_dump },
	{ "check", "PID...|--all [RANGE...]",
	  "truth against the kernel's interfaces",
	  "  --all              every process\n"
	  "  --source NAME,...  these interfaces only; `all` for all that there are\n"
	  "  --without NAME,... not these interfaces\n"
	  "  -v, --verbose      every finding, and the limits of the check\n"
	  "  --prove            compare the bytes in memory, too\n"
	  "  --lint             find mappings that are wrong whatever was meant\n"
	  "  --guest PID[:FD]   what a virtual machine of KVM reaches, instead\n"
	  "  --expect PHYS:LENGTH[,ATTRIBUTE...]\n"
	  "                     what RANGE should be mapped to; `any` for any PHYS\n"
	  MAP FREEZE RETRIES BUGS
	  "  --during           again and again while the command behind `--` runs\n"
	  "  --effort N         ask at random for N times the plain read; 1\n"
	  "  --seed S           ask the same at random as the run that says so\n"
	  "  --budget SECONDS   end after that time, with what was checked by then\n"
	  "  --prometheus FILE  write metrics, too, for a fleet's monitoring\n"
	  "  --claims FILE      judge these translations, `-` for standard input\n"
	  "  --partial          pages may be unclaimed; --partial=pagemap: those it hides\n"
	  "  --record FILE      keep examples of what was compared\n"
	  "  --replay FILE      judge those anew, `-` for standard input\n"
	  "  --request REQUEST  make this one, as a finding prints it, and no other\n"
	  "  --format FORMAT    how the results are written: see below\n"
	  "  --ktap             one test an interface, for test harnesses\n"
	  JSON, cmd_check, cmd_check_sources },
	{ "pagemap", "PID [RANGE...]",
	  "pagemap decoded; works without the module",
	  "  --raw              one line an entry, with its value\n"
	  MAP JSON, cmd_pagemap },
	{ "decode", "ENTRY...",
	  "raw values of pagemap or of page tables decoded",
	  "  --format FORMAT    auto, new or old (before Linux 4.2)\n"
	  "  --pte              entries of page tables, not of pagemap\n"
	  "  --arch ARCH        of --pte: x86_64, arm64, riscv64, s390x, ppc64le, i386,\n"
	  "                     i386-pae, arm, arm-lpae; that of this system\n"
	  "  --level LEVEL      of --pte: pte, pmd, pud, p4d or pgd\n"
	  "  --kernel VERSION   of --pte: that of the newest kernel\n"
	  "  --c-bit N          of --pte: the encryption bit of SME and SEV\n"
	  "  --page-size SIZE   of the system that they are from: 4K\n"
	  JSON, cmd_decode },
	{ "frame", "PFN...",
	  "what a physical page is, and who maps it",
	  "  -v, --verbose      of ranges, each frame, not only those in the way\n"
	  "  --pid PID,...      look for mappings in these processes only\n"
	  JSON, cmd_frame },
	{ "share", "PID PID...",
	  "which frames processes share, which have parted",
	  "  -v, --verbose      every stretch with its frames\n"
	  HUMAN JSON, cmd_share },
	{ "rss", "PID... | --cgroup PATH",
	  "pages by kind, against the kernel's sums",
	  "  --mappings         a line a mapping: RSS, PSS, swap...; most first\n"
	  "  --top N            so many of these: 20\n"
	  "  --all              all of these\n"
	  "  --cgroup PATH      the processes of a control group, instead of PIDs\n"
	  "  --zeros            count pages of zeros only\n"
	  "  -v, --verbose      every figure, and where it comes from\n"
	  HUMAN FREEZE RETRIES BUGS
	  "  --record FILE      keep all that was read\n"
	  "  --replay FILE      judge that anew, `-` for standard input\n"
	  JSON, cmd_rss },
	{ "watch", "PID [RANGE...]",
	  "what changes from one look to the next",
	  "  -i, --interval SECONDS\n"
	  "                     between looks: 1\n"
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
	  "                     fail unless that much is in leaves of SIZE or more\n"
	  "  -v, --verbose      sizes, folios and reasons of each mapping, too\n"
	  HUMAN JSON, cmd_huge },
	{ "dirty", "PID [RANGE...]",
	  "what each tracker of writes says, and why",
	  "  -v, --verbose      the reasons of each stretch, too\n"
	  JSON, cmd_dirty },
	{ "pins", "PID...|DEVICE...|--all",
	  "memory held for I/O, and what of it is gone",
	  "  --all              every process, as without a PID\n"
	  "  --orphans          look at all memory for pinned pages that nobody maps, too\n"
	  "  --budget SECONDS   end after that time, with what was found by then\n"
	  "  --iova RANGE       of a DEVICE, look at these bus addresses only\n"
	  JSON, cmd_pins },
	{ "map", "PID",
	  "a picture of the address space and its memory",
	  "  -o, --output FILE  as HTML or SVG, by the end of the name; `-`: to stdout\n"
	  "  --format FORMAT    html or svg, whatever the name; without -o to stdout\n"
	  "  --replay FILE      of a recording of `ptwalk rss`, `-` for standard input\n"
	  "  --before FILE      with what has changed since that recording\n"
	  "  --kernel           these are of `ptwalk kernel --record`\n"
	  MAP JSON, cmd_map },
	{ "iova", "DEVICE [RANGE...]",
	  "what bus addresses of a device lead to",
	  "  -p, --pid PID      where this process's pages are; RANGE is its memory\n"
	  "  --iova RANGE       look at these bus addresses only\n"
	  "  --lint             do they lead to memory that the device may use?\n"
	  MAP JSON, cmd_iova },
	{ "kernel", "[RANGE|PART...]",
	  "the kernel's own tables, against what it says",
	  "  -s, --summary      how much is mapped of each part, and how\n"
	  "  -v, --verbose      scattered memory, too, extent by extent\n"
	  "  --phys RANGE       only what reaches these physical addresses\n"
	  "  --record FILE      write all of it there\n"
	  "  --replay FILE      read what was recorded, not the kernel\n"
	  "  --diff FILE        what changed since FILE was recorded\n"
	  "  --check            compare with vmallocinfo, iomem, meminfo and kcore\n"
	  "  --lint             find rights, memory types and pages that none may have\n"
	  BUGS JSON, cmd_kernel },
	{ "explain", "[RULE|NAME]",
	  "why a difference is by design; what a name means",
	  "  --all              all of them; without a name, only names are listed\n"
	  JSON, cmd_explain },
	{ "info", "",
	  "module, protocol, kernel, rights, interfaces",
	  JSON, cmd_info },
	{ "help", "[COMMAND]", "this text, or the options of a command", "",
	  cmd_help },
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
	      "/proc/PID/maps with an offset, as prog+0x4058 for what nm says of prog; RANGE\n"
	      "is START-END, START+LENGTH or such a name. Most commands take --json.\n"
	      "Options: ptwalk help COMMAND.\n\n"
	      "Exit status: 0 match or explained, 1 mismatch, 2 command line wrong,\n"
	      "3 could not be checked, 4 unstable pages only, 5 the command of --during failed.\n",
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
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
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
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	if (wants_help(cmd, argc - 1, argv + 1)) {
		help[1] = argv[1];
		return out_finish(cmd_help(2, help));
	}
	return out_finish(error_status(cmd->run(argc - 1, argv + 1)));
}
