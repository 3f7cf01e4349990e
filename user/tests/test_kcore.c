// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#include "proc/kcore.h"
#include "tests.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OUR_DATA	ELFDATA2MSB
#define OTHER_DATA	ELFDATA2LSB
#else
#define OUR_DATA	ELFDATA2LSB
#define OTHER_DATA	ELFDATA2MSB
#endif

/* Program headers begin a byte off, as nothing promises that they don't. */
#define PHOFF		(sizeof(Elf64_Ehdr) + 1)

static int made;

static int make_file(void)
{
	made = memfd_create("kcore", MFD_CLOEXEC);
	assert_true(made >= 0);
	return made;
}

static void put(const void *data, size_t size, uint64_t offset)
{
	assert_int_equal(pwrite(made, data, size, offset), size);
}

static int file64(const Elf64_Phdr *phdr, size_t nr)
{
	Elf64_Ehdr e = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     OUR_DATA, EV_CURRENT },
		.e_type = ET_CORE,
		.e_phoff = PHOFF,
		.e_phentsize = sizeof(*phdr),
		.e_phnum = nr,
	};

	make_file();
	put(&e, sizeof(e), 0);
	put(phdr, nr * sizeof(*phdr), PHOFF);
	return made;
}

static int file32(const Elf32_Phdr *phdr, size_t nr)
{
	Elf32_Ehdr e = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32,
			     OUR_DATA, EV_CURRENT },
		.e_type = ET_CORE,
		.e_phoff = PHOFF,
		.e_phentsize = sizeof(*phdr),
		.e_phnum = nr,
	};

	make_file();
	put(&e, sizeof(e), 0);
	put(phdr, nr * sizeof(*phdr), PHOFF);
	return made;
}

static void close_made(struct kcore *kcore)
{
	kcore_close(kcore);
}

/* As x86-64 has them: a note, the kernel's text, vmalloc, RAM in two parts. */
static const Elf64_Phdr usual[] = {
	{ .p_type = PT_NOTE, .p_offset = 0x200, .p_filesz = 0x800 },
	{ .p_type = PT_LOAD, .p_offset = 0x7ffff81000000, .p_paddr = 0x1000000,
	  .p_filesz = 0x200000 },
	{ .p_type = PT_LOAD, .p_offset = 0x490000002000, .p_paddr = UINT64_MAX,
	  .p_filesz = 0x1fffffffffff },
	{ .p_type = PT_LOAD, .p_offset = 0x3000, .p_paddr = 0x1000,
	  .p_filesz = 0x9e000 },
	{ .p_type = PT_LOAD, .p_offset = 0x102000, .p_paddr = 0x100000,
	  .p_filesz = 0x7fee0000 },
};

static void found64(void **state)
{
	struct kcore kcore;
	uint64_t offset;

	assert_null(kcore_parse(file64(usual, 5), &kcore));
	assert_int_equal(kcore.nr, 3);
	assert_int_equal(kcore_find(&kcore, 0x1000, &offset), 0x9e000);
	assert_int_equal(offset, 0x3000);
	assert_int_equal(kcore_find(&kcore, 0x9efff, &offset), 1);
	assert_int_equal(offset, 0xa0fff);
	/* What the text's segment has, too, is taken from RAM's. */
	assert_int_equal(kcore_find(&kcore, 0x1000123, &offset), 0x7efdfedd);
	assert_int_equal(offset, 0x1002123);
	/* Not before, between, behind; and vmalloc is nowhere. */
	assert_int_equal(kcore_find(&kcore, 0, &offset), 0);
	assert_int_equal(kcore_find(&kcore, 0xfff, &offset), 0);
	assert_int_equal(kcore_find(&kcore, 0x9f000, &offset), 0);
	assert_int_equal(kcore_find(&kcore, 0xfffff, &offset), 0);
	assert_int_equal(kcore_find(&kcore, 0x7ffdffff, &offset), 1);
	assert_int_equal(kcore_find(&kcore, 0x7ffe0000, &offset), 0);
	assert_int_equal(kcore_find(&kcore, UINT64_MAX, &offset), 0);
	close_made(&kcore);
}

