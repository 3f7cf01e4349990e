// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "claims.h"
#include "parse.h"

#define BLANKS	" \t\r"

/* Returns NULL, or what is wrong with the line; @found: it holds a claim. */
static const char *parse_line(char *text, struct claim *claim, bool *found)
{
	char *save, *vaddr, *paddr, *rest;
	const char *reason;

	*found = false;
	text[strcspn(text, "#")] = '\0';
	vaddr = strtok_r(text, BLANKS, &save);
	if (!vaddr)
		return NULL;
	paddr = strtok_r(NULL, BLANKS, &save);
	reason = parse_hex(vaddr, &claim->vaddr);
	if (reason)
		return reason;
	if (!paddr)
		return "no physical address";
	rest = strtok_r(NULL, BLANKS, &save);
	if (rest)
		return "more than two fields";
	claim->mapped = strcmp(paddr, "-");
	claim->paddr = 0;
	*found = true;
	return claim->mapped ? parse_hex(paddr, &claim->paddr) : NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int add(struct claims *claims, const struct claim *claim)
{
	if (claims->nr == claims->max) {
		size_t max = claims->max ? claims->max * 2 : 256;
		struct claim *new = reallocarray(claims->claim, max,
						 sizeof(*new));

		if (!new)
			return -ENOMEM;
		claims->claim = new;
		claims->max = max;
	}
	claims->claim[claims->nr++] = *claim;
	return 0;
}

int claims_parse(FILE *stream, struct claims *claims, size_t *line,
		 const char **reason)
{
	char *text = NULL;
	size_t size = 0;
	struct claim claim;
	ssize_t len;
	bool found;
	int err = 0;

	*line = 0;
	errno = 0;
	while (!err && (len = getline(&text, &size, stream)) > 0) {
		claim.line = ++*line;
		if (text[len - 1] != '\n') {
			*reason = "the last line doesn't end; is the file cut off?";
			err = -EINVAL;
			break;
		}
		text[len - 1] = '\0';
		if (strlen(text) != (size_t)len - 1)
			*reason = "a NUL byte";
		else
			*reason = parse_line(text, &claim, &found);
		if (*reason)
			err = -EINVAL;
		else if (found)
			err = add(claims, &claim);
	}
	if (!err && ferror(stream))
		err = errno ? -errno : -EIO;
	if (!err && !claims->nr) {
		*line = 0;
		*reason = "no claims in it";
		err = -EINVAL;
	}
	free(text);
	if (!err)
		qsort(claims->claim, claims->nr, sizeof(*claims->claim),
		      by_address);
	return err;
}

void claims_free(struct claims *claims)
{
	free(claims->claim);
	memset(claims, 0, sizeof(*claims));
}
