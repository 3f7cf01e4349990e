// SPDX-License-Identifier: GPL-2.0
/* Translations that somebody claims, read from a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/input.h"
#include "base/parse.h"
#include "claims/file.h"

#define BLANKS	" \t\r"
#define FORM	": give VADDR PADDR, or - for nothing"

static const char *parse_number(const char *word, uint64_t *value)
{
	const char *why = parse_hex(word, value);
	static char reason[128];

	if (!why)
		return NULL;
	snprintf(reason, sizeof(reason), "'%.32s': %s" FORM, word, why);
	return reason;
}

/* Returns NULL, or what is wrong with the line; @found: it holds a claim. */
static const char *parse_claim(char *text, struct claim *claim, bool *found)
{
	char *save, *vaddr, *paddr, *rest;
	const char *reason;

	*found = false;
	text[strcspn(text, "#")] = '\0';
	vaddr = strtok_r(text, BLANKS, &save);
	if (!vaddr)
		return NULL;
	paddr = strtok_r(NULL, BLANKS, &save);
	reason = parse_number(vaddr, &claim->vaddr);
	if (reason)
		return reason;
	if (!paddr)
		return "no physical address" FORM;
	rest = strtok_r(NULL, BLANKS, &save);
	if (rest)
		return "more than two fields" FORM;
	claim->mapped = strcmp(paddr, "-");
	claim->paddr = 0;
	*found = true;
	return claim->mapped ? parse_number(paddr, &claim->paddr) : NULL;
}

static int by_claim_address(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

int claims_open(struct claims *c, FILE *stream, const char *name, size_t most)
{
	c->name = name;
	c->nr = 0;
	c->max = most;
	c->all = c->mapped = c->unlike = 0;
	c->latest = (struct claim){ .verdict = -1 };
	c->latest_unlike = false;
	c->last = false;
	c->stop = NULL;
	lines_begin(&c->lines, stream);
	c->claim = calloc(most, sizeof(*c->claim));
	return c->claim ? 0 : -ENOMEM;
}

int claims_next(struct claims *c)
{
	struct claim *claim;
	int more = 1;
	bool found;

	c->nr = 0;
	while (c->nr < c->max && (more = lines_next(&c->lines)) > 0) {
		claim = &c->claim[c->nr];
		claim->line = c->lines.number;
		claim->verdict = -1;
		c->lines.reason = parse_claim(c->lines.text, claim, &found);
		if (c->lines.reason)
			return -EINVAL;
		c->nr += found;
	}
	/* Half a line, perhaps, and reading may have failed for the signal. */
	if (c->stop && *c->stop) {
		c->last = true;
		c->all += c->nr;
		goto sort;
	}
	if (more < 0)
		return more == -ENODATA ? -EINVAL : more;
	c->last = !more;
	c->all += c->nr;
sort:
	qsort(c->claim, c->nr, sizeof(*c->claim), by_claim_address);
	return 0;
}

void claims_repeats(const struct claims *c,
		    void (*tell)(const struct claim *claim,
				 const struct claim *first, void *arg),
		    void *arg)
{
	const struct claim *first = c->claim, *claim;

	for (claim = first; claim < c->claim + c->nr; claim++) {
		if (claim->vaddr != first->vaddr)
			first = claim;
		else if (claim != first)
			tell(claim, first, arg);
	}
}

bool claims_unlike(const struct claims *c)
{
	return c->unlike > 1 && 2 * c->unlike > c->mapped;
}

void claims_close(struct claims *c)
{
	if (c->claim)
		input_close(c->lines.stream);
	free(c->claim);
	c->claim = NULL;
}