/* A 32-bit kernel's, whose offsets wrap, and whose "none" is of 32 bits. */
static void found32(void **state)
{
	static const Elf32_Phdr phdr[] = {
		{ .p_type = PT_NOTE, .p_offset = 0x200, .p_filesz = 0x800 },
		{ .p_type = PT_LOAD, .p_offset = 0x30801000,
		  .p_paddr = UINT32_MAX, .p_filesz = 0xf000000 },
		{ .p_type = PT_LOAD, .p_offset = 0xc0001000, .p_paddr = 0,
		  .p_filesz = 0x70000000 },
	};
	struct kcore kcore;
	uint64_t offset;

	assert_null(kcore_parse(file32(phdr, 3), &kcore));
	assert_int_equal(kcore.nr, 1);
	assert_int_equal(kcore_find(&kcore, 0x48000000, &offset), 0x28000000);
	assert_true(offset == 0x108001000);
	assert_int_equal(kcore_find(&kcore, 0x70000000, &offset), 0);
	assert_int_equal(kcore_find(&kcore, UINT32_MAX, &offset), 0);
	close_made(&kcore);
}

static void read_back(void **state)
{
	static const Elf64_Phdr phdr[] = {
		{ .p_type = PT_LOAD, .p_offset = 0x1000, .p_paddr = 0x40000000,
		  .p_filesz = 0x2000 },
	};
	struct kcore kcore;
	char page[0x3000];

	assert_null(kcore_parse(file64(phdr, 1), &kcore));
	memset(page, 'a', 0x1000);
	memset(page + 0x1000, 'b', 0x1000);
	put(page, 0x2000, 0x1000);
	memset(page, 0, sizeof(page));
	assert_int_equal(kcore_read(&kcore, 0x40000ffe, page, 4), 4);
	assert_memory_equal(page, "aabb", 4);
	/* Never beyond the segment, whatever stands there in the file. */
	assert_int_equal(kcore_read(&kcore, 0x40001000, page, 0x3000), 0x1000);
	assert_int_equal(kcore_read(&kcore, 0x40002000, page, 1), 0);
	assert_int_equal(kcore_read(&kcore, 0x3fffffff, page, 1), 0);
	close_made(&kcore);
}

static void refused(int fd, const char *reason)
{
	struct kcore kcore;
	const char *why = kcore_parse(fd, &kcore);

	assert_non_null(why);
	assert_string_equal(why, reason);
	close(fd);
}

static void no_kcore(void **state)
{
	static const Elf64_Phdr only[] = {
		{ .p_type = PT_NOTE, .p_filesz = 0x800 },
		{ .p_type = PT_LOAD, .p_paddr = UINT64_MAX, .p_filesz = 1 },
		{ .p_type = PT_LOAD, .p_paddr = 0x1000, .p_filesz = 0 },
		/* It would wrap. */
		{ .p_type = PT_LOAD, .p_paddr = -4096ULL, .p_filesz = 8192 },
	};
	unsigned char byte;
	uint16_t half;

	refused(make_file(), "/proc/kcore is empty");
	refused(file64(only, 4), "/proc/kcore doesn't say which physical addresses it has");
	file64(usual, 5);
	byte = 'X';
	put(&byte, 1, 1);
	refused(made, "/proc/kcore is no ELF file of this machine");
	file64(usual, 5);
	byte = OTHER_DATA;
	put(&byte, 1, EI_DATA);
	refused(made, "/proc/kcore is no ELF file of this machine");
	file64(usual, 5);
	byte = 3;
	put(&byte, 1, EI_CLASS);
	refused(made, "/proc/kcore is no ELF file of this machine");
	file64(usual, 5);
	half = 40;
	put(&half, 2, offsetof(Elf64_Ehdr, e_phentsize));
	refused(made, "the program headers of /proc/kcore have no known size");
	file64(usual, 5);
	assert_int_equal(ftruncate(made, PHOFF + 3 * sizeof(usual[0]) + 5), 0);
	refused(made, "the program headers of /proc/kcore are cut off");
	file64(usual, 5);
	assert_int_equal(ftruncate(made, 40), 0);
	refused(made, "the header of /proc/kcore is cut off");
}

SUITE(suite_kcore,
      cmocka_unit_test(found64), cmocka_unit_test(found32),
      cmocka_unit_test(read_back), cmocka_unit_test(no_kcore));
