// SPDX-License-Identifier: GPL-2.0
/*
 * ptwalk kernel: the kernel's own tables agree with what it lists of them, and each
 * mistake that the module ptwalk_kernel_fixture makes in them is found.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "command.h"
#include "test.h"

#define MODULE		"ptwalk_kernel"
#define MISTAKES	"ptwalk_kernel_fixture"
#ifndef __NR_memfd_secret
#define __NR_memfd_secret	447
#endif
#define PATIENCE	60	/* seconds until the start of a module lies elsewhere */
#define RESTRICTION	"/proc/sys/kernel/kptr_restrict"
#define KCORE		"/proc/kcore"
#define NEED_KCORE()	do { \
	if (access(KCORE, F_OK)) \
		SKIP(return, "the kernel has no " KCORE " (CONFIG_PROC_KCORE)"); \
} while (0)

static struct output out;

#define RUN(...)	run(&out, ptwalk_command(), "kernel", __VA_ARGS__)
/* Bugs of the kernel that are known have a test of their own. */
#define CHECK()		RUN("--check", "--lint", "--known-bugs", "--json")

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* The file with the kernel's own dump of its tables; NULL if it has none that is read. */
static const char *dump_of_kernel(void)
{
#if defined(__riscv) || defined(__s390x__)
	return NULL;
#else
	static const char *const file[] = {
		"/sys/kernel/debug/page_tables/current_kernel",
		"/sys/kernel/debug/kernel_page_tables",
	};

	return !access(file[0], F_OK) ? file[0] : !access(file[1], F_OK) ? file[1] : NULL;
#endif
}

FIXTURE(kernel)
{
	char restriction[8];
};

FIXTURE_SETUP(kernel)
{
	int fd;

	NEED_COMMAND();
	if (!module_file_exists(MODULE))
		SKIP(return, "there is no module " MODULE " for this architecture");
	ASSERT_EQ(0, module_load(MODULE));
	fd = open(RESTRICTION, O_RDONLY | O_CLOEXEC);
	ASSERT_LT(0, read(fd, self->restriction, sizeof(self->restriction) - 1));
	close(fd);
	ASSERT_TRUE(write_text(RESTRICTION, "1"));
}

FIXTURE_TEARDOWN(kernel)
{
	module_unload(MISTAKES);
	write_text(RESTRICTION, self->restriction);
	module_unload(MODULE);
}

TEST_F(kernel, agrees)
{
	CHECK();
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"areas_why_not\":null");
	EXPECT_UNPRINTED("\"areas\":0,", "\"areas\":");
	EXPECT_PRINTED(access(KCORE, F_OK) ? "\"segments_why_not\":\"there is no " KCORE :
					     "\"segments_why_not\":null");
	if (!access(KCORE, F_OK))
		EXPECT_UNPRINTED("\"segments\":0,", "\"segments\":");
	EXPECT_UNPRINTED("\"sections\":0,", "\"sections\":");
	EXPECT_UNPRINTED("\"frames\":0,", "\"frames\":");
	if (dump_of_kernel()) {
		EXPECT_UNPRINTED("\"dumped\":0,", "\"dumped\":");
		EXPECT_PRINTED("\"dumped_why_not\":null");
	} else {
		EXPECT_UNPRINTED("\"dumped_why_not\":null", "\"dumped_why_not\":\"");
	}
	EXPECT_UNPRINTED("\"verdict\":\"mismatch\"", "\"mismatch\":0}");
}

/* s390 has larger pages with EDAT1 only, which QEMU's emulation lacks. */
static bool splits_its_image(const char *machine)
{
	return !strcmp(machine, "x86_64") ||
	       (!strcmp(machine, "s390x") && kernel_since(6, 10) &&
		!system("grep -q '^features.* edat' /proc/cpuinfo"));
}

/* What maps the kernel's image a second time splits pages there, and counts these, too. */
TEST_F(kernel, counts_the_image)
{
	struct utsname uts;

	uname(&uts);
	RUN("--check", "--json");
	EXPECT_PRINTED(!strcmp(uts.machine, "x86_64") || !strcmp(uts.machine, "s390x") ?
		       "\"directmap_why_not\":null" : "\"directmap_why_not\":\"");
	if (!splits_its_image(uts.machine)) {
		EXPECT_STATUS(MATCH);
		return;
	}
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"directmap\",\"start\":null,\"last\":null,\"known\":true");
	EXPECT_UNPRINTED("\"known\":false", "\"known\":true");
}

