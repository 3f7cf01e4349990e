// SPDX-License-Identifier: GPL-2.0
/* The settings of transparent huge pages, in sysfs and in /proc/PID. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "base/text.h"
#include "proc/processes.h"
#include "proc/thp.h"

static const char *const mode_name[] = {
	[THP_UNKNOWN] = "unknown",
	[THP_NEVER] = "never",
	[THP_MADVISE] = "madvise",
	[THP_ALWAYS] = "always",
	[THP_WITHIN_SIZE] = "within_size",
	[THP_ADVISE] = "advise",
	[THP_DENY] = "deny",
	[THP_FORCE] = "force",
};

const char *thp_mode_name(enum thp_mode mode)
{
	return mode_name[mode];
}

/* 1 if there is such a file, 0 if not, or a negative errno. */
static int read_text(const char *dir, const char *file, char *buf, int size)
{
	char path[512];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/transparent_hugepage/%s", dir, file);
	n = text_of(path, buf, size);
	return n < 0 ? error_unless_missing(n, path) : n > 0;
}

enum thp_mode thp_mode_parse(const char *word)
{
	for (unsigned int i = THP_NEVER; i <= THP_FORCE; i++)
		if (!strcmp(word, mode_name[i]))
			return i;
	return THP_UNKNOWN;
}

/* "always [madvise] never"; @inherited for "inherit". */
static enum thp_mode mode_in(char *text, enum thp_mode inherited)
{
	char *word, *end;

	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (!end)
		return THP_UNKNOWN;
	*end = '\0';
	return strcmp(word + 1, "inherit") ? thp_mode_parse(word + 1) : inherited;
}

/* @mode is @inherited if there is no file. Returns 0 or a negative errno. */
static int read_mode(const char *dir, const char *file, enum thp_mode inherited,
		     enum thp_mode *mode)
{
	char buf[128];
	int there = read_text(dir, file, buf, sizeof(buf));

	*mode = there > 0 ? mode_in(buf, inherited) : inherited;
	return there < 0 ? there : 0;
}

static int read_limit(const char *dir, const char *file, uint64_t *limit)
{
	char buf[64];
	int there = read_text(dir, file, buf, sizeof(buf));

	if (there <= 0 || sscanf(buf, "%" SCNu64, limit) != 1)
		*limit = THP_NO_LIMIT;
	return there < 0 ? there : 0;
}

static void file_of_size(uint64_t size, const char *name, char *file, size_t room)
{
	snprintf(file, room, "hugepages-%" PRIu64 "kB/%s", size >> 10, name);
}

/*
 * Of older kernels, which have the PMD's alone, there are no such files, nor of
 * single pages.
 */
static int read_sizes(const char *dir, uint64_t most, struct thp_settings *s)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	enum thp_mode mode;
	char file[64], buf[128];
	int there = 0;

	s->always = s->advised = 0;
	for (uint64_t size = most; there >= 0 && size > page; size >>= 1) {
		file_of_size(size, "enabled", file, sizeof(file));
		mode = size == most ? s->anon : THP_NEVER;
		there = size == most ? 0 : read_text(dir, file, buf, sizeof(buf));
		if (there > 0)
			mode = mode_in(buf, s->files);
		s->known &= mode != THP_UNKNOWN;
		s->always |= mode == THP_ALWAYS ? size : 0;
		s->advised |= mode == THP_ALWAYS || mode == THP_MADVISE ? size : 0;
	}
	return there < 0 ? there : 0;
}

int thp_settings_read(const char *dir, uint64_t size, struct thp_settings *settings)
{
	char path[512], file[64];
	int err;

	snprintf(path, sizeof(path), "%s/transparent_hugepage", dir);
	settings->absent = !access(dir, F_OK) && access(path, F_OK) &&
			   errno == ENOENT;
	err = read_mode(dir, "enabled", THP_UNKNOWN, &settings->files);
	file_of_size(size, "enabled", file, sizeof(file));
	if (!err)
		err = read_mode(dir, file, settings->files, &settings->anon);
	if (!err)
		err = read_mode(dir, "shmem_enabled", THP_UNKNOWN, &settings->shmem);
	file_of_size(size, "shmem_enabled", file, sizeof(file));
	if (!err)
		err = read_mode(dir, file, settings->shmem, &settings->shmem_size);
	settings->known = settings->absent || settings->files != THP_UNKNOWN;
	settings->always = settings->advised = 0;
	return err || settings->absent ? err : read_sizes(dir, size, settings);
}

int thp_limits_read(const char *dir, struct thp_settings *settings)
{
	int err = read_limit(dir, "khugepaged/max_ptes_none", &settings->max_none);

	if (!err)
		err = read_limit(dir, "khugepaged/max_ptes_swap", &settings->max_swap);
	if (!err)
		err = read_limit(dir, "khugepaged/max_ptes_shared",
				 &settings->max_shared);
	return err;
}

uint64_t thp_hugetlb_sizes(const char *dir)
{
	uint64_t sizes = 0;
	char path[512];

	for (uint64_t size = 1024; size; size <<= 1) {
		snprintf(path, sizeof(path), "%s/hugepages/hugepages-%" PRIu64 "kB",
			 dir, size >> 10);
		sizes |= access(path, F_OK) ? 0 : size;
	}
	return sizes;
}

static int take_status(char *line, void *arg)
{
	struct thp_process *process = arg;
	unsigned int enabled;

	if (sscanf(line, "THP_enabled: %u", &enabled) == 1)
		process->disabled = !enabled;
	return 0;
}

int thp_parse_status(FILE *stream, struct thp_process *process)
{
	return lines_each(stream, take_status, process, NULL);
}

/**
 * struct smaps_reader - a smaps being read
 * @start: Of the mapping whose fields come.
 */
struct smaps_reader {
	struct thp_process *process;
	uint64_t start;
};

static int take_smaps(char *line, void *arg)
{
	struct smaps_reader *r = arg;
	struct thp_process *p = r->process;
	unsigned int eligible;
	uint64_t start, end;

	/* No field's name is a hexadecimal number. */
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
		r->start = start;
	if (sscanf(line, "THPeligible: %u", &eligible) != 1)
		return 0;
	return array_add(p->vma, p->nr, p->max,
			 (struct thp_vma){ r->start, eligible }) ? 0 : -ENOMEM;
}

int thp_parse_smaps(FILE *stream, struct thp_process *process)
{
	struct smaps_reader r = { .process = process };

	return lines_each(stream, take_smaps, &r, NULL);
}

static int read_file(pid_t pid, const char *name,
		     int (*take)(char *line, void *arg), void *arg)
{
	FILE *stream;
	char path[64];
	int err;

	stream = procs_fopen(pid, name, &err);
	if (stream) {
		err = lines_each(stream, take, arg, NULL);
		fclose(stream);
	}
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return err == -ESRCH ? 0 : error_unless_missing(err, path);
}

int thp_process_read(pid_t pid, struct thp_process *process)
{
	struct smaps_reader r = { .process = process };
	int err = read_file(pid, "status", take_status, process);

	return err ? err : read_file(pid, "smaps", take_smaps, &r);
}

void thp_process_free(struct thp_process *process)
{
	free(process->vma);
	*process = (struct thp_process){ 0 };
}

bool thp_process_refuses(const struct thp_process *process, uint64_t start)
{
	size_t i = array_from(process->vma, process->nr, start, start);

	return i < process->nr && process->vma[i].start == start &&
	       !process->vma[i].eligible;
}
