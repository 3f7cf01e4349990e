// SPDX-License-Identifier: GPL-2.0
/* The kernel's own page tables: kmod/kernel/main.c says what the file is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "base/text.h"
#include "proc/kernel_tables.h"
#include "proc/lockdown.h"

static int take_tables_header(struct fields *f, struct kernel_tables *t)
{
	char arch[32];

	if (t->page_shift)
		return -EINVAL;
	if (fields_hex(f, UINT64_MAX) != 1)
		return -EPROTO;
	fields_word(f, arch, sizeof(arch));
	t->levels = fields_hex(f, KERNEL_LEVELS);
	t->page_shift = fields_hex(f, 20);
	t->level_shift[0] = t->page_shift;
	/* Earlier versions of the module and recordings have one, as all tables were alike. */
	for (unsigned int i = 1; i < t->levels; i++) {
		t->level_shift[i] = fields_end(f) ? t->page_shift + i * (t->page_shift - 3) :
						    fields_hex(f, 63);
		if (t->level_shift[i] <= t->level_shift[i - 1] || t->level_shift[i] > 63)
			return -EINVAL;
	}
	return f->bad || !t->levels || t->page_shift < 12 ? -EINVAL : 0;
}

static int take_types(struct fields *f, struct kernel_tables *t)
{
	while (t->nr_types < KERNEL_TYPES && !fields_end(f) && !f->bad)
		t->type[t->nr_types++] = fields_hex(f, 255);
	return f->bad ? -EINVAL : 0;
}

static int take_region(struct fields *f, struct kernel_tables *t)
{
	struct kernel_region r = { .start = fields_hex(f, UINT64_MAX) };

	r.last = fields_hex(f, UINT64_MAX);
	fields_word(f, r.name, sizeof(r.name));
	if (f->bad || r.last < r.start)
		return -EINVAL;
	return array_add(t->region, t->nr_regions, t->max_regions, r) ? 0 : -ENOMEM;
}

static int take_gone(struct fields *f, struct kernel_tables *t)
{
	struct kernel_gone g = { .start = fields_hex(f, UINT64_MAX) };

	g.last = fields_hex(f, UINT64_MAX);
	fields_word(f, g.name, sizeof(g.name));
	g.text = fields_end(f) ? 0 : fields_hex(f, UINT64_MAX);
	if (f->bad || g.last < g.start)
		return -EINVAL;
	return array_add(t->gone, t->nr_gone, t->max_gone, g) ? 0 : -ENOMEM;
}

static int take_rights(struct fields *f, struct kernel_tables *t, struct kernel_extent *e)
{
	char rights[16];
	uint64_t index;

	fields_word(f, rights, sizeof(rights));
	index = fields_hex(f, 255);
	if (f->bad || strlen(rights) < 4)
		return -EINVAL;
	e->write = rights[1] == 'w';
	e->exec = rights[2] == 'x';
	e->user = rights[3] == 'u';
	e->type = index < t->nr_types ? t->type[index] : 0;
	return 0;
}

/* Only of what is mapped is the physical address more than words for people. */
static bool extent_in_pages(const struct kernel_tables *t, const struct kernel_extent *e)
{
	const uint64_t phys = e->kind == KERNEL_MAPPED ? e->phys : 0;

	return t->page_shift && !((e->start | e->bytes | phys) & ((1ULL << t->page_shift) - 1));
}

static int take_kernel_extent(struct fields *f, struct kernel_tables *t,
			      enum kernel_extent_kind kind)
{
	struct kernel_extent e = { .kind = kind, .start = fields_hex(f, UINT64_MAX) };
	const struct kernel_extent *before = t->nr ? &t->extent[t->nr - 1] : NULL;
	int err = 0;

	e.bytes = fields_hex(f, UINT64_MAX);
	e.phys = fields_hex(f, UINT64_MAX);
	e.level = fields_hex(f, t->levels);
	if (kind == KERNEL_MAPPED)
		err = take_rights(f, t, &e);
	if (err || f->bad || !e.level || !e.bytes || e.bytes - 1 > UINT64_MAX - e.start ||
	    !extent_in_pages(t, &e) ||
	    (before && e.start - before->start < before->bytes))
		return -EINVAL;
	return array_add(t->extent, t->nr, t->max, e) ? 0 : -ENOMEM;
}

static int take_tables_end(struct fields *f, struct kernel_tables *t)
{
	t->complete = fields_hex(f, UINT64_MAX) == t->nr;
	t->tables = fields_hex(f, UINT64_MAX);
	t->again = fields_hex(f, UINT64_MAX);
	return f->bad ? -EINVAL : 0;
}

