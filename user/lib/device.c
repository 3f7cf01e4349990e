// SPDX-License-Identifier: GPL-2.0
/* How a device gets at memory, as the module tells it. */
#include <netlink/attr.h>
#include "base/exit_status.h"
#include "base/print.h"
#include "lib/device.h"
#include "lib/request.h"
#include "lib/wire.h"

static int take_facts(struct nlmsghdr *msg, void *arg)
{
	return wire_device(msg, arg) ? REQUEST_NONSENSE : 0;
}

int device_read(struct client *client, const char *name, const uint64_t *phys,
		size_t nr, struct device_facts *facts)
{
	struct nl_msg *msg = request_new(client, PTWALK_CMD_DEVICE, 0);
	int status;

	if (!msg)
		return EXIT_UNCHECKED;
	if (nla_put_string(msg, PTWALK_A_DEVICE_NAME, name) < 0 ||
	    (nr && nla_put(msg, PTWALK_A_DEVICE_ADDRESSES, nr * sizeof(*phys),
			   phys) < 0)) {
		nlmsg_free(msg);
		return request_no_memory();
	}
	status = request_run(client, msg, take_facts, facts);
	return status < 0 ? EXIT_UNCHECKED : status;
}

bool device_translates(const struct device_facts *facts)
{
	return facts->domain == PTWALK_DOMAIN_DMA ||
	       facts->domain == PTWALK_DOMAIN_DMA_LAZY ||
	       facts->domain == PTWALK_DOMAIN_UNMANAGED;
}

uint64_t device_reach(const struct device_facts *facts)
{
	if (facts->bus_limit && facts->bus_limit < facts->dma_mask)
		return facts->bus_limit;
	return facts->dma_mask;
}

uint64_t device_page(const struct device_facts *facts)
{
	return facts->page_sizes ? facts->page_sizes & -facts->page_sizes : 4096;
}

/* Internal: the caller's function wants no more. */
#define STREAM_STOP	1000

/**
 * struct stream - a range under way
 * @range: What is wanted.
 * @each: Takes it, with the argument @arg.
 * @stopped: What @each returned when it was not 0.
 */
struct stream {
	struct range range;
	int (*each)(const struct device_stretches *s, void *arg);
	void *arg;
	int stopped;
};

/* The module looks up whole pages; the ends are cut to what is wanted. */
static void clip(struct ptwalk_stretch *s, const struct range *range)
{
	uint64_t last = s->iova + s->bytes - 1, cut = 0;

	if (s->iova < range->start)
		cut = range->start - s->iova;
	if (last > range->last)
		last = range->last;
	s->iova += cut;
	s->phys += cut;
	s->bytes = last - s->iova + 1;
}

static int take_stretches(struct nlmsghdr *msg, void *arg)
{
	struct ptwalk_stretch *stretch;
	struct device_stretches s;
	struct stream *stream = arg;

	int kind = wire_iova(msg, &s, &stretch);

	if (kind)
		return kind < 0 ? REQUEST_NONSENSE : 0;
	if (s.nr) {
		clip(&stretch[0], &stream->range);
		clip(&stretch[s.nr - 1], &stream->range);
	}
	if (s.piece.start < stream->range.start)
		s.piece.start = stream->range.start;
	if (s.piece.last > stream->range.last)
		s.piece.last = stream->range.last;
	stream->stopped = stream->each(&s, stream->arg);
	return stream->stopped ? STREAM_STOP : 0;
}

int device_stream(struct client *client, const char *name,
		  const struct range *range,
		  int (*each)(const struct device_stretches *s, void *arg),
		  void *arg)
{
	struct stream stream = { .range = *range, .each = each, .arg = arg };
	struct nl_msg *msg = request_new(client, PTWALK_CMD_IOVA, NLM_F_DUMP);
	int status;

	if (!msg)
		return EXIT_UNCHECKED;
	if (nla_put_string(msg, PTWALK_A_IOVA_NAME, name) < 0 ||
	    nla_put_u64(msg, PTWALK_A_IOVA_START, range->start) < 0 ||
	    nla_put_u64(msg, PTWALK_A_IOVA_LAST, range->last) < 0) {
		nlmsg_free(msg);
		return request_no_memory();
	}
	status = request_run(client, msg, take_stretches, &stream);
	if (status == STREAM_STOP)
		return stream.stopped;
	return status < 0 ? EXIT_UNCHECKED : status;
}
