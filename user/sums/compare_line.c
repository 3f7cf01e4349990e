// SPDX-License-Identifier: GPL-2.0
/* The line of a mapping, as maps, smaps and PROCMAP_QUERY have it. Pure. */
#include <string.h>
#include "sums/job.h"

static void put_of_line(struct job *j, enum figure_source source, const char *field,
			uint64_t counted, uint64_t seen)
{
	job_put_line(j, source,
		     source == FIGURE_QUERY ? "do_procmap_query(), fs/proc/task_mmu.c" :
		     source == FIGURE_MAP_FILES ? "map_files_get_link(), fs/proc/base.c" :
		     "show_map_vma(), fs/proc/task_mmu.c", field, counted, seen);
}

/* As figure_counted() spells them. */
static uint64_t permissions_of(uint64_t flags)
{
	return (flags & PTWALK_VMA_FLAG_READ ? 1 : 0) |
	       (flags & PTWALK_VMA_FLAG_WRITE ? 2 : 0) |
	       (flags & PTWALK_VMA_FLAG_EXEC ? 4 : 0) |
	       (flags & PTWALK_VMA_FLAG_MAYSHARE ? 8 : 0);
}

/* Any other letter where one of these must be is a bit more. */
static uint64_t permissions_shown(const char perms[5])
{
	uint64_t mask = 0;

	for (int i = 0; i < 4; i++)
		if (perms[i] == "rwxs"[i])
			mask |= 1 << i;
		else if (perms[i] != "---p"[i])
			mask |= 16 << i;
	return mask;
}

static uint64_t device_number(uint32_t major, uint32_t minor)
{
	return (uint64_t)major << 32 | minor;
}

/* What anonymous memory is called by where it is, but for what prctl() names. */
static uint64_t place_counted(const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_HEAP ? 1 :
	       vma->flags & PTWALK_VMA_FLAG_STACK ? 2 : 0;
}

static uint64_t place_shown(const char *name)
{
	return !strcmp(name, "[heap]") ? 1 : !strcmp(name, "[stack]") ? 2 :
	       !*name || !strncmp(name, "[anon:", 6) ? 0 : 3;
}

/* A file has a name, and what hasn't one has none or one in brackets. */
static bool names_file(const char *name)
{
	return *name && (*name != '[' || !strncmp(name, "[anon_shmem:", 12));
}

bool line_of_file(const struct ptwalk_vma *vma)
{
	return vma->inode || vma->dev_major || vma->dev_minor;
}

void compare_name(struct job *j, enum figure_source source,
		  const struct smaps_vma *v)
{
	const struct smaps_vma *other = NULL;

	if (j->shown->has & 1U << FIGURE_MAPS)
		other = smaps_at(&j->shown->maps, v->start);
	/* A name given by prctl() stands in the place of the file's. */
	if (source == FIGURE_MAP_FILES && other && other->name[0] == '[')
		other = NULL;
	if (other && other != v && strcmp(v->name, "?"))
		put_of_line(j, source, "name", true, !strcmp(v->name, other->name));
}

/* Of what the kernel maps by itself [vdso] is code, and [vvar] its data: vdso(7). */
static void compare_vdso(struct job *j, enum figure_source source,
			 const char *name, const struct ptwalk_vma *vma)
{
	if (!strcmp(name, "[vdso]") || !strncmp(name, "[vvar", 5))
		put_of_line(j, source, "vdso", !!(vma->flags & PTWALK_VMA_FLAG_MAYEXEC),
			    !strcmp(name, "[vdso]"));
}

void compare_line(struct job *j, enum figure_source source,
		  const struct smaps_vma *v, const struct ptwalk_vma *vma)
{
	bool file = line_of_file(vma);

	put_of_line(j, source, "permissions", permissions_of(vma->flags),
		    permissions_shown(v->perms));
	compare_name(j, source, v);
	/* Old recordings have no more of VMAs. */
	if (!vma->raw_flags)
		return;
	put_of_line(j, source, "offset",
		    file ? vma->pgoff << j->info->page_shift : 0, v->offset);
	put_of_line(j, source, "device", device_number(vma->dev_major, vma->dev_minor),
		    device_number(v->dev_major, v->dev_minor));
	put_of_line(j, source, "inode", vma->inode, v->inode);
	if (strcmp(v->name, "?"))
		put_of_line(j, source, "file name", file, names_file(v->name));
	if (!file && !(vma->flags & PTWALK_VMA_FLAG_ANONYMOUS))
		compare_vdso(j, source, v->name, vma);
	if (!file && vma->flags & PTWALK_VMA_FLAG_ANONYMOUS &&
	    j->info->vma_flags & PTWALK_VMA_FLAG_HEAP)
		put_of_line(j, source, "place", place_counted(vma), place_shown(v->name));
}
