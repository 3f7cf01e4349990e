// SPDX-License-Identifier: GPL-2.0
/*
 * Wrong command lines, odd file names, and output that can't be written: each
 * gives the right exit status, and a line that repeats the word at fault.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include "command.h"
#include "json.h"
#include "mapping.h"
#include "ptw.h"
#include "system.h"
#include "terminal.h"
#include "test.h"
#include "workers.h"

/* A control character of each kind, and bytes that are no UTF-8. */
#define ODD_NAME	"/tmp/a\nb\tc \033[31m\\d\351"
#define AS_PRINTED	"/tmp/a\\012b\\011c \\033[31m\\d\\351"
#define AS_IN_MAPS	"/tmp/a\\012b\tc \033[31m\\d\351"

static struct output out;

FIXTURE(usage)
{
	struct target target;
	const char *ptwalk;
	char pid[16];
	char path[2][32];
};

static void map_odd_file(void *arg, int nr)
{
	int fd = open(ODD_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (nr || fd < 0 || ftruncate(fd, 8192) ||
	    mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		return;
	close(fd);
}

FIXTURE_SETUP(usage)
{
	self->ptwalk = ptwalk_command();
	if (!self->ptwalk)
		SKIP(return, "there is no ptwalk command in PATH");
	ASSERT_EQ(0, target_start(&self->target, map_odd_file, NULL));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	for (int i = 0; i < 2; i++) {
		strcpy(self->path[i], "/tmp/usage-XXXXXX");
		close(mkstemp(self->path[i]));
	}
}

FIXTURE_TEARDOWN(usage)
{
	target_end(&self->target);
	unlink(ODD_NAME);
	unlink(self->path[0]);
	unlink(self->path[1]);
}

static const char *const commands[] = {
	"translate", "dump", "check", "pagemap", "decode", "frame", "share",
	"rss", "watch", "diff", "huge", "dirty", "pins", "map", "iova", "kernel", "explain",
	"info",
};

#define MAX_WORDS	8

/* @ stands for the process. */
static const struct {
	int status;
	const char *says;
	const char *word[MAX_WORDS];
} cases[] = {
	{ USAGE, "unknown command 'nosuch'", { "nosuch" } },
	{ USAGE, "did you mean 'check'", { "chekc" } },
	{ USAGE, "did you mean 'translate'", { "tranlate", "@", "1000" } },
	{ USAGE, "unknown command ''", { "" } },
	{ USAGE, "unknown command '\\033[31m'", { "\033[31m" } },
	{ USAGE, "unknown command 'x'", { "help", "x" } },
	{ USAGE, "'dump' is too much", { "help", "check", "dump" } },
	{ USAGE, "a PID is missing", { "translate" } },
	{ USAGE, "a PID is missing", { "dump" } },
	{ USAGE, "give a PID", { "check" } },
	{ USAGE, "a PID is missing", { "pagemap" } },
	{ USAGE, "a PID is missing", { "rss" } },
	{ USAGE, "two PIDs", { "share", "@" } },
	{ USAGE, "'@': given twice", { "share", "@", "@" } },
	{ USAGE, "frame number is missing", { "frame" } },
	{ USAGE, "'3-1': it ends before", { "frame", "3-1" } },
	{ USAGE, "'0-80000': more than 524288 frames", { "frame", "0-80000" } },
	{ USAGE, "'0-': empty", { "frame", "0-" } },
	{ MATCH, "\nframe 0x1: ", { "frame", "-v", "--pid", "self", "0-1" } },
	{ MATCH, "\nKIND ", { "frame", "--pid", "self", "[0, 2)" } },
	{ MATCH, "\"type\":\"summary\"", { "frame", "--json", "--pid", "self", "0-1" } },
	{ USAGE, "'[0, 2': the bracket isn't closed", { "frame", "[0, 2" } },
	{ USAGE, "a PID is missing", { "watch" } },
	{ USAGE, "'1': give 2 or more", { "watch", "-n", "1", "self" } },
	{ USAGE, "'x': no number", { "watch", "-i", "x", "self" } },
	{ USAGE, "give one of them", { "watch", "-i", "1", "-e", "self" } },
	{ USAGE, "behind `--`", { "check", "--during", "@" } },
	{ USAGE, "behind `--`", { "check", "--during", "@", "--" } },
	{ USAGE, "--guest goes with --json alone", { "check", "--guest", "@", "--lint" } },
	{ USAGE, "--guest goes with --json alone", { "check", "--guest", "@", "@" } },
	{ USAGE, "--guest tells in text or JSON", { "check", "--guest", "@", "--ktap" } },
	{ USAGE, "give PID, or PID:FD", { "check", "--guest", "@:" } },
	{ USAGE, "PID 'x'", { "check", "--guest", "x" } },
	{ USAGE, "leave out --ktap", { "check", "--during", "--ktap", "@", "--", "true" } },
	{ USAGE, "leave out --format", { "check", "--during", "--format", "junit", "--", "true" } },
	{ USAGE, "--during excludes", { "check", "--during", "--record", "x", "@", "--", "true" } },
	{ USAGE, "PID '1x'", { "check", "--during", "1x", "--", "true" } },
	{ USAGE, "'/nowhere' can't be run: No such file",
	  { "check", "--during", "@", "--", "/nowhere" } },
	{ USAGE, "'/' can't be run", { "check", "--during", "@", "--", "/" } },
	/* It isn't tried, then, and nobody learns that it can't be. */
	{ UNCHECKED, "4194305: no such process: '/nowhere' was not started",
	  { "check", "--during", "4194305", "--", "/nowhere" } },
	{ UNCHECKED, "4194305: no such process: '/nowhere' was not started",
	  { "check", "--during", "@", "4194305", "--", "/nowhere" } },
	/* What is found is more than how the command ends, which is more than nothing. */
	{ MISMATCH, "`false`, which exited with 1",
	  { "check", "--during", "--expect", "0:64K", "@", "[stack]", "--", "false" } },
	{ FAILED, "`false`, which exited with 1",
	  { "check", "--during", "--source", "pagemap", "@", "--", "false" } },
	{ MATCH, "`true x`, which exited with 0",
	  { "check", "--during", "--source", "pagemap", "@", "--", "true", "x" } },
	{ USAGE, "--without 'all': no such source", { "check", "--without", "all", "@" } },
	{ USAGE, "'kpagefags': no such source: did you mean 'kpageflags'?",
	  { "check", "--without", "smaps,kpagefags", "@" } },
	{ USAGE, "--source 'pagemp': no such source: did you mean 'pagemap'?",
	  { "check", "--source", "smaps,pagemp", "@" } },
	{ USAGE, "--source 'al1': no such source: did you mean 'all'?",
	  { "check", "--source", "al1", "@" } },
	{ USAGE, "--source 'zzzz': no such source: see", { "check", "--source", "zzzz", "@" } },
	{ USAGE, "--source 'pagemap,': a name is missing behind a comma",
	  { "check", "--source", "pagemap,", "@" } },
	{ USAGE, "--without ',pagemap': a name is missing before a comma",
	  { "check", "--without", ",pagemap", "@" } },
	{ USAGE, "unknown option --sorce: did you mean --source? See `ptwalk help check`",
	  { "check", "--sorce", "pagemap", "@" } },
	{ USAGE, "unknown option --humna: did you mean --human?", { "huge", "--humna", "@" } },
	{ USAGE, "unknown option --loks=3: did you mean --looks?", { "watch", "--loks=3", "@" } },
	{ USAGE, "unknown option --zzzz: see", { "dump", "--zzzz", "@" } },
	{ USAGE, "--without excludes",
	  { "check", "--without", "smaps", "--replay", "/dev/null" } },
	/* More digits than a PID has. */
	{ UNCHECKED, "range '00000000'", { "check", "@", "00000000" } },
	{ UNCHECKED, "source pagemap: --without leaves it out",
	  { "check", "--source", "pagemap", "--without", "pagemap", "@" } },
	{ MATCH, "source kpageflags, smaps not used: --without leaves it out\n",
	  { "check", "-v", "--without", "smaps,kpageflags", "@" } },
	{ USAGE, "'x': no number", { "check", "--budget", "x", "@" } },
	{ USAGE, "'-1': give 0 to 86400", { "check", "--budget", "-1", "@" } },
	{ USAGE, "--budget excludes", { "check", "--budget", "1", "--during", "--", "true" } },
	{ USAGE, "--prometheus excludes", { "check", "--prometheus", "x", "--claims", "y", "@" } },
	{ USAGE, "'-': standard output", { "check", "--prometheus", "-", "@" } },
	{ UNCHECKED, "not a regular file", { "check", "--prometheus", "/dev/null", "@" } },
	{ UNCHECKED, "No such file", { "check", "--prometheus", "/nowhere/x", "@" } },
	{ UNCHECKED, "partial: ended by the budget", { "check", "--all", "--budget", "0" } },
	{ USAGE, "give two recordings", { "diff", "/dev/null" } },
	{ UNCHECKED, "an empty recording", { "diff", "/dev/null", "/dev/null" } },
	{ UNCHECKED, "No such file", { "diff", "/nowhere", "/dev/null" } },
	{ USAGE, "a PID is missing", { "huge" } },
	{ USAGE, "'95': give a percentage", { "huge", "--expect", "95", "self" } },
	{ USAGE, "'0% 2M': give a percentage", { "huge", "--expect", "0% 2M", "self" } },
	{ USAGE, "'95% 3M': no leaf has that size here: give ",
	  { "huge", "--expect", "95% 3M", "self" } },
	{ USAGE, "a PID is missing", { "map" } },
	{ USAGE, "'self' is too much", { "map", "@", "self" } },
	{ USAGE, "ends with .html or .svg", { "map", "-o", "/tmp/x.png", "self" } },
	{ UNCHECKED, "/nowhere/x.svg: No such file", { "map", "-o", "/nowhere/x.svg", "@" } },
	{ USAGE, "takes nothing but", { "map", "--replay", "/dev/null", "self" } },
	{ UNCHECKED, "an empty recording", { "map", "--before", "/dev/null", "self" } },
	{ USAGE, "a device is missing", { "iova" } },
	{ USAGE, "--map goes with -p", { "iova", "0000:00:00.0", "--map", "/dev/zero" } },
	{ USAGE, "must be `self`", { "iova", "0000:00:00.0", "--map", "/dev/zero", "-p", "@" } },
	{ USAGE, "not a path in sysfs", { "iova", "/" } },
	{ USAGE, "give pagemap entries", { "decode" } },
	{ USAGE, "'x' is too much", { "info", "x" } },
	{ USAGE, "'b' is too much", { "explain", "a", "b" } },
	{ USAGE, "did you mean 'young'", { "explain", "yuong" } },
	{ USAGE, "did you mean 'scattered'", { "explain", "scaterred" } },
	{ USAGE, "did you mean 'contiguous-differs'", { "explain", "contigouus-difers" } },
	{ USAGE, "did you mean 'swap'", { "explain", "swapfile" } },
	{ MATCH, "scattered (Extents of dump", { "explain", "scattered" } },
	{ USAGE, "''", { "explain", "" } },
	{ USAGE, "did you mean 'VM_PFNMAP'", { "explain", "vm_pfnmp" } },
	{ USAGE, "did you mean 'pfnmap-hidden', 'scan-pfnmap-hidden'",
	  { "explain", "hidden" } },
	{ USAGE, "said of 'two-memory-types'", { "explain", "vm_insert_page" } },
	{ USAGE, "'pinning'", { "explain", "FOLL_LONGTERM" } },
	{ USAGE, "'pinning'", { "explain", "GUP" } },
	{ MATCH, "past-resource", { "explain", "lint" } },
	{ USAGE, "'zzzz': see", { "explain", "zzzz" } },
	{ USAGE, "'young' is too much", { "explain", "--all", "young" } },
	{ MATCH, "\nVerdicts:\n  match explained", { "explain" } },
	{ MATCH, "\nyoung (Flags of entries)\n", { "explain", "--all" } },
	{ MATCH, "move_pages (Interfaces that are compared)", { "explain", "move_pages" } },
	{ MATCH, "smaps (Interfaces that are compared)", { "explain", "smaps" } },
	{ MATCH, "ro (Attributes of --expect)", { "explain", "ro" } },
	{ MATCH, "denied (Changes of pages)", { "explain", "denied" } },
	{ MATCH, "VM_PFNMAP", { "explain", "pf" } },
	{ MATCH, "pfnmap (Flags of VMAs)", { "explain", "VM_PFNMAP" } },
	{ MATCH, "write (Flags of entries)", { "explain", "WRITE" } },
	{ MATCH, "anon (Flags of frames)", { "explain", "KPF_ANON" } },
	{ MATCH, "(Categories of PAGEMAP_SCAN)", { "explain", "PAGE_IS_PFNZERO" } },
	{ MATCH, "(Bits of pagemap)", { "explain", "PM_SOFT_DIRTY" } },
	{ MATCH, "walk_page_test", { "explain", "Pfnmap-Hidden" } },
	{ MATCH, "\n\nspecial (why no huge page)\n", { "explain", "special" } },
	{ MATCH, "a mismatch unless --known-bugs", { "explain", "scan-hole-bug" } },
	{ MATCH, "(a bug: reading can crash the kernel)",
	  { "explain", "kpageflags-compound-bug" } },
	{ MATCH, "a mismatch only with --source kpageflags",
	  { "explain", "kpageflags-ksm-bug" } },
	{ USAGE, "an address is missing", { "translate", "@" } },

	{ USAGE, "PID ''", { "dump", "" } },
	{ USAGE, "PID '0'", { "dump", "0" } },
	{ USAGE, "-1", { "dump", "-1" } },
	{ USAGE, "PID '-1'", { "dump", "--", "-1" } },
	{ USAGE, "PID '+1'", { "check", "+1" } },
	{ USAGE, "PID '1x'", { "rss", "1x" } },
	{ USAGE, "'heap': this command takes whole processes", { "rss", "1", "heap" } },
	{ USAGE, "'1000+2000': this command takes whole", { "share", "1", "2", "1000+2000" } },
	{ USAGE, "'[heap]': this command takes whole", { "map", "1", "[heap]" } },
	{ USAGE, "'0x1000': this command takes whole", { "pins", "1", "0x1000" } },
	{ USAGE, "PID '0x1'", { "pagemap", "0x1" } },
	{ USAGE, "PID ' 1'", { "translate", " 1", "1000" } },
	{ USAGE, "PID 'Self'", { "dump", "Self" } },
	{ USAGE, "PID '2147483648'", { "check", "2147483648" } },
	{ USAGE, "PID '18446744073709551617'", { "dump", "18446744073709551617" } },
	{ USAGE, "PID '1\\0122'", { "dump", "1\n2" } },
	{ UNCHECKED, "2147483647", { "dump", "2147483647" } },
	{ UNCHECKED, "4194305", { "check", "4194305" } },
	{ UNCHECKED, "4194305", { "rss", "4194305" } },
	{ UNCHECKED, "4194305", { "share", "@", "4194305" } },
	{ UNCHECKED, "4194305", { "pagemap", "4194305" } },

	{ USAGE, "address ''", { "translate", "@", "" } },
	{ USAGE, "address '0x'", { "translate", "@", "0x" } },
	{ USAGE, "address '-1000'", { "translate", "--", "@", "-1000" } },
	{ USAGE, "address '+1000'", { "translate", "@", "+1000" } },
	{ USAGE, "address '1000zz'", { "translate", "@", "1000zz" } },
	{ USAGE, "address '0x0x1'", { "translate", "@", "0x0x1" } },
	{ USAGE, "address '1000 '", { "translate", "@", "1000 " } },
	{ USAGE, "more than 64 bits", { "translate", "@", "10000000000000000" } },
	{ USAGE, "more than 4096 pages", { "translate", "@", "0-80000000" } },
	{ USAGE, "address '2000-1000'", { "translate", "@", "2000-1000" } },
	{ MATCH, "0x1008 ", { "translate", "@", "1008-1010" } },
	{ MATCH, "in no VMA", { "translate", "@", "0+4K" } },
	{ UNCHECKED, "'nosuch'", { "translate", "@", "nosuch" } },
	{ USAGE, "'[stack]+xyz': not a hexadecimal number", { "translate", "@", "[stack]+xyz" } },
	{ USAGE, "'[stack]+xyz': not a hexadecimal number", { "dump", "@", "[stack]+xyz" } },
	{ USAGE, "'[stack]+xyz': not a hexadecimal number", { "pagemap", "@", "[stack]+xyz" } },
	{ USAGE, "'[stack]+xyz': not a hexadecimal number", { "check", "@", "[stack]+xyz" } },
	{ USAGE, "'[stack]+xyz': not a hexadecimal number", { "dirty", "@", "[stack]+xyz" } },
	{ USAGE, "'[stack]+xyz': not a hexadecimal number", { "huge", "@", "[stack]+xyz" } },
	{ USAGE, "'[stack]+xyz': not a hexadecimal number", { "watch", "@", "[stack]+xyz" } },
	{ USAGE, "'[stack]+1z': trailing garbage", { "translate", "@", "[stack]+1z" } },
	{ UNCHECKED, "name at that offset", { "translate", "@", "[stack]+fffffffffff" } },
	{ UNCHECKED, "name at that offset", { "dump", "@", "[stack]+fffffffffff" } },
	{ UNCHECKED, "'[nosuch]'", { "translate", "@", "[nosuch]" } },
	{ UNCHECKED, "'/no/such+10'", { "translate", "@", "/no/such+10" } },
	{ MATCH, "in no VMA", { "translate", "@", "0" } },
	{ MATCH, "in no VMA", { "translate", "@", "fffff000" } },

	{ USAGE, "''", { "dump", "@", "" } },
	{ UNCHECKED, "'1000': process", { "dump", "@", "1000" } },
	{ UNCHECKED, "did you mean '[stack]'", { "dump", "@", "stakc" } },
	{ UNCHECKED, "did you mean '[stack]'", { "translate", "@", "[stakc]" } },
	{ USAGE, "'2000-1000'", { "dump", "@", "2000-1000" } },
	{ USAGE, "'2000-1000'", { "pagemap", "@", "2000-1000" } },
	{ USAGE, "'2000-1000'", { "check", "@", "2000-1000" } },
	{ USAGE, "'1000-1000'", { "check", "@", "1000-1000" } },
	{ USAGE, "'1000+0'", { "pagemap", "@", "1000+0" } },
	{ USAGE, "'1000-'", { "dump", "@", "1000-" } },
	{ USAGE, "'1000--2000'", { "dump", "@", "1000--2000" } },
	{ USAGE, "'-2000'", { "dump", "--", "@", "-2000" } },
	{ USAGE, "'1000-2000x'", { "check", "@", "1000-2000x" } },
	{ USAGE, "'1000,2000'", { "dump", "@", "1000,2000" } },
	{ USAGE, "'1000+64Q'", { "dump", "@", "1000+64Q" } },
	{ USAGE, "'1': --all is every process", { "check", "--all", "1" } },
	{ USAGE, "range '0-': no number: give START-END, START+LENGTH or an address in hexadecimal",
	  { "dump", "@", "0-" } },
	{ USAGE, "'0-10000000000000001'", { "dump", "@", "0-10000000000000001" } },
	{ USAGE, "'1+10000000000000000'", { "dump", "@", "1+10000000000000000" } },
	{ UNCHECKED, "'1000-2000'", { "dump", "@", "1000-2000" } },
	{ UNCHECKED, "'1000-2000'", { "dump", "-s", "@", "1000-2000" } },
	{ UNCHECKED, "'1000-2000'", { "pagemap", "@", "1000-2000" } },
	{ UNCHECKED, "'1000-2000'", { "check", "@", "1000-2000" } },
	{ UNCHECKED, "'1000+64K'", { "dump", "@", "1000+64K" } },
	{ UNCHECKED, "no mapping there", { "dump", "@", "[stack]", "1000-2000" } },
	{ UNCHECKED, "'nosuch'", { "dump", "@", "nosuch" } },
	{ UNCHECKED, "'nosuch'", { "pagemap", "@", "nosuch" } },
	{ UNCHECKED, "'nosuch'", { "check", "@", "nosuch" } },
	{ UNCHECKED, "no process has a mapping", { "check", "--all", "[nosuch]" } },
	{ UNCHECKED, "no process has a mapping", { "check", "--all", "1000-2000" } },
	{ MATCH, "[stack]", { "dump", "@", "stack" } },
	{ MATCH, "[stack]", { "dump", "@", "[stack]", "[stack]" } },
	{ MATCH, "[stack]", { "dump", "@", "0-10000000000000000" } },

	{ USAGE, "--map needs", { "dump", "@", "--map" } },
	{ USAGE, "--map ''", { "dump", "--map", "", "self" } },
	{ USAGE, "'/dev/zero:0:64Q'", { "dump", "--map", "/dev/zero:0:64Q", "self" } },
	{ USAGE, "'/dev/zero:1'", { "dump", "--map", "/dev/zero:1", "self" } },
	{ USAGE, "'/dev/zero:0:0'", { "pagemap", "--map", "/dev/zero:0:0", "self" } },
	{ USAGE, "must be `self`", { "dump", "--map", "/dev/zero", "@" } },
	{ USAGE, "only once", { "dump", "--map", "/dev/zero", "--map", "/dev/null", "self" } },
	{ USAGE, "--touch goes with", { "dump", "--touch", "@" } },
	{ USAGE, "--touch goes with", { "check", "--touch", "--lint", "@" } },
	{ MATCH, "pages compared", { "check", "--map", "/proc/self/exe", "--source", "pagemap" } },
	{ MATCH, "0x", { "translate", "--map", "/proc/self/exe", "--touch" } },
	{ MATCH, "START-END", { "dump", "--map", "/proc/self/exe" } },
	{ MATCH, "0x", { "pagemap", "--map", "/proc/self/exe", "--touch" } },
	{ UNCHECKED, "/no/such", { "dump", "--map", "/no/such:0:64K", "self" } },

	{ USAGE, "--json and --ktap", { "check", "--json", "--ktap", "@" } },
	{ USAGE, "--format and --json", { "check", "--format", "junit", "--json", "@" } },
	{ USAGE, "--format 'x'", { "check", "--format", "x", "@" } },
	{ USAGE, "--format junit: nothing", { "check", "--format", "junit,x", "@" } },
	{ USAGE, "--format kcidb: build=", { "check", "--format", "kcidb,build=1", "@" } },
	{ USAGE, "--source 'nosuch'", { "check", "--source", "all,nosuch", "@" } },
	{ USAGE, "--source ''", { "check", "--source", "", "@" } },
	{ USAGE, "only once", { "check", "--source", "pagemap", "--source", "smaps", "@" } },
	{ USAGE, "--retries 'x'", { "check", "--retries", "x", "@" } },
	{ USAGE, "--retries '1'", { "rss", "--retries", "1", "@" } },
	{ USAGE, "--record ''", { "check", "--record", "", "@" } },
	{ USAGE, "--record '-'", { "check", "--record", "-", "@" } },
	{ USAGE, "--record '-'", { "rss", "--record", "-", "@" } },
	{ USAGE, "only once", { "rss", "--record", "/tmp/1", "--record", "/tmp/2", "@" } },
	{ UNCHECKED, "/no/such", { "check", "--replay", "/no/such" } },
	{ UNCHECKED, "/no/such", { "check", "--claims", "/no/such", "@" } },
	{ USAGE, "only once", { "iova", "-p", "1", "pci/0000:00:00.0", "-p", "2" } },
	{ USAGE, "--format 'x'", { "decode", "--format", "x", "1" } },
	{ USAGE, "only once", { "decode", "--format", "new", "--format", "old", "1" } },
	{ USAGE, "--page-size '3'", { "decode", "--page-size", "3", "1" } },
	{ USAGE, "--page-size '4Q'", { "decode", "--page-size", "4Q", "1" } },
	{ USAGE, "--page-size '99999999999999999999'",
	  { "decode", "--page-size", "99999999999999999999", "1" } },
	{ MATCH, "0x10000", { "decode", "--page-size", "64K", "8000000000000001" } },
	{ MATCH, "0x10000", { "decode", "--page-size", "0x10000", "8000000000000001" } },
	{ USAGE, "entry ''", { "decode", "" } },
	{ USAGE, "entry '0x'", { "decode", "0x" } },
	{ USAGE, "entry '+1'", { "decode", "+1" } },
	{ USAGE, "entry '11111111111111111'", { "decode", "11111111111111111" } },
	{ USAGE, "frame 'zz'", { "frame", "zz" } },
	{ USAGE, "frame 'ffffffffffffffff'", { "frame", "ffffffffffffffff" } },
	{ USAGE, "frame 'phys:'", { "frame", "phys:" } },
	{ MATCH, "paddr beyond 64 bits", { "decode", "807fffffffffffff" } },
	{ MATCH, "paddr beyond 64 bits", { "decode", "--page-size", "1T", "8000000001000000" } },
};

/* Copies @from to @to with the process for each @. */
static const char *fill(const char *from, const char *pid, char *to, size_t size)
{
	const char *at = strchr(from, '@');

	snprintf(to, size, "%.*s%s%s", at ? (int)(at - from) : (int)strlen(from),
		 from, at ? pid : "", at ? at + 1 : "");
	return to;
}

TEST_F(usage, every_mistake_is_named)
{
	static char words[MAX_WORDS][256];
	char says[256];
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *argv[MAX_WORDS + 2] = { self->ptwalk };

		for (n = 0; n < MAX_WORDS && cases[i].word[n]; n++)
			argv[n + 1] = fill(cases[i].word[n], self->pid, words[n],
					   sizeof(words[n]));
		fill(cases[i].says, self->pid, says, sizeof(says));
		run_as(&out, 0, argv);
		EXPECT_TRUE(out.status == cases[i].status && strstr(out.text, says))
			TH_LOG("ptwalk %s %s %s: status %d for %d, without \"%s\": %.300s",
			       argv[1], argv[2] ? argv[2] : "",
			       argv[2] && argv[3] ? argv[3] : "", out.status,
			       cases[i].status, says, out.text);
		if (cases[i].status != USAGE)
			continue;
		EXPECT_EQ(0, strncmp(out.text, "ptwalk: ", 8));
		EXPECT_ONE_LINE();
	}
}

/* Wherever an address is taken, on machines with a half for the kernel. */
TEST_F(usage, addresses_of_the_kernel)
{
	static const char *const commands[] = { "dump", "check", "pagemap", "huge", "watch" };
	static const char *const halves[] = { "x86_64", "aarch64", "riscv64" };
	static struct utsname name;
	bool known = false;

	ASSERT_EQ(0, uname(&name));
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++)
		known |= !strcmp(name.machine, halves[i]);
	if (!known)
		SKIP(return, "the kernel has no half of the addresses on %s", name.machine);
	run(&out, self->ptwalk, "translate", self->pid, "ffffffff81000000");
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("'ffffffff81000000': it is an address of the kernel");
	EXPECT_ONE_LINE();
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		run(&out, self->ptwalk, commands[i], self->pid, "ffffffff81000000-ffffffff81001000");
		EXPECT_STATUS(USAGE);
		EXPECT_PRINTED("it is an address of the kernel");
		EXPECT_ONE_LINE();
		run(&out, self->ptwalk, commands[i], self->pid, "0xffffffff81000000");
		EXPECT_STATUS(USAGE);
		EXPECT_PRINTED("it is an address of the kernel");
		EXPECT_ONE_LINE();
	}
	run(&out, self->ptwalk, "check", "--all", "ffffffff81000000");
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("it is an address of the kernel");
}

