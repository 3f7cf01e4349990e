// SPDX-License-Identifier: GPL-2.0
/* /proc/kcore: memory by its physical address. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "proc/kcore.h"
#include "proc/lockdown.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OUR_DATA	ELFDATA2MSB
#else
#define OUR_DATA	ELFDATA2LSB
#endif

/* A header of either class; a program of 32 bits may run on 64. */
struct header {
	uint64_t phoff;
	unsigned int phentsize, phnum;
};

static bool read_kcore_at(int fd, void *buf, size_t size, uint64_t offset)
{
	return pread(fd, buf, size, offset) == (ssize_t)size;
}

static const char *read_header(int fd, bool *wide, struct header *h)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} e = { { 0 } };

	if (!read_kcore_at(fd, e.ident, EI_NIDENT, 0))
		return "/proc/kcore is empty";
	if (memcmp(e.ident, ELFMAG, SELFMAG) ||
	    (e.ident[EI_CLASS] != ELFCLASS32 &&
	     e.ident[EI_CLASS] != ELFCLASS64) || e.ident[EI_DATA] != OUR_DATA)
		return "/proc/kcore is no ELF file of this machine";
	*wide = e.ident[EI_CLASS] == ELFCLASS64;
	if (!read_kcore_at(fd, &e, *wide ? sizeof(e.wide) : sizeof(e.narrow), 0))
		return "the header of /proc/kcore is cut off";
	if (*wide)
		*h = (struct header){ e.wide.e_phoff, e.wide.e_phentsize,
				      e.wide.e_phnum };
	else
		*h = (struct header){ e.narrow.e_phoff, e.narrow.e_phentsize,
				      e.narrow.e_phnum };
	return h->phentsize == (*wide ? sizeof(Elf64_Phdr) :
				sizeof(Elf32_Phdr)) ?
	       NULL : "the program headers of /proc/kcore have no known size";
}

/* Whether a segment is of known physical address; vmalloc's isn't. */
static bool read_segment(int fd, bool wide, uint64_t at,
			 struct kcore_segment *s, const char **why)
{
	Elf32_Phdr narrow;
	Elf64_Phdr phdr;

	if (wide ? !read_kcore_at(fd, &phdr, sizeof(phdr), at) :
	    !read_kcore_at(fd, &narrow, sizeof(narrow), at)) {
		*why = "the program headers of /proc/kcore are cut off";
		return false;
	}
	if (!wide)
		phdr = (Elf64_Phdr) {
			.p_type = narrow.p_type,
			.p_offset = narrow.p_offset,
			.p_vaddr = narrow.p_vaddr,
			.p_paddr = narrow.p_paddr == UINT32_MAX ?
				   UINT64_MAX : narrow.p_paddr,
			.p_filesz = narrow.p_filesz,
		};
	*s = (struct kcore_segment){ phdr.p_vaddr, phdr.p_paddr, phdr.p_filesz,
				     phdr.p_offset };
	return phdr.p_type == PT_LOAD && phdr.p_filesz &&
	       phdr.p_paddr != UINT64_MAX &&
	       phdr.p_filesz <= UINT64_MAX - phdr.p_paddr;
}

static int by_size(const void *a, const void *b)
{
	const struct kcore_segment *x = a, *y = b;

	return x->size > y->size ? -1 : x->size < y->size;
}

const char *kcore_parse(int fd, struct kcore *kcore)
{
	struct kcore_segment s;
	const char *why;
	struct header h;
	unsigned int i;
	bool wide;

	*kcore = (struct kcore){ .fd = fd };
	why = read_header(fd, &wide, &h);
	if (why)
		return why;
	kcore->segment = calloc(h.phnum + 1, sizeof(s));
	if (!kcore->segment)
		return "out of memory";
	for (i = 0; i < h.phnum && !why; i++)
		if (read_segment(fd, wide,
				 h.phoff + (uint64_t)i * h.phentsize, &s,
				 &why))
			kcore->segment[kcore->nr++] = s;
	if (!why && !kcore->nr)
		why = "/proc/kcore doesn't say which physical addresses it has";
	if (why) {
		free(kcore->segment);
		kcore->segment = NULL;
		return why;
	}
	qsort(kcore->segment, kcore->nr, sizeof(s), by_size);
	return NULL;
}

static bool confidential(void)
{
	char mode[LOCKDOWN_MODE];

	return !strcmp(lockdown_read(mode), "confidentiality");
}

static const char *kcore_not_opened(void)
{
	switch (errno) {
	case ENOENT:
		return "there is no /proc/kcore (CONFIG_PROC_KCORE)";
	case EPERM:
	case EACCES:
		return confidential() ?
		       "/proc/kcore can't be read: the kernel is locked down (confidentiality)" :
		       "/proc/kcore can't be read: it takes root with CAP_SYS_RAWIO";
	default:
		return "/proc/kcore can't be opened";
	}
}

const char *kcore_open(struct kcore *kcore)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	const char *why;

	if (fd < 0)
		return kcore_not_opened();
	why = kcore_parse(fd, kcore);
	if (why)
		close(fd);
	return why;
}

void kcore_close(struct kcore *kcore)
{
	free(kcore->segment);
	close(kcore->fd);
}

uint64_t kcore_find(const struct kcore *kcore, uint64_t paddr,
		    uint64_t *offset)
{
	const struct kcore_segment *s;
	size_t i;

	for (i = 0; i < kcore->nr; i++) {
		s = &kcore->segment[i];
		if (paddr < s->paddr || paddr - s->paddr >= s->size)
			continue;
		*offset = s->offset + (paddr - s->paddr);
		return s->size - (paddr - s->paddr);
	}
	return 0;
}

ssize_t kcore_read(const struct kcore *kcore, uint64_t paddr, void *buf,
		   size_t size)
{
	uint64_t offset, there = kcore_find(kcore, paddr, &offset);
	ssize_t got;

	if (!there)
		return 0;
	got = pread(kcore->fd, buf, size < there ? size : there, offset);
	return got < 0 ? -errno : got;
}
