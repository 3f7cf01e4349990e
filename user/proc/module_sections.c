// SPDX-License-Identifier: GPL-2.0
/* The files sections/NAME of modules in sysfs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/parse.h"
#include "base/text.h"
#include "proc/module_sections.h"

/*
 * Those that stay for as long as the module does: what it starts with is freed, and what
 * is constant from then on only is listed under other names.
 */
static const struct {
	const char *name;
	bool write, exec;
} known[] = {
	{ ".text", false, true },
	{ ".exit.text", false, true },
	{ ".rodata", false, false },
	{ ".data", true, false },
	{ ".bss", true, false },
};

/**
 * struct reading - the folder of modules being read
 */
struct reading {
	struct module_sections *sections;
	const char *sysfs;
};

/* What the file says, without the end of its line; "" if it isn't there. */
static void first_line(const char *path, char *buf, size_t size)
{
	if (text_of(path, buf, size) < 0)
		*buf = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

static int take_section(const struct reading *r, const char *module, size_t i)
{
	struct module_sections *s = r->sections;
	char path[512], text[32];
	uint64_t addr;

	snprintf(path, sizeof(path), "%s/%s/sections/%s", r->sysfs, module, known[i].name);
	first_line(path, text, sizeof(text));
	if (parse_hex(text, &addr) || !addr)
		return 0;
	if (!array_room(&s->section, &s->max, s->nr + 1, sizeof(*s->section)))
		return -ENOMEM;
	s->section[s->nr] = (struct module_section){
		.addr = addr, .write = known[i].write, .exec = known[i].exec,
		.name = known[i].name,
	};
	snprintf(s->section[s->nr].module, sizeof(s->section[s->nr].module), "%s", module);
	s->nr++;
	return 0;
}

static int take_module(const char *name, void *arg)
{
	const struct reading *r = arg;
	char path[512], state[16];
	int err = 0;

	/* What is built in has no state. */
	snprintf(path, sizeof(path), "%s/%s/initstate", r->sysfs, name);
	first_line(path, state, sizeof(state));
	for (size_t i = 0; !err && !strcmp(state, "live") && i < sizeof(known) / sizeof(known[0]);
	     i++)
		err = take_section(r, name, i);
	return err;
}

int module_sections_read(struct module_sections *sections, const char *sysfs)
{
	struct reading r = { sections, sysfs };
	int err = folder_each(sysfs, take_module, &r);

	/* A kernel without modules has no such folder. */
	if (!err || err == -ENOENT)
		return 0;
	return err == -ENOMEM ? error_no_memory() : error_set(err, "%s: %s", sysfs, strerror(-err));
}

void module_sections_free(struct module_sections *sections)
{
	free(sections->section);
	memset(sections, 0, sizeof(*sections));
}