/* By its address, and by its name. */
TEST_F(usage, gate_area)
{
	char line[256], addr[32] = "";
	FILE *maps = fopen("/proc/self/maps", "re");

	ASSERT_NE(NULL, maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[vsyscall]"))
			sscanf(line, "%31[^-]", addr);
	fclose(maps);
	if (!*addr)
		SKIP(return, "there is no [vsyscall]");
	for (int i = 0; i < 2; i++) {
		run(&out, self->ptwalk, "translate", "-v", self->pid, i ? "vsyscall" : addr);
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED("not present: in no VMA of the process; it is the gate area");
		EXPECT_PRINTED("get_gate_page()");
	}
	run(&out, self->ptwalk, "translate", self->pid, addr);
	EXPECT_PRINTED("it is the gate area");
	run(&out, self->ptwalk, "translate", "--json", self->pid, addr);
	EXPECT_PRINTED("\"gate\":true");
	/* What is in no VMA by itself isn't. */
	run(&out, self->ptwalk, "translate", "-v", self->pid, "0");
	EXPECT_UNPRINTED("gate area", "not present: in no VMA\n");
}

TEST_F(usage, options_of_each_command)
{
	char usage[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(usage, sizeof(usage), "Usage: ptwalk %s", commands[i]);
		run(&out, self->ptwalk, commands[i], "--help");
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED(usage);
		EXPECT_PRINTED("--json");
		run(&out, self->ptwalk, commands[i], "-h");
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED(usage);
		run(&out, self->ptwalk, commands[i], "--bogus");
		EXPECT_STATUS(USAGE);
		EXPECT_PRINTED("unknown option --bogus");
		EXPECT_ONE_LINE();
		run(&out, self->ptwalk, commands[i], "-Z");
		EXPECT_STATUS(USAGE);
		EXPECT_PRINTED("unknown option -Z");
		EXPECT_ONE_LINE();
	}
	run(&out, self->ptwalk);
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("Usage: ");
}

/* In units where -h is asked for; the others take it for a question in any place. */
TEST_F(usage, human)
{
	static const struct {
		const char *says, *word[5];
	} with[] = {
		{ "AMOUNT", { "dump", "-h", "@" } },
		{ "AMOUNT      EXTENTS\n", { "dump", "-sh", "@" } },
		{ "AMOUNT\n", { "rss", "--human", "@" } },
		{ "K", { "share", "-h", "@", "1" } },
		{ "K", { "huge", "-h", "@" } },
		{ "Usage: ptwalk watch", { "watch", "-h", "@" } },
	};
	const char *word[5];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(with); i++) {
		for (j = 0; j < 5; j++)
			word[j] = with[i].word[j] && *with[i].word[j] == '@' ?
				  self->pid : with[i].word[j];
		run(&out, self->ptwalk, word[0], word[1], word[2], word[3]);
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED(with[i].says);
	}
	run(&out, self->ptwalk, "dump", "-s", self->pid);
	EXPECT_PRINTED("PAGES      EXTENTS\n");
	EXPECT_UNPRINTED("AMOUNT", "EXTENTS");
}

