// SPDX-License-Identifier: GPL-2.0
/* Control groups, in cgroupfs. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/lines.h"
#include "base/text.h"
#include "proc/cgroups.h"

#define MOST_ROOTS	8

/**
 * struct roots - where hierarchies are mounted that memory can be charged in: version 1
 *	with the memory controller, then version 2
 */
struct roots {
	char *path[2 * MOST_ROOTS];
	size_t nr[2];
};

/* "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw" */
static int take_cgroup_mount(char *line, void *arg)
{
	struct roots *r = arg;
	char point[PATH_MAX], options[256] = "";
	char *type = strstr(line, " - ");
	int version;

	if (!type || sscanf(line, "%*u %*u %*s %*s %4095s", point) != 1)
		return 0;
	sscanf(type + 3, "%*s %*s %255s", options);
	if (!strncmp(type + 3, "cgroup2 ", 8))
		version = 1;
	else if (!strncmp(type + 3, "cgroup ", 7) && strstr(options, "memory"))
		version = 0;
	else
		return 0;
	if (r->nr[version] < MOST_ROOTS) {
		r->path[version * MOST_ROOTS + r->nr[version]] = strdup(point);
		r->nr[version]++;
	}
	return 0;
}

static void roots_read(struct roots *r)
{
	FILE *stream = fopen("/proc/self/mountinfo", "re");

	*r = (struct roots){ 0 };
	if (!stream)
		return;
	lines_each(stream, take_cgroup_mount, r, NULL);
	fclose(stream);
}

static void roots_free(struct roots *r)
{
	for (size_t i = 0; i < 2 * MOST_ROOTS; i++)
		free(r->path[i]);
}

static bool is_group(const char *dir)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/cgroup.procs", dir) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

const char *cgroup_line_path(const char *line, int *version)
{
	const size_t digits = strspn(line, "0123456789");
	const char *name = line + digits + 1, *path;
	size_t len;

	if (!digits || line[digits] != ':')
		return NULL;
	path = strchr(name, ':');
	if (!path)
		return NULL;
	*version = path == name ? 2 : 1;
	while (name < path) {
		len = strcspn(name, ",:");
		if (len == 6 && !strncmp(name, "memory", len))
			break;
		name += len + (name[len] == ',');
	}
	return *version == 2 || name < path ? path + 1 : NULL;
}

int cgroup_find(const char *path, char *dir, size_t size)
{
	int err = -ENOENT, version = 0;
	const char *in_line;
	struct roots roots;

	if (snprintf(dir, size, "%s", path) < (int)size && is_group(dir))
		return 0;
	in_line = cgroup_line_path(path, &version);
	if (in_line)
		path = in_line;
	roots_read(&roots);
	for (size_t i = 0; err && i < 2 * MOST_ROOTS; i++)
		if (roots.path[i] &&
		    (!in_line || version == (i < MOST_ROOTS ? 1 : 2)) &&
		    snprintf(dir, size, "%s%s%s", roots.path[i], *path == '/' ? "" : "/",
			     path) < (int)size && is_group(dir))
			err = 0;
	roots_free(&roots);
	return err;
}

/**
 * struct member_list - the processes of a group that are being read
 */
struct member_list {
	struct pids *pids;
	uint64_t *hidden;
};

static int take_member(char *line, void *arg)
{
	struct member_list *l = arg;
	const long pid = atol(line);

	if (pid <= 0) {
		++*l->hidden;
		return 0;
	}
	for (size_t i = 0; i < l->pids->nr; i++)
		if (l->pids->pid[i] == pid)
			return 0;
	return array_add(l->pids->pid, l->pids->nr, l->pids->max, pid) ? 0 : -ENOMEM;
}

/* Groups that went away meanwhile are empty, and those of threads have no such file. */
static int read_members(const char *dir, struct member_list *list)
{
	char path[PATH_MAX];
	FILE *stream;
	int err;

	snprintf(path, sizeof(path), "%.*s/cgroup.procs", PATH_MAX - 16, dir);
	stream = fopen(path, "re");
	if (!stream)
		return errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP ? 0 : -errno;
	err = lines_each(stream, take_member, list, NULL);
	fclose(stream);
	return err == -ENODEV || err == -EOPNOTSUPP ? 0 : err;
}

