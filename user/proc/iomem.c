// SPDX-License-Identifier: GPL-2.0
/* What a physical address is, by /proc/iomem. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/lines.h"
#include "proc/iomem.h"

/* "    fed00000-fed003ff : HPET 0", two blanks for each level. */
static int parse_resource(char *line, struct iomem_resource *resource)
{
	char *s = line + strspn(line, " ");
	char *end;

	resource->depth = (s - line) / 2;
	errno = 0;
	resource->start = strtoull(s, &end, 16);
	if (errno || end == s || *end != '-')
		return -EINVAL;
	s = end + 1;
	resource->last = strtoull(s, &end, 16);
	if (errno || end == s || strncmp(end, " : ", 3))
		return -EINVAL;
	resource->name = strdup(end + 3);
	return resource->name ? 0 : -ENOMEM;
}

static int take_iomem_line(char *line, void *arg)
{
	struct iomem *iomem = arg;
	struct iomem_resource resource;
	int err = parse_resource(line, &resource);

	if (err || array_add(iomem->resource, iomem->nr, iomem->max, resource))
		return err;
	free(resource.name);
	return -ENOMEM;
}

int iomem_parse(FILE *stream, struct iomem *iomem)
{
	return lines_each(stream, take_iomem_line, iomem, NULL);
}

static bool all_zero(const struct iomem *iomem)
{
	for (size_t i = 0; i < iomem->nr; i++)
		if (iomem->resource[i].start || iomem->resource[i].last)
			return false;
	return true;
}

void iomem_read(struct iomem *iomem)
{
	int err;

	memset(iomem, 0, sizeof(*iomem));
	err = lines_in("/proc/iomem", take_iomem_line, iomem);
	if (err)
		iomem->why_not = err == -ENOENT ? "this kernel has no /proc/iomem" :
			err == -EACCES || err == -EPERM ?
			"/proc/iomem cannot be opened: run it as root" :
			err == -ENOMEM ? "/proc/iomem: out of memory" :
			"/proc/iomem cannot be read";
	else if (!iomem->nr)
		iomem->why_not = "/proc/iomem is empty";
	else if (all_zero(iomem))
		iomem->why_not = "/proc/iomem shows zeros only: it wants CAP_SYS_ADMIN in the initial user namespace";
}

void iomem_free(struct iomem *iomem)
{
	for (size_t i = 0; i < iomem->nr; i++)
		free(iomem->resource[i].name);
	free(iomem->resource);
	memset(iomem, 0, sizeof(*iomem));
}

size_t iomem_at(const struct iomem *iomem, uint64_t addr,
		const struct iomem_resource *chain[IOMEM_DEPTH])
{
	const struct iomem_resource *r;
	size_t nr = 0;

	if (iomem->why_not)
		return 0;
	for (size_t i = 0; i < iomem->nr && nr < IOMEM_DEPTH; i++) {
		r = &iomem->resource[i];
		/* Those inside a resource follow it directly. */
		if (nr && r->depth <= chain[nr - 1]->depth)
			break;
		if (addr >= r->start && addr <= r->last)
			chain[nr++] = r;
	}
	return nr;
}

bool iomem_is_ram(const struct iomem *iomem, uint64_t addr)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];

	return iomem_at(iomem, addr, chain) && !strcmp(chain[0]->name, "System RAM");
}

uint64_t iomem_gap(const struct iomem *iomem, uint64_t addr)
{
	uint64_t last = UINT64_MAX;

	for (size_t i = 0; i < iomem->nr; i++)
		if (iomem->resource[i].start > addr &&
		    iomem->resource[i].start <= last)
			last = iomem->resource[i].start - 1;
	return last;
}

bool iomem_is_image(const struct iomem_resource *resource)
{
	return resource->depth && !strncmp(resource->name, "Kernel ", 7);
}

size_t iomem_in_use(const struct iomem_resource *const *chain, size_t nr)
{
	while (nr > 1 && iomem_is_image(chain[nr - 1]))
		nr--;
	return nr;
}