/* Secret memory is taken out of the direct mapping, whose sizes count it still. */
TEST_F(kernel, knows_secret_memory)
{
	int fd = syscall(__NR_memfd_secret, O_CLOEXEC);
	size_t bytes = 4 * getpagesize();
	char *mem;

	if (fd < 0)
		SKIP(return, "memfd_secret() is off");
	ASSERT_EQ(0, ftruncate(fd, bytes));
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, mem);
	memset(mem, 1, bytes);
	CHECK();
	EXPECT_STATUS(MATCH);
	munmap(mem, bytes);
	close(fd);
}

/* A huge page that was taken out as a whole is counted as a huge one still. */
TEST_F(kernel, knows_absent_huge_pages)
{
	struct utsname uts;

	uname(&uts);
	if (strcmp(uts.machine, "x86_64"))
		SKIP(return, "no huge pages in the direct mapping, or no sizes of it");
	ASSERT_EQ(0, module_load_with(MISTAKES, "wrong=absent-huge"));
	CHECK();
	EXPECT_STATUS(MATCH);
	ASSERT_EQ(0, module_unload(MISTAKES));
}

/*
 * Of s390, ioremap() maps nothing without PCI functions of a kind that QEMU lacks, and no
 * process reaches the kernel's address space.
 */
#ifdef __s390x__
#define MAPS_REGISTERS	0
#define HAS_USER_BIT	0
#define IMAGE_IS_WRITABLE	1
#else
#define MAPS_REGISTERS	1
#define HAS_USER_BIT	1
#define IMAGE_IS_WRITABLE	0
#endif

/* s390 protects its code where it runs, and maps it a second time, as RAM. */
TEST_F(kernel, tells_of_the_second_image)
{
	RUN("--lint", "--json");
	if (IMAGE_IS_WRITABLE) {
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("\"rule\":\"writable-alias\"");
		EXPECT_UNPRINTED("\"known\":false", "\"known\":true");
	} else {
		EXPECT_STATUS(MATCH);
	}
}

/* Registers that QEMU's machines have: a timer, and clocks. */
static const char *registers(void)
{
	struct utsname uts;

	uname(&uts);
	return !strcmp(uts.machine, "x86_64") ? "0xfed00000" :
	       !strcmp(uts.machine, "riscv64") ? "0x101000" : "0x9010000";
}

static void expect_found(struct __test_metadata *_metadata, const char *wrong,
			 const char *rule)
{
	char params[64], printed[64];

	snprintf(params, sizeof(params), "wrong=%s at=%s", wrong, registers());
	ASSERT_EQ(0, module_load_with(MISTAKES, params));
	if (!strcmp(wrong, "rodata"))
		ASSERT_TRUE(write_text("/sys/module/" MISTAKES "/parameters/later", "1"));
	CHECK();
	EXPECT_STATUS(MISMATCH);
	snprintf(printed, sizeof(printed), "\"verdict\":\"mismatch\",\"rule\":\"%s\"", rule);
	EXPECT_PRINTED(printed);
	EXPECT_PRINTED("\"mismatch\":1}");
	ASSERT_EQ(0, module_unload(MISTAKES));
}

/* Each is the only one: what was found before goes with its module. */
TEST_F(kernel, finds_mistakes)
{
	expect_found(_metadata, "page-missing", "vmalloc-pages");
	expect_found(_metadata, "page-extra", "vmalloc-pages");
	if (MAPS_REGISTERS)
		expect_found(_metadata, "phys", "vmalloc-phys");
	if (ENTRIES_TELL_CACHING)
		expect_found(_metadata, "two-types", "two-types");
	expect_found(_metadata, "write-exec", "write-exec");
	expect_found(_metadata, "writable-alias", "writable-alias");
	if (HAS_USER_BIT)
		expect_found(_metadata, "user", "user");
	expect_found(_metadata, "rodata", "module-rights");
	expect_found(_metadata, "freed-page", "freed-page");
	expect_found(_metadata, "ioremap-ram", "ioremap-ram");
	expect_found(_metadata, "nobody", "vmalloc-nobody");
	CHECK();
	EXPECT_STATUS(MATCH);
}