/* Whether what stands in @line right before column @end ends there. */
static bool ends_at(const char *line, size_t end)
{
	return strcspn(line, "\n") > end && line[end - 1] != ' ' && line[end] == ' ';
}

/* Of a process with more pages than the columns are usually wide. */
TEST_F(usage, columns)
{
	const u64 size = (u64)sysconf(_SC_PAGESIZE) << 27;
	char pid[16], *line, *pages;
	void *memory = MAP_FAILED;
	int lines = 0;

	if (sizeof(long) == 8)
		memory = mmap(NULL, size, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		SKIP(return, "there is no address space for so many pages");
	snprintf(pid, sizeof(pid), "%d", getpid());
	run(&out, self->ptwalk, "dump", pid);
	EXPECT_STATUS(MATCH);
	pages = strstr(out.text, "PAGES ");
	ASSERT_NE(NULL, pages);
	for (line = out.text; (line = strstr(line, "\n  0x")); lines++) {
		EXPECT_TRUE(ends_at(++line, pages + strlen("PAGES") - out.text))
			TH_LOG("%.160s", line);
	}
	EXPECT_LT(1, lines);
	run(&out, self->ptwalk, "share", pid, self->pid);
	munmap(memory, size);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("PERM       COW      FILE ");
}

/* Runs @script, in which $1 is the command and $2 the process. */
#define SH(script)	run(&out, "sh", "-c", script, "sh", self->ptwalk, self->pid)

/* As people use filters: one answer a line, and each line that has none is named. */
TEST_F(usage, filters)
{
	static const char *const empty[] = { "</dev/null", "<<E\n\n# none\nE\n" };
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		snprintf(line, sizeof(line), "\"$1\" translate $2 - %s", empty[i]);
		SH(line);
		EXPECT_STATUS(USAGE);
		EXPECT_PRINTED("standard input: nothing in it");
		snprintf(line, sizeof(line), "\"$1\" decode - %s", empty[i]);
		SH(line);
		EXPECT_STATUS(USAGE);
		EXPECT_PRINTED("standard input: nothing in it");
	}
	SH("printf '1000\nzz\n2000\n-3\n3000' | \"$1\" translate $2 0 - 4000");
	EXPECT_PRINTED("0x0  ");
	EXPECT_PRINTED("\n0x1000  ");
	EXPECT_PRINTED("\n0x2000  ");
	EXPECT_PRINTED("\n0x3000  ");
	EXPECT_PRINTED("standard input, line 2: address 'zz'");
	EXPECT_PRINTED("standard input, line 4: address '-3'");
	EXPECT_EQ(UNCHECKED, out.status);	/* zz might be a name */
	SH("printf '1\n0x\n2\n' | \"$1\" decode -");
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("0x0000000000000001 ");
	EXPECT_PRINTED("standard input, line 2: entry '0x'");
	EXPECT_PRINTED("0x0000000000000002 ");
	SH("head -c 40000 /dev/zero | tr '\\0' 1 | \"$1\" translate $2 -");
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("line 1: the line is too long");
	SH("\"$1\" translate $2 - <&-");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("standard input: ");
	SH("yes 1000 | head -3000 | \"$1\" translate $2 - | grep -c 'in no VMA'");
	EXPECT_PRINTED("3000\n");
	/* A program that asks, reads the answer and asks again. */
	SH("d=$(mktemp -d); mkfifo $d/in $d/out; \"$1\" translate $2 - <$d/in >$d/out & "
	   "exec 3>$d/in 4<$d/out; for a in 1000 2000; do echo $a >&3; read -r line <&4; "
	   "echo \"got $line\"; done; exec 3>&-; wait; rm -r $d");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("got 0x1000 ");
	EXPECT_PRINTED("got 0x2000 ");
}