int kernel_tables_line(const char *line, struct kernel_tables *t)
{
	static const char *const kind[] = {
		[KERNEL_MAPPED] = "extent",
		[KERNEL_SAME_TABLE] = "same-table",
		[KERNEL_UNREADABLE] = "unreadable",
		[KERNEL_CHANGING] = "changing",
	};
	char word[32];
	struct fields f = fields_behind(line, word, sizeof(word));

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		if (!strcmp(word, kind[i]))
			return take_kernel_extent(&f, t, i);
	if (!strcmp(word, "ptwalk-kernel"))
		return take_tables_header(&f, t);
	if (!strcmp(word, "memory-types"))
		return take_types(&f, t);
	if (!strcmp(word, "region"))
		return take_region(&f, t);
	if (!strcmp(word, "gone"))
		return take_gone(&f, t);
	if (!strcmp(word, "end"))
		return take_tables_end(&f, t);
	return 0;
}

static int take_tables_line(char *line, void *arg)
{
	return kernel_tables_line(line, arg);
}

int kernel_tables_parse(FILE *stream, struct kernel_tables *tables)
{
	int err = lines_each(stream, take_tables_line, tables, NULL);

	return err ? err : tables->complete && tables->page_shift ? 0 : -EIO;
}

/* Why the file isn't there. */
static int tables_missing(void)
{
	struct utsname uts;

	if (!uname(&uts) && strcmp(uts.machine, "x86_64") && strcmp(uts.machine, "aarch64") &&
	    strcmp(uts.machine, "riscv64") && strcmp(uts.machine, "s390x"))
		return error_set(-ENOTSUP, "the kernel's tables of %s aren't known: only those of x86_64, aarch64, riscv64 and s390x are",
				 uts.machine);
	if (access("/sys/module/ptwalk_kernel", F_OK))
		return error_set(-ENOENT, "the module ptwalk_kernel isn't loaded: modprobe ptwalk_kernel");
	return error_set(-ENOENT, KERNEL_TABLES " isn't there: mount -t debugfs none /sys/kernel/debug");
}

static int tables_refused(void)
{
	char mode[LOCKDOWN_MODE], restriction[8] = "";

	lockdown_read(mode);
	text_of("/proc/sys/kernel/kptr_restrict", restriction, sizeof(restriction));
	if (*mode && strcmp(mode, "none"))
		return error_set(-EPERM, "the kernel is locked down (%s), and shows its tables to nobody",
				 mode);
	if (restriction[0] == '2')
		return error_set(-EPERM, "kernel.kptr_restrict is 2: addresses of the kernel are shown to nobody");
	return error_set(-EPERM, "the kernel's tables take CAP_SYS_ADMIN, CAP_SYS_RAWIO and CAP_SYSLOG in the initial user namespace");
}

int kernel_tables_read(struct kernel_tables *tables)
{
	FILE *stream = fopen(KERNEL_TABLES, "re");
	int err;

	if (!stream && errno == ENOENT)
		return tables_missing();
	if (!stream && (errno == EACCES || errno == EPERM))
		return geteuid() || !access("/sys/module/ptwalk_kernel", F_OK) ? tables_refused() :
		       tables_missing();
	if (!stream)
		return error_set(-errno, KERNEL_TABLES ": %s", strerror(errno));
	err = kernel_tables_parse(stream, tables);
	fclose(stream);
	if (err == -EPROTO)
		return error_set(err, "the module ptwalk_kernel speaks another version of its protocol");
	return err ? lines_failed(KERNEL_TABLES, err) : 0;
}

void kernel_tables_free(struct kernel_tables *tables)
{
	free(tables->region);
	free(tables->gone);
	free(tables->extent);
	memset(tables, 0, sizeof(*tables));
}

const struct kernel_region *kernel_region_named(const struct kernel_tables *tables,
						const char *name)
{
	for (size_t i = 0; i < tables->nr_regions; i++)
		if (!strcmp(tables->region[i].name, name))
			return &tables->region[i];
	return NULL;
}

const struct kernel_region *kernel_region_at(const struct kernel_tables *tables,
					     uint64_t addr)
{
	const struct kernel_region *r, *best = NULL;

	for (size_t i = 0; i < tables->nr_regions; i++) {
		r = &tables->region[i];
		if (addr >= r->start && addr <= r->last &&
		    (!best || r->last - r->start < best->last - best->start))
			best = r;
	}
	return best;
}

const struct kernel_gone *kernel_gone_at(const struct kernel_tables *tables, uint64_t addr)
{
	for (size_t i = 0; i < tables->nr_gone; i++)
		if (addr >= tables->gone[i].start && addr <= tables->gone[i].last)
			return &tables->gone[i];
	return NULL;
}

size_t kernel_extent_from(const struct kernel_tables *tables, uint64_t addr)
{
	size_t i = array_from(tables->extent, tables->nr, start, addr);
	const struct kernel_extent *before = i ? &tables->extent[i - 1] : NULL;

	return before && addr - before->start < before->bytes ? i - 1 : i;
}
