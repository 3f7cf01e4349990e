// SPDX-License-Identifier: GPL-2.0
/* Recordings of the kernel's own tables: read, and held against another moment. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/error.h"
#include "base/print.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/kernel_recording.h"
#include "recording/head.h"

int kernel_recording_read(const char *path, struct kernel_recorded *kernel,
			  struct kernel_facts *facts)
{
	struct lines lines;
	int err = recording_open(&lines, path);

	if (!err)
		err = recording_close(&lines, path, kernel_replay(&lines, kernel, facts));
	return error_status(err);
}

void kernel_recorded_now(struct kernel_recorded *kernel)
{
	struct utsname uts;

	uname(&uts);
	snprintf(kernel->release, sizeof(kernel->release), "%.64s", uts.release);
	snprintf(kernel->machine, sizeof(kernel->machine), "%.64s", uts.machine);
	text_of("/proc/sys/kernel/random/boot_id", kernel->boot, sizeof(kernel->boot));
}

/* Another boot has its parts elsewhere, another kernel means others by them. */
static bool is_same_boot(const struct kernel_tables *a, const struct kernel_tables *b)
{
	if (a->page_shift != b->page_shift || a->nr_regions != b->nr_regions)
		return false;
	for (size_t i = 0; i < a->nr_regions; i++)
		if (a->region[i].start != b->region[i].start ||
		    a->region[i].last != b->region[i].last ||
		    strcmp(a->region[i].name, b->region[i].name))
			return false;
	return true;
}

int kernel_recording_fits(const char *name, const struct kernel_recorded *before,
			  const struct kernel_tables *tables, const char *other,
			  const struct kernel_recorded *now, const struct kernel_tables *these)
{
	if (strcmp(before->release, now->release))
		return fail(EXIT_USAGE, "%s is of Linux %s, %s of %s: their tables can't be compared",
			    name, before->release, other, now->release);
	if (kernel_other_boot(before, now))
		return fail(EXIT_USAGE, "%s and %s are of two boots", name, other);
	return is_same_boot(tables, these) ? 0 :
	       fail(EXIT_USAGE, "%s and %s have their parts at other addresses: they are of two boots",
		    name, other);
}

void kernel_facts_free(struct kernel_facts *facts)
{
	kernel_tables_free(&facts->tables);
	vmallocinfo_free(&facts->before);
	vmallocinfo_free(&facts->areas);
	area_frames_free(&facts->frames);
	module_sections_free(&facts->sections);
	module_sections_free(&facts->sections_after);
	memtype_list_free(&facts->memtypes);
	ptdump_free(&facts->ptdump);
	kernel_tables_free(&facts->tables_after);
	iomem_free(&facts->iomem);
	if (facts->kcore.nr)
		kcore_close(&facts->kcore);
}