/* Hardware's are resources with others inside, which only a driver makes. */
TEST_F(kernel, finds_what_goes_beyond_a_resource)
{
	if (system("grep -A1 -E '^0*(fed00000|9010000)-' /proc/iomem | grep -Eq 'HPET|^  '"))
		SKIP(return, "no driver has the clock's registers");
	expect_found(_metadata, "beyond", "iomem");
	CHECK();
	EXPECT_STATUS(MATCH);
}

/*
 * An area outlives the module that made it: it is there until another one frees it. Code
 * that lies where another module's once did names none: kmod/kernel/gone.c. It lies
 * elsewhere the next time, as long as the kernel hasn't given back what was unmapped.
 */
static void expect_left(struct __test_metadata *_metadata, const char *wrong, const char *by)
{
	const char *const found = "\"rule\":\"module-leftover\",\"start\":\"";
	const double until = seconds_now() + PATIENCE;
	char params[64];
	const char *at;

	do {
		ASSERT_EQ(0, module_load_with(MISTAKES, wrong));
		CHECK();
		EXPECT_STATUS(MATCH);
		ASSERT_EQ(0, module_unload(MISTAKES));
		CHECK();
	} while (out.status == MATCH && seconds_now() < until);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"mismatch\":1}");
	EXPECT_PRINTED(by);
	at = strstr(out.text, found);
	ASSERT_NE(NULL, at);
	at += strlen(found);
	snprintf(params, sizeof(params), "wrong=none at=%.*s", (int)strcspn(at, "\""), at);
	ASSERT_EQ(0, module_load_with(MISTAKES, params));
	ASSERT_EQ(0, module_unload(MISTAKES));
	CHECK();
	EXPECT_STATUS(MATCH);
}

TEST_F(kernel, finds_what_a_module_left)
{
	expect_left(_metadata, "wrong=leftover", "where " MISTAKES "+0x");
}

TEST_F(kernel, finds_what_starting_a_module_left)
{
	expect_left(_metadata, "wrong=leftover-init", "the start-up code of " MISTAKES " was");
}

/* Only x86 lists the memory types that it has given out. */
TEST_F(kernel, finds_other_memory_types)
{
	if (access("/sys/kernel/debug/x86/pat_memtype_list", F_OK))
		SKIP(return, "the kernel has no list of memory types");
	CHECK();
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("\"memtypes\":0,", "\"memtypes\":");
	expect_found(_metadata, "type", "memtype");
	CHECK();
	EXPECT_STATUS(MATCH);
}

/*
 * Copies the dump, without the right to write where the first line of the kernel's half
 * has it. Returns the address that the line begins with, in @at, or -1.
 */
static int copy_dump(const char *from, const char *to, char at[20])
{
	FILE *in = fopen(from, "re"), *copy = fopen(to, "we");
	char line[256], *right;
	int ret = -1;

	while (in && copy && fgets(line, sizeof(line), in)) {
		right = ret && !strncmp(line, "0xff", 4) ? strstr(line, " RW ") : NULL;
		if (right) {
			memcpy(right, " ro ", 4);
			snprintf(at, 20, "%.18s", line);
			ret = 0;
		}
		fputs(line, copy);
	}
	if (in)
		fclose(in);
	return copy && !fclose(copy) ? ret : -1;
}

/* The kernel's own dump is compared: one with another line in it is found. */
TEST_F(kernel, equals_the_dump)
{
	const char *const dump = dump_of_kernel(), *const copy = "/tmp/kernel_dump";
	char at[20], printed[96];

	if (!dump)
		SKIP(return, "the kernel has no dump of its tables (CONFIG_PTDUMP_DEBUGFS)");
	ASSERT_EQ(0, copy_dump(dump, copy, at));
	ASSERT_EQ(0, mount(copy, dump, NULL, MS_BIND, NULL));
	CHECK();
	ASSERT_EQ(0, umount(dump));
	unlink(copy);
	EXPECT_STATUS(MISMATCH);
	snprintf(printed, sizeof(printed), "\"rule\":\"ptdump\",\"start\":\"%s\"", at);
	EXPECT_PRINTED(printed);
	CHECK();
	EXPECT_STATUS(MATCH);
}