/**
 * struct tree - groups that are gone through, each before those below it
 * @dir: The one at hand.
 */
struct tree {
	const char *dir;
	int (*each)(const char *dir, void *arg);
	void *arg;
};

static int each_folder(const char *dir, int (*each)(const char *dir, void *arg),
		       void *arg);

static int take_folder(const char *name, void *arg)
{
	const struct tree *t = arg;
	char path[PATH_MAX];

	if (*name == '.' ||
	    snprintf(path, sizeof(path), "%s/%s", t->dir, name) >= (int)sizeof(path) ||
	    !is_group(path))
		return 0;
	return each_folder(path, t->each, t->arg);
}

/* A group that goes away meanwhile has none below it. */
static int each_folder(const char *dir, int (*each)(const char *dir, void *arg),
		       void *arg)
{
	struct tree tree = { dir, each, arg };
	int err = each(dir, arg);

	if (!err)
		err = folder_each(dir, take_folder, &tree);
	return err == -ENOENT ? 0 : err;
}

static int take_members(const char *dir, void *arg)
{
	return read_members(dir, arg);
}

int cgroup_pids(const char *dir, struct pids *pids, uint64_t *hidden)
{
	struct member_list list = { pids, hidden };
	int err;

	*hidden = 0;
	err = each_folder(dir, take_members, &list);
	return err ? error_set(err, "control group %s: %s", dir, strerror(-err)) : 0;
}

/**
 * struct group_list - groups that are being read
 * @root: Of the hierarchy.
 */
struct group_list {
	struct cgroups *groups;
	const char *root;
};

static int take_group(const char *dir, void *arg)
{
	const struct group_list *l = arg;
	struct cgroups *g = l->groups;
	const char *below = dir + strlen(l->root);
	struct stat st;
	char *path;

	if (stat(dir, &st))
		return 0;
	if (!array_room(&g->group, &g->max, g->nr + 1, sizeof(*g->group)))
		return -ENOMEM;
	path = strdup(*below ? below : "/");
	if (!path)
		return -ENOMEM;
	g->group[g->nr].inode = st.st_ino;
	g->group[g->nr++].path = path;
	return 0;
}

static int by_inode(const void *a, const void *b)
{
	const struct cgroup *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

void cgroups_read(struct cgroups *groups)
{
	struct group_list list = { .groups = groups };
	struct roots roots;

	roots_read(&roots);
	for (size_t i = 0; i < 2 * MOST_ROOTS; i++) {
		list.root = roots.path[i];
		/* One hierarchy may be mounted in several places. */
		if (list.root && !groups->nr)
			each_folder(list.root, take_group, &list);
	}
	roots_free(&roots);
	if (groups->nr)
		qsort(groups->group, groups->nr, sizeof(*groups->group), by_inode);
}

const char *cgroups_path(const struct cgroups *groups, uint64_t inode)
{
	const struct cgroup wanted = { .inode = inode };
	const struct cgroup *found = groups->nr ?
		bsearch(&wanted, groups->group, groups->nr, sizeof(wanted), by_inode) :
		NULL;

	return found ? found->path : NULL;
}

void cgroups_free(struct cgroups *groups)
{
	for (size_t i = 0; i < groups->nr; i++)
		free(groups->group[i].path);
	free(groups->group);
	*groups = (struct cgroups){ 0 };
}

int64_t cgroup_charge(const char *dir)
{
	static const char *const file[] = { "memory.current", "memory.usage_in_bytes" };
	char path[PATH_MAX], text[32];
	int64_t charge = -1;

	for (size_t i = 0; charge < 0 && i < 2; i++) {
		snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 32, dir, file[i]);
		if (text_of(path, text, sizeof(text)) > 0 &&
		    sscanf(text, "%" SCNd64, &charge) != 1)
			charge = -1;
	}
	return charge;
}