/* Where nothing was compared, nothing is said of comparing. */
TEST_F(usage, nothing_compared)
{
	const char *const with[][3] = {
		{ "check", "4194305" }, { "check", "--all", "1000-2000" },
		{ "check", "--all", "no-such-name" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		run(&out, self->ptwalk, with[i][0], with[i][1], with[i][2]);
		EXPECT_STATUS(UNCHECKED);
		EXPECT_PRINTED("0 processes on ");
		EXPECT_PRINTED(": nothing compared\n");
		EXPECT_UNPRINTED("source ", "nothing compared");
		EXPECT_UNPRINTED("0 pages", "nothing compared");
	}
	run(&out, self->ptwalk, "check", "--all", "1000-2000", "--ktap");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("\nok 1 ptwalk.check # SKIP could not be checked\n");
	EXPECT_UNPRINTED(".pagemap\n", "ptwalk.check");
	/* Of a recording that can't be written, the report is there. */
	run(&out, self->ptwalk, "check", "--record", "/dev/full", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("/dev/full: ");
	EXPECT_PRINTED("\n1 process on ");
}

/* Memory that was only read is one page, of s390 several in a row, and one line. */
TEST_F(usage, zero_pages)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char pid[16], range[64];
	volatile char *at = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)at);
	madvise((void *)at, 16 * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < 16; i++)
		(void)at[i * page];
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%#lx+%#zx", (unsigned long)at, 16 * page);
	run(&out, self->ptwalk, "dump", pid, range);
	EXPECT_STATUS(MATCH);
