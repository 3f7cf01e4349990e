// SPDX-License-Identifier: GPL-2.0
/*
 * A recording has a line "kernel-tables RELEASE MACHINE BOOT", the last of which may be
 * missing, then lines of what it was made from, behind the word for that, and an end mark
 * (base/lines.h):
 *
 *   tables LINE	as the module ptwalk_kernel has it, with types for their indices
 *   areas LINE		as /proc/vmallocinfo has it; or "areas -", if that told nothing
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "kernel/recording.h"

static const char *const kind_word[] = {
	[KERNEL_MAPPED] = "extent",
	[KERNEL_SAME_TABLE] = "same-table",
	[KERNEL_UNREADABLE] = "unreadable",
	[KERNEL_CHANGING] = "changing",
};

static void record_extent(FILE *stream, const struct kernel_extent *e)
{
	fprintf(stream, "tables %s %" PRIx64 " %" PRIx64 " %" PRIx64 " %x", kind_word[e->kind],
		e->start, e->bytes, e->phys, e->level);
	if (e->kind == KERNEL_MAPPED)
		fprintf(stream, " r%c%c%c %x", e->write ? 'w' : '-', e->exec ? 'x' : '-',
			e->user ? 'u' : '-', e->type);
	fputc('\n', stream);
}

/* Returns how many lines it wrote, as does the next one. */
static uint64_t record_tables(FILE *stream, const char *machine, const struct kernel_tables *t)
{
	fprintf(stream, "tables ptwalk-kernel 1 %s %x", machine, t->levels);
	for (unsigned int i = 0; i < t->levels; i++)
		fprintf(stream, " %x", t->level_shift[i]);
	fputs("\ntables memory-types", stream);
	for (unsigned int i = 0; i < KERNEL_TYPES; i++)
		fprintf(stream, " %x", i);
	fputc('\n', stream);
	for (size_t i = 0; i < t->nr_regions; i++)
		fprintf(stream, "tables region %" PRIx64 " %" PRIx64 " %s\n", t->region[i].start,
			t->region[i].last, t->region[i].name);
	for (size_t i = 0; i < t->nr; i++)
		record_extent(stream, &t->extent[i]);
	fprintf(stream, "tables end %zx %" PRIx64 " %" PRIx64 "\n", t->nr, t->tables, t->again);
	return 3 + t->nr_regions + t->nr;
}

static uint64_t record_areas(FILE *stream, const struct vmallocinfo *areas)
{
	const struct vmalloc_area *a;

	if (areas->why_not)
		fputs("areas -\n", stream);
	for (size_t i = 0; !areas->why_not && i < areas->nr; i++) {
		a = &areas->area[i];
		fprintf(stream, "areas 0x%" PRIx64 "-0x%" PRIx64 " %" PRIu64, a->start, a->end,
			a->end - a->start);
		if (*a->caller)
			fprintf(stream, " %s", a->caller);
		if (a->has_pages)
			fprintf(stream, " pages=%" PRIu64, a->pages);
		if (a->has_phys)
			fprintf(stream, " phys=0x%" PRIx64, a->phys);
		fprintf(stream, "%s%s%s%s\n", a->is_vmalloc ? " vmalloc" : "",
			a->is_ioremap ? " ioremap" : "",
			a->is_coherent ? " dma-coherent" : "", a->is_freed ? " unpurged" : "");
	}
	return areas->why_not ? 1 : areas->nr;
}

int kernel_record(FILE *stream, const struct kernel_recorded *kernel,
		  const struct kernel_facts *facts)
{
	uint64_t lines = 1;

	fprintf(stream, "kernel-tables %s %s%s%s\n", kernel->release, kernel->machine,
		*kernel->boot ? " " : "", kernel->boot);
	lines += record_tables(stream, kernel->machine, &facts->tables);
	lines += record_areas(stream, &facts->areas);
	lines_mark_end(stream, lines);
	return fflush(stream) ? -errno : ferror(stream) ? -EIO : 0;
}

bool kernel_other_boot(const struct kernel_recorded *a, const struct kernel_recorded *b)
{
	return *a->boot && *b->boot && strcmp(a->boot, b->boot);
}

static int take_kernel_line(const char *line, struct kernel_recorded *kernel)
{
	struct fields f = { .at = line };

	if (*kernel->release)
		return -EINVAL;
	fields_word(&f, kernel->release, sizeof(kernel->release));
	fields_word(&f, kernel->machine, sizeof(kernel->machine));
	if (!fields_end(&f))
		fields_word(&f, kernel->boot, sizeof(kernel->boot));
	return !f.bad && fields_end(&f) ? 0 : -EINVAL;
}

static int take_recorded_line(char *line, struct kernel_recorded *kernel,
			      struct kernel_facts *facts)
{
	if (!strncmp(line, "kernel-tables ", 14))
		return take_kernel_line(line + 13, kernel);
	if (!*kernel->release)
		return -EINVAL;
	if (!strncmp(line, "tables ", 7))
		return kernel_tables_line(line + 7, &facts->tables);
	if (!strcmp(line, "areas -")) {
		facts->areas.why_not = "the recording has none";
		return 0;
	}
	return strncmp(line, "areas ", 6) ? -EINVAL :
	       vmallocinfo_line(line + 6, &facts->areas);
}

int kernel_replay(struct lines *lines, struct kernel_recorded *kernel,
		  struct kernel_facts *facts)
{
	int err = 0, more = 0;

	while (!err && (more = lines_next_recorded(lines)) > 0)
		err = take_recorded_line(lines->text, kernel, facts);
	if (more < 0)
		return more;
	lines->reason = "no line of a recording of the kernel's tables: `ptwalk kernel --record FILE` makes one";
	vmallocinfo_sort(&facts->areas);
	if (err)
		return err == -EPROTO ? -EINVAL : err;
	return facts->tables.complete && facts->tables.page_shift ? 0 : -EINVAL;
}