/* A copy of the headers of /proc/kcore, in which the first memory is a page further on. */
static bool copy_kcore(const char *to, char at[20])
{
	int in = open(KCORE, O_RDONLY | O_CLOEXEC), fd;
	static char head[65536];
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)head;
	ssize_t got = in < 0 ? -1 : read(in, head, sizeof(head));
	Elf64_Phdr *p = (Elf64_Phdr *)(head + e->e_phoff), *end = p + e->e_phnum;
	bool ok;

	if (in >= 0)
		close(in);
	if (got < (ssize_t)sizeof(*e) || (char *)end > head + got)
		return false;
	while (p < end && (p->p_type != PT_LOAD || p->p_paddr == UINT64_MAX))
		p++;
	if (p == end)
		return false;
	p->p_paddr += getpagesize();
	snprintf(at, 20, "0x%llx", (unsigned long long)p->p_vaddr);
	fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ok = fd >= 0 && write(fd, head, got) == got;
	if (fd >= 0)
		close(fd);
	return ok;
}

/* The kernel tells debuggers where its memory is: one who lies is found. */
TEST_F(kernel, equals_kcore)
{
	const char *const copy = "/tmp/kcore_headers";
	char at[20], printed[96];

	NEED_KCORE();
	ASSERT_TRUE(copy_kcore(copy, at));
	ASSERT_EQ(0, mount(copy, KCORE, NULL, MS_BIND, NULL));
	CHECK();
	ASSERT_EQ(0, umount(KCORE));
	unlink(copy);
	EXPECT_STATUS(MISMATCH);
	snprintf(printed, sizeof(printed), "\"rule\":\"kcore\",\"start\":\"%s\"", at);
	EXPECT_PRINTED(printed);
	CHECK();
	EXPECT_STATUS(MATCH);
}

/* What vmalloc() has taken is what its areas have: a meminfo that says otherwise is found. */
TEST_F(kernel, equals_meminfo)
{
	const char *const copy = "/tmp/meminfo";

	/* By more than processors may keep for themselves. */
	ASSERT_EQ(0, system("sed '/^VmallocUsed:/s/[0-9]/9&/' /proc/meminfo >/tmp/meminfo"));
	ASSERT_EQ(0, mount(copy, "/proc/meminfo", NULL, MS_BIND, NULL));
	CHECK();
	ASSERT_EQ(0, umount("/proc/meminfo"));
	unlink(copy);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"verdict\":\"mismatch\",\"rule\":\"vmalloc-used\"");
	EXPECT_PRINTED("\"mismatch\":1}");
	CHECK();
	EXPECT_STATUS(MATCH);
}

/* What can't be compared is named. */
TEST_F(kernel, names_what_is_not_compared)
{
	NEED_KCORE();
	ASSERT_EQ(0, mount("/dev/null", KCORE, NULL, MS_BIND, NULL));
	RUN("--check", "--known-bugs");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("not compared: segments of kcore: ");
	CHECK();
	EXPECT_STATUS(UNCHECKED);
	EXPECT_UNPRINTED("\"segments_why_not\":null", "\"segments_why_not\":\"");
	ASSERT_EQ(0, umount(KCORE));
	CHECK();
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"segments_why_not\":null");
}

/* Nothing is found while stacks and modules come and go. */
TEST_F(kernel, while_it_changes)
{
	pid_t child, grandchild;

	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		setpgid(0, 0);
		for (;;) {
			grandchild = fork();
			if (!grandchild)
				_exit(0);
			waitpid(grandchild, NULL, 0);
			module_load("ptwalk_fixture");
			module_unload("ptwalk_fixture");
		}
	}
	for (int i = 0; i < 5; i++) {
		CHECK();
		EXPECT_STATUS(MATCH);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	module_unload("ptwalk_fixture");
}

TEST_F(kernel, lists)
{
	RUN("--json", "direct");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"part\":\"direct\"");
	EXPECT_UNPRINTED("\"part\":\"vmalloc\"", "\"part\":\"direct\"");
	RUN("modules", "vmalloc");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("START-END");
	EXPECT_PRINTED("vmalloc ");
	RUN("--summary");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("direct ");
	RUN("nowhere");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("--check", "direct");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
}

#define BEFORE	"/tmp/kernel_before"
#define AFTER	"/tmp/kernel_after"