#ifdef __s390x__
	EXPECT_UNPRINTED("the zero page, 0x", ",zero,");
#else
	EXPECT_PRINTED(" the zero page, 0x");
#endif
	EXPECT_PRINTED(" 16 ");
	run(&out, self->ptwalk, "dump", "-v", pid, range);
	EXPECT_UNPRINTED("the zero page, 0x", ",zero,");
	run(&out, self->ptwalk, "pagemap", pid, range);
	EXPECT_STATUS(MATCH);
#ifndef __s390x__
	EXPECT_PRINTED(" 16 pages  present pfn 0x");
	EXPECT_PRINTED(", the zero page\n");
	EXPECT_ONE_LINE();
#endif
	run(&out, self->ptwalk, "pagemap", "--raw", pid, range);
	EXPECT_UNPRINTED("the zero page", "present pfn 0x");
	run(&out, self->ptwalk, "pagemap", "--json", pid, range);
	EXPECT_PRINTED("\"pages\":1,");
	munmap((void *)at, 16 * page);
}

/* By a descriptor of the thread that is left, where debugfs isn't seen. */
static void expect_exporter_of_thread(struct __test_metadata *_metadata,
				      FIXTURE_DATA(usage) *self, const char *addr)
{
	pid_t child = worker_without_first_thread(NULL, NULL);
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", child);
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mount("tmpfs", "/sys/kernel/debug", "tmpfs", 0, NULL);
	run(&out, self->ptwalk, "translate", "-v", pid, addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("  exporter  udmabuf\n");
	process_end(child);
}

/* The exporter of a dma-buf, by a descriptor or without one, by debugfs. */
TEST_F(usage, exporter)
{
	char pid[16], range[32];
	struct mapping m;
	struct ptw ptw;

	ASSERT_EQ(0, ptw_open(&ptw));
	ASSERT_EQ(0, mapping_build(&m, &ptw, build_udmabuf));
	if (m.lacks[0]) {
		mapping_release(&m);
		ptw_close(&ptw);
		SKIP(return, "there is no udmabuf");
	}
	snprintf(pid, sizeof(pid), "%d", m.pid);
	snprintf(range, sizeof(range), "%llx", m.start);
	run(&out, self->ptwalk, "translate", "-v", pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("  exporter  udmabuf\n");
	run(&out, self->ptwalk, "translate", "--json", "-v", pid, range);
	EXPECT_PRINTED("\"exporter\":\"udmabuf\"");
	expect_exporter_of_thread(_metadata, self, range);
	run(&out, self->ptwalk, "translate", "-v", pid, "stack");
	EXPECT_UNPRINTED("exporter", "  vma ");
	mapping_release(&m);
	ptw_close(&ptw);
}

/* A frame is one that there can be, or one that some entry has. */
TEST_F(usage, frames_beyond)
{
	static const char *const with[] = { "fffffffffffff", "phys:ffffffffffffffff" };

	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		run(&out, self->ptwalk, "frame", "--pid", self->pid, with[i]);
		/* s390 has all 64 bits. */
		if (out.status == MATCH)
			continue;
		EXPECT_STATUS(USAGE);
		EXPECT_PRINTED("frame 0xfffffffffffff: no such frame: physical addresses have ");
		EXPECT_ONE_LINE();
	}
	run(&out, self->ptwalk, "frame", "--pid", self->pid, "fffffffffffff", "1");
	EXPECT_PRINTED("frame 0x1: 0x1000-");
	/* A file that ends, and one that can't be read. */
	SH("unshare -m sh -c 'mount --bind /dev/null /proc/kpageflags && "
	   "exec \"$0\" frame --pid $1 1' \"$1\" $2");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("kpageflags   ends before this frame");
	/* What isn't known isn't said to be in the way. */
	SH("unshare -m sh -c 'mount --bind /dev/null /proc/kpageflags && "
	   "exec \"$0\" frame --pid $1 0-1f' \"$1\" $2");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("left out: ");
	EXPECT_PRINTED(": what is there isn't known: /proc/kpageflags has nothing of it\n");
	EXPECT_PRINTED("\nunknown ");
	EXPECT_UNPRINTED("frame 0x0: ", "\nKIND ");
	EXPECT_UNPRINTED("can't be moved away", "\nKIND ");
	SH("unshare -m sh -c 'mount --bind /proc/1/mem /proc/kpageflags && "
	   "exec \"$0\" frame --pid $1 1' \"$1\" $2");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("kpageflags   cannot be read: ");
}

/* What is printed is taken back, and can do a terminal no harm. */
TEST_F(usage, odd_names)
{
	static const char *const names[] = { ODD_NAME, AS_PRINTED, AS_IN_MAPS };
	static const char *const with[] = { "dump", "pagemap", "check" };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (j = 0; j < ARRAY_SIZE(with); j++) {
			run(&out, self->ptwalk, with[j], self->pid, names[i]);
			EXPECT_STATUS(MATCH);
			EXPECT_EQ(NULL, strchr(out.text, '\033'));
			EXPECT_EQ(NULL, strchr(out.text, '\351'));
		}
		run(&out, self->ptwalk, "translate", self->pid, names[i]);
		EXPECT_STATUS(MATCH);
	}
	run(&out, self->ptwalk, "dump", self->pid, ODD_NAME);
	EXPECT_PRINTED(AS_PRINTED);
	ASSERT_EQ(0, unlink(ODD_NAME));
	run(&out, self->ptwalk, "dump", self->pid, AS_PRINTED " (deleted)");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(AS_PRINTED " (deleted)");
}

