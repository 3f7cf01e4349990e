// SPDX-License-Identifier: GPL-2.0
/* The settings of transparent huge pages, in sysfs and in /proc/PID. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/lines.h"
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

static bool read_text(const char *dir, const char *file, char *buf, int size)
{
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/transparent_hugepage/%s", dir, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	return true;
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

/* @inherited if there is no file. */
static enum thp_mode read_mode(const char *dir, const char *file,
			       enum thp_mode inherited)
{
	char buf[128];

	return read_text(dir, file, buf, sizeof(buf)) ?
	       mode_in(buf, inherited) : inherited;
}

static uint64_t read_limit(const char *dir, const char *file)
{
	uint64_t value;
	char buf[64];

	if (!read_text(dir, file, buf, sizeof(buf)) ||
	    sscanf(buf, "%" SCNu64, &value) != 1)
		return THP_NO_LIMIT;
	return value;
}

/*
 * Of older kernels, which have the PMD's alone, there are no such files, nor of
 * single pages.
 */
static void read_sizes(const char *dir, uint64_t most, struct thp_settings *s)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	enum thp_mode mode;
	char path[64], buf[128];

	s->always = s->advised = 0;
	for (uint64_t size = most; size > page; size >>= 1) {
		snprintf(path, sizeof(path), "hugepages-%" PRIu64 "kB/enabled",
			 size >> 10);
		mode = size == most ? s->anon : THP_NEVER;
		if (size != most && read_text(dir, path, buf, sizeof(buf)))
			mode = mode_in(buf, s->files);
		s->known &= mode != THP_UNKNOWN;
		s->always |= mode == THP_ALWAYS ? size : 0;
		s->advised |= mode == THP_ALWAYS || mode == THP_MADVISE ? size : 0;
	}
}

void thp_settings_read(const char *dir, uint64_t size,
		       struct thp_settings *settings)
{
	char path[512], file[64];

	snprintf(path, sizeof(path), "%s/transparent_hugepage", dir);
	settings->absent = !access(dir, F_OK) && access(path, F_OK) &&
			   errno == ENOENT;
	settings->files = read_mode(dir, "enabled", THP_UNKNOWN);
	snprintf(file, sizeof(file), "hugepages-%" PRIu64 "kB/enabled",
		 size >> 10);
	settings->anon = read_mode(dir, file, settings->files);
	settings->shmem = read_mode(dir, "shmem_enabled", THP_UNKNOWN);
	snprintf(file, sizeof(file), "hugepages-%" PRIu64 "kB/shmem_enabled",
		 size >> 10);
	settings->shmem_size = read_mode(dir, file, settings->shmem);
	settings->known = settings->absent || settings->files != THP_UNKNOWN;
	if (settings->absent)
		settings->always = settings->advised = 0;
	else
		read_sizes(dir, size, settings);
}

void thp_limits_read(const char *dir, struct thp_settings *settings)
{
	settings->max_none = read_limit(dir, "khugepaged/max_ptes_none");
	settings->max_swap = read_limit(dir, "khugepaged/max_ptes_swap");
	settings->max_shared = read_limit(dir, "khugepaged/max_ptes_shared");
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
	if (!array_room(&p->vma, &p->max, p->nr + 1, sizeof(*p->vma)))
		return -ENOMEM;
	p->vma[p->nr++] = (struct thp_vma){ r->start, eligible };
	return 0;
}

int thp_parse_smaps(FILE *stream, struct thp_process *process)
{
	struct smaps_reader r = { .process = process };

	return lines_each(stream, take_smaps, &r, NULL);
}

void thp_process_read(pid_t pid, struct thp_process *process)
{
	FILE *stream;
	int err;

	stream = procs_fopen(pid, "status", &err);
	if (stream) {
		thp_parse_status(stream, process);
		fclose(stream);
	}
	stream = procs_fopen(pid, "smaps", &err);
	if (stream) {
		thp_parse_smaps(stream, process);
		fclose(stream);
	}
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