/* What a module maps is told when it comes and when it goes, by both ways. */
TEST_F(kernel, compares_two_moments)
{
	if (!module_file_exists("ptwalk_fixture"))
		SKIP(return, "there is no module to be loaded");
	module_unload("ptwalk_fixture");
	RUN("--record", BEFORE);
	EXPECT_STATUS(MATCH);
	EXPECT_STREQ("", out.text);
	ASSERT_EQ(0, module_load("ptwalk_fixture"));
	RUN("-v", "--diff", BEFORE, "modules", "vmalloc");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" mapped ");
	EXPECT_PRINTED("before not mapped");
	EXPECT_PRINTED("pages changed: ");
	RUN("--record", AFTER);
	module_unload("ptwalk_fixture");
	RUN("--json", "--diff", AFTER, "modules", "vmalloc");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"changes\":[\"unmapped\"],\"before\":{\"kind\":\"present\"");
	EXPECT_PRINTED("\"type\":\"summary\"");
	RUN("--diff", BEFORE, "--replay", AFTER, "modules", "vmalloc");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" mapped ");
	/* As a picture: what has come is marked. */
	run(&out, ptwalk_command(), "map", "--kernel", "--replay", AFTER, "--before", BEFORE);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("the kernel's own tables, Linux ");
	/* Modules have memory of their own, or some of vmalloc's, as on arm64. */
	if (!strstr(out.text, "+vmalloc"))
		EXPECT_PRINTED("+modules");
	/* Where nothing has changed, nothing is told. */
	RUN("--diff", BEFORE, "--replay", BEFORE);
	EXPECT_STATUS(MATCH);
	EXPECT_STREQ("pages changed: none\n", out.text);
	/* Of a recording, parts are told as of the kernel. */
	RUN("--replay", BEFORE, "direct");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" direct\n");
}

TEST_F(kernel, refuses_other_recordings)
{
	RUN("--record", BEFORE);
	EXPECT_STATUS(MATCH);
	ASSERT_EQ(0, system("sed 's/ direct$/ elsewhere/' " BEFORE " >" AFTER));
	RUN("--diff", AFTER);
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("they are of two boots");
	ASSERT_EQ(0, system("sed '1s/ [^ ]* / 1.2.3 /' " BEFORE " >" AFTER));
	RUN("--diff", AFTER);
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("is of Linux 1.2.3");
	ASSERT_EQ(0, system("head -n 20 " BEFORE " >" AFTER));
	RUN("--replay", AFTER);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("no end mark");
	ASSERT_EQ(0, system("echo other >" AFTER));
	RUN("--replay", AFTER);
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("--diff", "-", "--replay", "-");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("--lint", "--phys", "1000");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
}

/* The first page of RAM that is mapped is so in the direct mapping. */
TEST_F(kernel, tells_who_reaches_a_frame)
{
	char *phys;

	RUN("-v", "direct");
	EXPECT_STATUS(MATCH);
	phys = strstr(out.text, " direct\n");
	ASSERT_NE(NULL, phys);
	while (phys > out.text && phys[-1] != '\n')
		phys--;
	/* Behind its range and its size. */
	phys = strstr(phys + 3, " 0x");
	ASSERT_NE(NULL, phys);
	phys = strndup(phys + 1, strcspn(phys + 1, " "));
	RUN("--phys", phys);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(phys);
	EXPECT_PRINTED(" direct");
	free(phys);
	RUN("--phys", "fffffffffffff000");
	EXPECT_STATUS(MATCH);
	EXPECT_STREQ("nothing is mapped there\n", out.text);
	RUN("--phys", "5-3");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
}

TEST_F(kernel, hides_addresses)
{
	const char *const as_nobody[] = { ptwalk_command(), "kernel", NULL };

	run_as(&out, 65534, as_nobody);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("CAP_SYS_RAWIO");
	EXPECT_ONE_LINE();
	ASSERT_TRUE(write_text(RESTRICTION, "2"));
	RUN("--summary");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("kptr_restrict is 2");
	EXPECT_ONE_LINE();
	/* The areas' addresses are hashed. */
	ASSERT_TRUE(write_text(RESTRICTION, "0"));
	RUN("--check", "--known-bugs");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("kptr_restrict=1");
	RUN("--lint", "--known-bugs");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("kptr_restrict=1");
}

TEST(kernel_without_its_module)
{
	NEED_COMMAND();
	module_unload(MODULE);
	RUN("--summary");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
	EXPECT_TRUE(strstr(out.text, "modprobe " MODULE) ||
		    (!module_file_exists(MODULE) && strstr(out.text, "aren't known")))
		TH_LOG("printed: %.300s", out.text);
}

TEST_HARNESS_MAIN