/* A name of several mappings means the first; of a program's, that goes without saying. */
TEST_F(usage, names_of_several_mappings)
{
	const size_t size = getpagesize();
	char pid[16], range[64], *first, *second;
	int fd = memfd_create("twins", 0);

	snprintf(pid, sizeof(pid), "%d", getpid());
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, size));
	first = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, first);
	run(&out, self->ptwalk, "translate", pid, "twins");
	EXPECT_STATUS(MATCH);
	EXPECT_ONE_LINE();
	second = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, second);
	run(&out, self->ptwalk, "translate", pid, "twins");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("'twins' is in the first of 2 mappings of that name");
	run(&out, self->ptwalk, "translate", pid, "usage");
	EXPECT_STATUS(MATCH);
	EXPECT_ONE_LINE();
	/* Of a range, each page. */
	snprintf(range, sizeof(range), "%llx+%zx", (u64)(uintptr_t)first, 2 * size);
	run(&out, self->ptwalk, "translate", "--json", pid, range);
	EXPECT_STATUS(MATCH);
	for (size_t i = 0; i < 2; i++) {
		snprintf(range, sizeof(range), "\"vaddr\":\"%#llx\"",
			 (u64)(uintptr_t)first + i * size);
		EXPECT_PRINTED(range);
	}
	munmap(first, size);
	munmap(second, size);
	close(fd);
}

TEST_F(usage, output_that_cannot_be_written)
{
	static const char *const to[] = { ">&-", ">/dev/full" };
	const char *const with[] = {
		"dump @", "dump --json @", "pagemap @", "check @", "check --json @",
		"check --ktap @", "translate -v @ [stack]", "rss @", "frame 1",
		"share @ 1", "decode 1", "explain", "explain --all", "explain --json", "info", "help",
	};
	char words[128], line[256];
	int unread[2];
	size_t i, j;

	ASSERT_EQ(0, pipe(unread));
	close(unread[0]);
	for (i = 0; i < ARRAY_SIZE(with); i++) {
		fill(with[i], self->pid, words, sizeof(words));
		for (j = 0; j < ARRAY_SIZE(to); j++) {
			snprintf(line, sizeof(line), "exec %s %s %s", self->ptwalk,
				 words, to[j]);
			run(&out, "sh", "-c", line);
			EXPECT_STATUS(UNCHECKED);
			EXPECT_PRINTED("cannot write to stdout");
		}
		/* Into a pipe that nobody reads any more, which is nothing to complain of. */
		snprintf(line, sizeof(line), "%s %s >&%d; echo status $?",
			 self->ptwalk, words, unread[1]);
		run(&out, "sh", "-c", line);
		EXPECT_STREQ("status 141\n", out.text)
			TH_LOG("%s printed: %.300s", words, out.text);
	}
	close(unread[1]);
}

/* The status of a command that has so many KiB of address space. */
static int status_within(const char *ptwalk, const char *words, unsigned long kib)
{
	char line[256];

	snprintf(line, sizeof(line), "ulimit -v %lu && exec %s %s", kib, ptwalk, words);
	run(&out, "sh", "-c", line);
	return out.status;
}

/* Whoever is short of memory says so, and blames nothing on the kernel. */
TEST_F(usage, memory)
{
	static const char *const with[] = {
		"check @", "check --json @", "rss @", "pagemap @", "huge @", "map @",
		"dump -v @",
	};
	const unsigned long step = 128, most = 256 << 10;
	unsigned long least = step, kib;
	char words[128];
	int good, short_of = 0;

	/* Less is not enough to begin. */
	while (least < most && status_within(self->ptwalk, "decode 1", least))
		least += step;
	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		fill(with[i], self->pid, words, sizeof(words));
		good = 0;
		for (kib = least; good < 2 && kib < most; kib += step)
			switch (status_within(self->ptwalk, words, kib)) {
			case MATCH:
				good++;
				break;
			case UNCHECKED:
				short_of++;
				good = 0;
				break;
			default:
				EXPECT_EQ(UNCHECKED, out.status)
					TH_LOG("%s, with %lu KiB: %.400s", words, kib, out.text);
			}
		EXPECT_EQ(2, good);
	}
	EXPECT_LT(10, short_of);
}

