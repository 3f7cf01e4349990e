// SPDX-License-Identifier: GPL-2.0
/* Addresses translated, in batches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/attr.h>
#include "lib/exchange.h"
#include "lib/patience.h"
#include "lib/wire.h"

/**
 * struct batches - the replies to one ptwalk_translate_all()
 * @reply: The reply to the request under way.
 * @out: Where its translations go.
 * @pages: Where its pages go, or NULL; and @cgroups what they are charged to.
 * @wanted: Number of addresses in the request.
 * @taken: How many of them, from the first on, the reply has translated.
 * @vmas: Of all batches; each once after compact().
 * @no_memory: There was none for those.
 */
struct batches {
	struct wire_translations reply;
	struct ptwalk_translation *out;
	struct ptwalk_page *pages;
	uint64_t *cgroups;
	size_t wanted, taken;
	struct ptwalk_vma *vmas;
	size_t nr_vmas, max_vmas;
	uint32_t levels;
	bool no_memory;
};

static int compare_vmas(const void *a, const void *b)
{
	const struct ptwalk_vma *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return memcmp(x, y, sizeof(*x));
}

static void compact(struct batches *b)
{
	size_t kept = 0;

	if (!b->nr_vmas)
		return;
	qsort(b->vmas, b->nr_vmas, sizeof(*b->vmas), compare_vmas);
	for (size_t i = 1; i < b->nr_vmas; i++)
		if (memcmp(&b->vmas[kept], &b->vmas[i], sizeof(*b->vmas)))
			b->vmas[++kept] = b->vmas[i];
	b->nr_vmas = kept + 1;
}

/* Adds the VMAs of the reply; false without memory. */
static bool add_vmas(struct batches *b)
{
	size_t nr = b->reply.nr_vmas;
	struct ptwalk_vma *vmas;

	if (b->nr_vmas + nr > b->max_vmas)
		compact(b);
	if (b->nr_vmas + nr > b->max_vmas) {
		b->max_vmas = 2 * b->max_vmas + nr;
		vmas = reallocarray(b->vmas, b->max_vmas, sizeof(*vmas));
		if (!vmas)
			return false;
		b->vmas = vmas;
	}
	memcpy(b->vmas + b->nr_vmas, b->reply.vmas, nr * sizeof(*vmas));
	b->nr_vmas += nr;
	return true;
}

static int take_translations(struct nlmsghdr *msg, void *arg)
{
	struct batches *b = arg;

	if (wire_translations(msg, &b->reply) || b->reply.nr > b->wanted)
		return -EBADMSG;
	if (b->pages && !b->reply.has_pages)
		return -EBADMSG;
	memcpy(b->out, b->reply.translations, b->reply.nr * sizeof(*b->out));
	if (b->pages)
		memcpy(b->pages, b->reply.pages,
		       b->reply.nr * sizeof(*b->pages));
	if (b->cgroups)
		memcpy(b->cgroups, b->reply.cgroups,
		       b->reply.nr * sizeof(*b->cgroups));
	b->taken = b->reply.nr;
	b->levels |= b->reply.levels;
	b->no_memory = !add_vmas(b);
	return 0;
}

static int ask_batch_once(struct ptwalk *p, pid_t pid, const uint64_t *addrs,
			  struct batches *b)
{
	struct nl_msg *msg = exchange_message(p, PTWALK_CMD_TRANSLATE, 0);
	int err;

	if (!msg)
		return ptwalk_error(p);
	if (nla_put_u32(msg, PTWALK_A_TRANSLATE_PID, pid) < 0 ||
	    nla_put(msg, PTWALK_A_TRANSLATE_ADDRESSES,
		    b->wanted * sizeof(*addrs), addrs) < 0 ||
	    (b->pages &&
	     nla_put_flag(msg, PTWALK_A_TRANSLATE_WANT_PAGES) < 0)) {
		nlmsg_free(msg);
		return handle_no_memory(p);
	}

	b->taken = 0;
	err = exchange_run(p, msg, take_translations, b);
	if (!err && b->no_memory)
		return handle_no_memory(p);
	if (!err && !b->taken)
		return handle_fail(p, -EBADMSG,
				   "the module answered translate without a translation");
	return err;
}

static int ask_batch(struct ptwalk *p, pid_t pid, const uint64_t *addrs,
		     struct batches *b)
{
	struct patience patience = { 0 };
	int err;

	do {
		err = ask_batch_once(p, pid, addrs, b);
	} while (patience_left(&patience, err));
	return err;
}

int ptwalk_translate_all(struct ptwalk *p, pid_t pid, const uint64_t *addrs,
			 size_t nr, struct ptwalk_translation *out,
			 struct ptwalk_page *pages, struct ptwalk_vma **vmas,
			 size_t *nr_vmas, uint32_t *levels)
{
	return ptwalk_translate_cgroups(p, pid, addrs, nr, out, pages, NULL,
					vmas, nr_vmas, levels);
}

int ptwalk_translate_cgroups(struct ptwalk *p, pid_t pid, const uint64_t *addrs,
			     size_t nr, struct ptwalk_translation *out,
			     struct ptwalk_page *pages, uint64_t *cgroups,
			     struct ptwalk_vma **vmas, size_t *nr_vmas,
			     uint32_t *levels)
{
	struct batches *b = malloc(sizeof(*b));
	int err = 0;

	if (!b)
		return handle_no_memory(p);
	/* The reply is large, and written before it is read. */
	b->vmas = NULL;
	b->nr_vmas = 0;
	b->max_vmas = 0;
	b->levels = 0;
	b->no_memory = false;

	for (size_t i = 0; !err && i < nr; i += b->taken) {
		b->out = out + i;
		b->pages = pages ? pages + i : NULL;
		b->cgroups = cgroups ? cgroups + i : NULL;
		b->wanted = nr - i < PTWALK_MAX_ADDRESSES ?
				    nr - i : PTWALK_MAX_ADDRESSES;
		err = ask_batch(p, pid, addrs + i, b);
	}

	if (err) {
		free(b->vmas);
	} else {
		compact(b);
		*vmas = b->vmas;
		*nr_vmas = b->nr_vmas;
		*levels = b->levels;
	}
	free(b);
	return err;
}

int ptwalk_translate(struct ptwalk *p, pid_t pid, uint64_t addr,
		     struct ptwalk_entry *entry)
{
	struct ptwalk_translation t;
	struct ptwalk_vma *vmas;
	uint32_t levels;
	size_t nr_vmas;
	int err;

	memset(entry, 0, sizeof(*entry));
	err = ptwalk_translate_all(p, pid, &addr, 1, &t, NULL, &vmas, &nr_vmas,
				   &levels);
	if (err)
		return err;
	free(vmas);
	entry->addr = t.addr;
	entry->value = t.value;
	entry->bits = t.bits;
	memcpy(entry->raw, t.entry, sizeof(entry->raw));
	return 0;
}