/* The plan comes first, and a replay is a test like any other. */
TEST_F(usage, ktap)
{
	char line[256];

	run(&out, self->ptwalk, "check", "--ktap", "--source",
	    "pagemap,pagemap-single", self->pid, self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(0, strncmp(out.text, "KTAP version 1\n1..3\n", 20));
	EXPECT_PRINTED("\nok 1 ptwalk.check\n");
	EXPECT_PRINTED("\nok 2 ptwalk.check.pagemap\n");
	EXPECT_PRINTED("\nok 3 ptwalk.check.pagemap-single\n");
	EXPECT_EQ(NULL, strstr(out.text + 20, "\n1.."));
	run(&out, self->ptwalk, "check", "--ktap", "4194305");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("\nok 1 ptwalk.check # SKIP could not be checked\n");
	run(&out, self->ptwalk, "check", "--source", "pagemap", "--record",
	    self->path[0], self->pid);
	EXPECT_STATUS(MATCH);
	run(&out, self->ptwalk, "check", "--ktap", "--replay", self->path[0]);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(0, strncmp(out.text, "KTAP version 1\n1..1\n", 20));
	EXPECT_PRINTED("\nok 1 ");
	/* The same from standard input. */
	snprintf(line, sizeof(line), "%s check --replay - <%s", self->ptwalk,
		 self->path[0]);
	run(&out, "sh", "-c", line);
	EXPECT_STATUS(MATCH);
	/* Present pages that pagemap would show as absent. */
	snprintf(line, sizeof(line),
		 "sed '/^pagemap /s/ [0-9a-f]* match$/ 0 match/' %s >%s",
		 self->path[0], self->path[1]);
	run(&out, "sh", "-c", line);
	run(&out, self->ptwalk, "check", "--ktap", "--replay", self->path[1]);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\nnot ok 1 ");
}

/* What is left out of kpageflags, lest the kernel crashes. */
TEST_F(usage, kpageflags_that_crash)
{
	static const char large[] = "large folios, hugetlb apart, are left out",
		around[] = "around what is compared";

	run(&out, self->ptwalk, "check", "-v", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("kpageflags");
	EXPECT_EQ(kernel_since(6, 2), !strstr(out.text, large));
	EXPECT_EQ(kernel_since(6, 2), !strstr(out.text, around));
	run(&out, self->ptwalk, "check", "-v", "--source", "kpageflags", "--known-bugs",
	    self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED(large, "kpageflags");
	EXPECT_EQ(kernel_since(6, 2), !strstr(out.text, around));
}

/* A bug that very many pages show is told only where its interface was named. */
TEST_F(usage, bug_that_all_sources_pass_over)
{
	run(&out, self->ptwalk, "check", "--source", "kpageflags", self->pid);
	if (!strstr(out.text, "kpageflags-ksm-bug"))
		SKIP(return, "kpageflags of this kernel has no KSM bug");
	EXPECT_STATUS(MISMATCH);
	run(&out, self->ptwalk, "check", "-v", "--source", "all", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\nexplained by kpageflags-ksm-bug: ");
	EXPECT_PRINTED("(kpageflags-ksm-bug) is passed over: --source kpageflags reports it");
}

/* A signal ends both, is no failure of the command, and is the status, as of check. */
TEST_F(usage, interrupted_during)
{
	static const struct {
		int number;
		const char *command, *says;
	} with[] = {
		{ SIGINT, "kill -INT $PPID; exec sleep 600", ", which signal 2 (" },
		{ SIGTERM, "kill $PPID; exec sleep 600", ", which signal 15 (" },
		{ SIGTERM, "trap 'exit 0' TERM; kill $PPID; while :; do :; done",
		  ", which exited with 0" },
		{ SIGHUP, "kill -HUP $PPID; exec sleep 600", ", which signal 1 (" },
		/* One that doesn't want to end, and one that can't. */
		{ SIGTERM, "trap '' TERM; kill $PPID; while :; do :; done",
		  ", which hasn't ended yet" },
		{ SIGTERM, "(sleep 1; kill $PPID) & kill -STOP $$; exec sleep 600",
		  ", which signal 15 (" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		run(&out, self->ptwalk, "check", "--during", "--source", "pagemap", self->pid,
		    "--", "sh", "-c", with[i].command);
		EXPECT_STATUS(128 + with[i].number);
		EXPECT_PRINTED(with[i].says);
		EXPECT_PRINTED("; interrupted\n");
	}
}

/* Until the process is in write(), as far as the kernel tells; or for a minute. */
static void wait_for_write(pid_t pid)
{
	const double begun = seconds_now();
	char path[32], text[64];
	unsigned long fd;
	long call;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	while (seconds_now() < begun + 60 &&
	       (proc_read(path, text, sizeof(text)) ||
		sscanf(text, "%ld 0x%lx", &call, &fd) != 2 || call != SYS_write ||
		fd != STDOUT_FILENO))
		usleep(10000);
}

/* In a session of its own, with that terminal; it ends with @status. */
static void run_on_terminal(int master, const char *const *argv, int *status)
{
	int slave;
	pid_t pid;

	pid = fork();
	if (!pid) {
		setsid();
		slave = open(ptsname(master), O_RDWR);
		if (slave < 0 || ioctl(slave, TIOCSCTTY, 0))
			_exit(125);
		close(master);
		/* As with Ctrl-S. */
		tcflow(slave, TCOOFF);
		dup2(slave, STDOUT_FILENO);
		dup2(slave, STDERR_FILENO);
		close(slave);
		execv(argv[0], (char *const *)argv);
		_exit(126);
	}
	wait_for_write(pid);
	close(master);
	waitpid(pid, status, 0);
}

/* On a terminal nothing is wider than that; in a pipe, lines are whole. */
TEST_F(usage, fits_the_terminal)
{
	static const char *const with[][4] = {
		{ "check", "PID" }, { "check", "-v", "--lint", "PID" }, { "dump", "PID" },
		{ "dump", "-v", "PID" }, { "dump", "--summary", "PID" },
		{ "translate", "-v", "PID", "[stack]" }, { "rss", "PID" }, { "rss", "-v", "PID" },
		{ "rss", "--mappings", "PID" }, { "share", "PID", "1" }, { "huge", "PID" },
		{ "dirty", "PID" }, { "pagemap", "PID", "[stack]" }, { "map", "PID" },
		{ "pins", "PID" }, { "info" }, { "kernel", "--help" },
		{ "kernel", "vmalloc" }, { "kernel", "--check", "--lint" },
		{ "explain" }, { "explain", "claims" }, { "--help" },
		{ "check", "--help" }, { "rss", "--help" }, { "iova", "--help" },
		{ "watch", "-n2", "-i0.1", "PID" }, { "watch", "-an2", "-i0.1", "PID" },
		{ "decode", "0x8180000000123456" }, { "frame", "1000-2000" },
		{ "watch", "--help" },
	};
	const bool kernel = module_file_exists("ptwalk_kernel");
	const char *argv[6], *word, *shown, *line = "";
	unsigned int wide = 0;

	if (kernel)
		ASSERT_EQ(0, module_load("ptwalk_kernel"));
	unsetenv("COLUMNS");
	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		argv[0] = self->ptwalk;
		for (size_t j = 0; j < ARRAY_SIZE(with[i]); j++) {
			word = with[i][j];
			argv[j + 1] = word && !strcmp(word, "PID") ? self->pid : word;
		}
		argv[5] = NULL;
		if (!strcmp(argv[1], "kernel") && !kernel)
			continue;
		for (unsigned short columns = 80; columns <= 100; columns += 20) {
			EXPECT_LE(0, terminal_show(columns, argv, &shown));
			EXPECT_NE('\0', *shown)
				TH_LOG("%s %s prints nothing", with[i][0], with[i][1] ?: "");
			EXPECT_GE(columns, terminal_widest(shown, &line))
				TH_LOG("%s %s: %.160s", with[i][0], with[i][1] ?: "", line);
		}
		run(&out, argv[0], argv[1], argv[2], argv[3], argv[4]);
		wide += terminal_widest(out.text, &line) > 100;
	}
	EXPECT_LT(0, wide);
	module_unload("ptwalk_kernel");
}

/* With it goes what is printed; what is written to files is whole. */
TEST_F(usage, closed_terminal)
{
	const char *const argv[] = {
		self->ptwalk, "check", "--all", "-v", "--json", "--source", "pagemap",
		"--record", self->path[0], "--prometheus", self->path[1], NULL,
	};
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;

	ASSERT_LE(0, master);
	ASSERT_EQ(0, grantpt(master));
	ASSERT_EQ(0, unlockpt(master));
	run_on_terminal(master, argv, &status);
	EXPECT_NE(0, status);
	EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != UNCHECKED)
		TH_LOG("status 0x%x", status);
	run(&out, "tail", "-n", "1", self->path[0]);
	EXPECT_EQ(0, strncmp(out.text, "end ", 4))
		TH_LOG("%.100s", out.text);
	run(&out, "sh", "-c", "ls /tmp/usage-*.*");
	EXPECT_PRINTED("o such file");
}

/* Recordings and pictures are for whoever made them, and don't go through links. */
TEST_F(usage, files)
{
	static const char *const with[][3] = {
		{ "check", "--source=pagemap", "--record" }, { "rss", "-v", "--record" },
		{ "map", "--format=svg", "-o" },
	};
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		ASSERT_EQ(0, chmod(self->path[0], 0666));
		run(&out, self->ptwalk, with[i][0], with[i][1], with[i][2],
		    self->path[0], self->pid);
		EXPECT_STATUS(MATCH);
		ASSERT_EQ(0, stat(self->path[0], &st));
		EXPECT_EQ(S_IFREG | 0600, st.st_mode);
		EXPECT_LT(0, st.st_size);
		unlink(self->path[1]);
		ASSERT_EQ(0, symlink(self->path[0], self->path[1]));
		run(&out, self->ptwalk, with[i][0], with[i][1], with[i][2],
		    self->path[1], self->pid);
		EXPECT_STATUS(UNCHECKED);
		EXPECT_PRINTED("a symbolic link");
		/* There is no such process, and so nothing to put there. */
		ASSERT_EQ(0, truncate(self->path[0], 3));
		run(&out, self->ptwalk, with[i][0], with[i][1], with[i][2],
		    self->path[0], "4194305");
		EXPECT_STATUS(UNCHECKED);
		ASSERT_EQ(0, stat(self->path[0], &st));
		EXPECT_EQ(3, st.st_size);
		EXPECT_EQ(0600, st.st_mode & 07777);
	}
	run(&out, "sh", "-c", "ls /tmp/usage-*.*");
	EXPECT_PRINTED("o such file");
}

/* A file beside what is printed, that says how the run went. */
TEST_F(usage, prometheus)
{
	const char *const file = self->path[0];

	run(&out, self->ptwalk, "check", "--prometheus", file, "--source",
	    "pagemap,smaps", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("1 process on Linux");
	run(&out, "cat", file);
	EXPECT_PRINTED("\nptwalk_check_up 1\n");
	EXPECT_PRINTED("\nptwalk_check_partial 0\n");
	EXPECT_PRINTED("\nptwalk_check_exit_status 0\n");
	EXPECT_PRINTED("\nptwalk_check_processes{result=\"ok\"} 1\n");
	EXPECT_PRINTED("\nptwalk_check_interface_used{source=\"pagemap\"} 1\n");
	EXPECT_UNPRINTED("_compared{source=\"pagemap\"} 0\n", "_compared{source=\"pagemap\"} ");
	EXPECT_UNPRINTED("_compared{source=\"smaps\"} 0\n", "_compared{source=\"smaps\"} ");
	run(&out, self->ptwalk, "check", "--prometheus", file, "--json",
	    "--expect", "0:64K", self->pid, "[stack]");
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"type\":\"summary\"");
	run(&out, "cat", file);
	EXPECT_PRINTED("\nptwalk_check_exit_status 1\n");
	EXPECT_PRINTED("\nptwalk_check_processes{result=\"mismatch\"} 1\n");
	EXPECT_PRINTED("\nptwalk_check_mismatches{source=\"expect\",");
	run(&out, self->ptwalk, "check", "--prometheus", file, "--all", "--json",
	    "--budget", "0");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("\"partial\":\"budget\"");
	run(&out, "cat", file);
	EXPECT_PRINTED("\nptwalk_check_partial 1\n");
	EXPECT_PRINTED("\nptwalk_check_up 0\n");
}

/* Whatever happens, a document comes, and it is whole. */
TEST_F(usage, documents)
{
	run(&out, self->ptwalk, "check", "--format", "kcidb,origin=lab,run=1",
	    "--source", "pagemap", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("{\"version\":{\"major\":5,\"minor\":3},");
	EXPECT_PRINTED("\"id\":\"lab:1.pagemap\"");
	EXPECT_PRINTED("\"path\":\"ptwalk.check.pagemap\",\"status\":\"PASS\"}]}\n");
	run(&out, self->ptwalk, "check", "--format", "junit", "4194305");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("<error message=\"process 4194305: ");
	EXPECT_PRINTED("\n</testsuites>\n");
	run(&out, self->ptwalk, "check", "--format", "junit", "--source",
	    "pagemap", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" name=\"pagemap\" time=\"0.000\"/>\n</testsuite>\n</testsuites>\n");
	/* A signal, while it waits for someone to read what is recorded. */
	SH("d=$(mktemp -d); mkfifo $d/f; "
	   "\"$1\" check --format kcidb --record $d/f $2 & p=$!; "
	   "until [ $((0x$(sed -n 's/^SigCgt:[^0-9a-f]*//p' /proc/$p/status) & 0x4000)) != 0 ] || "
	   "! kill -0 $p; do :; done; "
	   "kill $p; cat $d/f >/dev/null; wait $p; echo status $?; rm -r $d");
	EXPECT_PRINTED("interrupted: 1 process not checked\n");
	EXPECT_PRINTED("\"status\":\"MISS\",\"comment\":\"interrupted: 1 process not checked\"");
	EXPECT_PRINTED("\nstatus 143\n");
}

/* As json.lines has them; a member that isn't there fails. */
static const struct json_lines lines[] = {
#include "json_lines.h"
};

/* Every line of every command; the process has a file with an odd name. */
TEST_F(usage, json)
{
	const char *sources = access("/proc/kcore", R_OK) ? "all" : "all,prove";
	char goal[32];
	const char *const argv[][8] = {
		{ "translate", "--json", "-v", self->pid, "[stack]", "0" },
		{ "dump", "--json", "-v", self->pid }, { "dump", "--json", "-s", self->pid },
		{ "dump", "--json", "--would-fault", self->pid },
		{ "check", "--json", "-v", self->pid },
		{ "check", "--json", "--expect", "0:4K", self->pid, "[stack]" },
		{ "check", "--json", "--source", sources, self->pid, "4194305" },
		{ "check", "--json", "--lint", self->pid },
		{ "check", "--json", "--during", self->pid, "--", "true" },
		{ "pagemap", "--json", self->pid },
		{ "decode", "--json", "8600000000000001", "0", "6535867" },
		{ "decode", "--json", "--pte", "--arch", "x86_64", "8000000006535867", "4" },
		{ "decode", "--json", "--pte", "--arch", "arm64", "104", "0" },
		{ "frame", "--json", "--pid", self->pid, "1", "1000" },
		{ "frame", "--json", "--pid", self->pid, "1-3" },
		{ "share", "--json", self->pid, "1" },
		{ "share", "--json", "-v", self->pid, "1" },
		{ "rss", "--json", "-v", "--record", self->path[0], self->pid },
		{ "rss", "--json", "--record", self->path[1], "1" },
		{ "rss", "--json", "--mappings", "--top", "0", self->pid, "1" },
		{ "diff", "--json", self->path[0], self->path[1] },
		{ "watch", "--json", "-a", "-n", "3", "-i", "0.1", self->pid },
		{ "watch", "--json", "-v", "-n", "2", "-i", "0.1", "1" },
		{ "huge", "--json", "--expect", goal, self->pid },
		{ "dirty", "--json", "-v", self->pid }, { "dirty", "--json", "self" },
		{ "pins", "--json", "--orphans" }, { "pins", "--json", self->pid },
		{ "map", "--json", "--before", self->path[1], self->pid },
		{ "map", "--json", "--replay", self->path[0] },
		{ "iova", "--json", "pci/0000:00:00.0" },
		{ "iova", "--json", "-p", self->pid, "pci/0000:00:00.0" },
		{ "explain", "--json" }, { "info", "--json" },
		{ "kernel", "--json" }, { "kernel", "--json", "-s" },
		{ "kernel", "--json", "--check", "--lint" },
		{ "kernel", "--json", "--diff", "/tmp/usage_kernel", "vmalloc" },
	};
	const bool has_kernel = !module_load("ptwalk_kernel");

	run(&out, self->ptwalk, "kernel", "--record", "/tmp/usage_kernel");
	snprintf(goal, sizeof(goal), "1%% %d", getpagesize());
	for (size_t i = 0; i < ARRAY_SIZE(argv); i++) {
		const char *with[10] = { self->ptwalk };
		char *line, *rest = out.text;
		size_t nr = 0;

		memcpy(with + 1, argv[i], sizeof(argv[i]));
		run_as(&out, 0, with);
		while ((line = strsep(&rest, "\n")) && rest) {
			const char *why;

			if (!strncmp(line, "ptwalk: ", 8))
				continue;
			nr++;
			why = json_check(line, argv[i][0], lines, ARRAY_SIZE(lines));
			EXPECT_EQ(NULL, why)
				TH_LOG("%s: %s: %.400s", argv[i][0], why, line);
			if (why)
				break;
		}
		if (strcmp(argv[i][0], "iova") && (has_kernel || strcmp(argv[i][0], "kernel")))
			EXPECT_LT(0, nr)
				TH_LOG("%s: no line", argv[i][0]);
	}
	module_unload("ptwalk_kernel");
}

TEST_HARNESS_MAIN
