// SPDX-License-Identifier: GPL-2.0
/* Devices by name, their messages, and the way back from physical addresses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "base/array.h"
#include "base/exit_status.h"
#include "cmd/bus_look.h"
#include "cmd/cmd.h"
#include "cmd/iova_lint.h"
#include "dma/busmap.h"
#include "dma/device_names.h"
#include "dma/dmadump.h"
#include "dma/lead.h"
#include "lib/wire.h"
#include "module/device.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"
#include "tests.h"
#include "told.h"

static char name[DEVNAME_SIZE];

static void is_named(const char *arg, const char *wanted)
{
	name[0] = '\0';
	assert_int_equal(devname_parse(arg, name), 0);
	assert_string_equal(name, wanted);
}

static void names_of_devices(void **state)
{
	static const char *const bad[] = {
		"", "nonsense", "pci/", "platform/", "usb/1-1", "/", "pci", "00:1f",
		"0:20.0", "0:1f.8", "0000:00:04.0x", " 00:04.0", "00:04.0 ",
		"0x0:00:04.0", "-1:00:04.0", "pci/a/b", "pcix/0000:00:04.0",
		"/etc", "/sys/..", ".", "../..", "/dev/null",
	};
	static const char *const missing[] = {
		"/nowhere/at/all", "/sys", "/sys/no-such", "/sys/kernel",
	};
	char longest[300] = "platform/";

	is_named("0000:00:04.0", "pci/0000:00:04.0");
	is_named("00:04.0", "pci/0000:00:04.0");
	is_named("0:4.0", "pci/0000:00:04.0");
	is_named("10000:E1:1F.7", "pci/10000:e1:1f.7");
	is_named("pci/0000:00:04.0", "pci/0000:00:04.0");
	is_named("pci/00:04.0", "pci/0000:00:04.0");
	is_named("platform/fd500000.pcie", "platform/fd500000.pcie");
	is_named("amba/9050000.dma", "amba/9050000.dma");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(devname_parse(bad[i], name), -EINVAL);
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		assert_int_equal(devname_parse(missing[i], name), -ENODEV);

	memset(longest + 9, 'x', PTWALK_MAX_DEVICE_NAME - 9);
	is_named(longest, longest);
	longest[PTWALK_MAX_DEVICE_NAME] = 'x';
	assert_int_equal(devname_parse(longest, name), -EINVAL);
}

static char root[] = "/tmp/ptwalk-test-XXXXXX";

static void folder(const char *path, const char *subsystem)
{
	char at[256], link[280];

	snprintf(at, sizeof(at), "%s%s", root, path);
	assert_int_equal(mkdir(at, 0755), 0);
	if (!subsystem)
		return;
	snprintf(link, sizeof(link), "%s/subsystem", at);
	assert_int_equal(symlink(subsystem, link), 0);
}

static void leads_to(const char *path, const char *wanted)
{
	char at[256];

	snprintf(at, sizeof(at), "%s%s", root, path);
	name[0] = '\0';
	if (!wanted) {
		assert_non_null(devname_from_path(root, at, name));
		return;
	}
	assert_null(devname_from_path(root, at, name));
	assert_string_equal(name, wanted);
}

/* As sysfs is: what a device is part of stands above it. */
static void paths_of_devices(void **state)
{
	char command[64];

	assert_non_null(mkdtemp(root));
	folder("/pci0000:00", NULL);
	folder("/pci0000:00/0000:00:03.0", "../../../bus/pci");
	folder("/pci0000:00/0000:00:03.0/virtio1", "../../../../bus/virtio");
	folder("/pci0000:00/0000:00:03.0/virtio1/net", NULL);
	folder("/pci0000:00/0000:00:03.0/virtio1/net/eth0", "../../../../../../class/net");
	folder("/platform", NULL);
	folder("/platform/soc", "../../bus/platform");
	folder("/platform/soc/pci", "../../../class/pci");
	folder("/virtual", NULL);

	leads_to("/pci0000:00/0000:00:03.0", "pci/0000:00:03.0");
	leads_to("/pci0000:00/0000:00:03.0/virtio1/net/eth0", "pci/0000:00:03.0");
	leads_to("/platform/soc", "platform/soc");
	leads_to("/platform/soc/pci", "platform/soc");
	leads_to("/pci0000:00", NULL);
	leads_to("/virtual", NULL);
	leads_to("", NULL);
	assert_non_null(devname_from_path(root, "/somewhere/else", name));
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void add(struct busmap *map, uint64_t iova, uint64_t bytes, uint64_t phys)
{
	struct ptwalk_stretch s = { iova, bytes, phys };

	assert_int_equal(busmap_add(map, &s), 0);
}

static void row_is(const struct bus_row *row, uint64_t vaddr, uint64_t phys,
		   uint64_t bytes, int is_mapped, uint64_t bus)
{
	assert_true(row->vaddr == vaddr);
	assert_true(row->phys == phys);
	assert_true(row->bytes == bytes);
	assert_int_equal(row->is_mapped, is_mapped);
	if (is_mapped)
		assert_true(row->bus == bus);
}

static void stretches_grow(void **state)
{
	struct busmap map = { 0 };

	add(&map, 0x1000, 0x1000, 0x80000);
	add(&map, 0x2000, 0x1000, 0x81000);	/* goes on */
	add(&map, 0x3000, 0x1000, 0x90000);	/* elsewhere */
	add(&map, 0x5000, 0x1000, 0x91000);	/* behind a hole */
	assert_int_equal(map.nr, 3);
	assert_true(map.stretch[0].bytes == 0x2000);
	busmap_free(&map);
}

static void join(void **state)
{
	struct bus_rows rows = { 0 };
	struct busmap map = { 0 };

	add(&map, 0x9000, 0x2000, 0x81000);
	add(&map, 0x1000, 0x4000, 0x80000);	/* all of that, once more */
	add(&map, 0xf000, 0x1000, 0x90000);
	assert_int_equal(busmap_sort(&map), 0);

	/* Nothing, one, two, one again, nothing. */
	assert_int_equal(busmap_join(&map, 0x700000, 0x7f000, 0x6000, &rows), 0);
	assert_int_equal(rows.nr, 6);
	row_is(&rows.row[0], 0x700000, 0x7f000, 0x1000, 0, 0);
	row_is(&rows.row[1], 0x701000, 0x80000, 0x1000, 1, 0x1000);
	row_is(&rows.row[2], 0x702000, 0x81000, 0x2000, 1, 0x2000);
	row_is(&rows.row[3], 0x702000, 0x81000, 0x2000, 1, 0x9000);
	row_is(&rows.row[4], 0x704000, 0x83000, 0x1000, 1, 0x4000);
	row_is(&rows.row[5], 0x705000, 0x84000, 0x1000, 0, 0);
	bus_rows_free(&rows);

	/* A part of a stretch; what follows it goes on in the same row. */
	assert_int_equal(busmap_join(&map, 0x1000, 0x90400, 0x200, &rows), 0);
	assert_int_equal(busmap_join(&map, 0x1200, 0x90600, 0x100, &rows), 0);
	assert_int_equal(rows.nr, 1);
	row_is(&rows.row[0], 0x1000, 0x90400, 0x300, 1, 0xf400);
	bus_rows_free(&rows);

	/* The next page of the process is another frame. */
	assert_int_equal(busmap_join(&map, 0x1000, 0x80000, 0x1000, &rows), 0);
	assert_int_equal(busmap_join(&map, 0x2000, 0x90000, 0x1000, &rows), 0);
	assert_int_equal(rows.nr, 2);
	row_is(&rows.row[1], 0x2000, 0x90000, 0x1000, 1, 0xf000);
	bus_rows_free(&rows);
	busmap_free(&map);

	/* A device that maps nothing. */
	assert_int_equal(busmap_sort(&map), 0);
	assert_int_equal(busmap_join(&map, 0x1000, 0, 0x3000, &rows), 0);
	assert_int_equal(rows.nr, 1);
	row_is(&rows.row[0], 0x1000, 0, 0x3000, 0, 0);
	bus_rows_free(&rows);
	busmap_free(&map);
}

/* The frame before and the one behind are nobody's: no off by one. */
static void join_edges(void **state)
{
	struct bus_rows rows = { 0 };
	struct busmap map = { 0 };

	add(&map, 0, 0x1000, 0x5000);
	add(&map, UINT64_MAX - 0xfff, 0x1000, UINT64_MAX - 0xfff);
	assert_int_equal(busmap_sort(&map), 0);
	assert_int_equal(busmap_join(&map, 0, 0x4000, 0x1000, &rows), 0);
	assert_int_equal(busmap_join(&map, 0x8000, 0x6000, 0x1000, &rows), 0);
	assert_int_equal(rows.nr, 2);
	assert_false(rows.row[0].is_mapped || rows.row[1].is_mapped);
	assert_int_equal(busmap_join(&map, 0x20000, UINT64_MAX - 0xfff, 0x1000, &rows), 0);
	row_is(&rows.row[2], 0x20000, UINT64_MAX - 0xfff, 0x1000, 1, UINT64_MAX - 0xfff);
	bus_rows_free(&rows);
	busmap_free(&map);
}

static struct nl_msg *message(uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc_size(16 * 1024);

	assert_non_null(msg);
	assert_non_null(genlmsg_put(msg, 0, 1, 0x20, 0, 0, cmd, 1));
	return msg;
}

static void device_messages(void **state)
{
	const uint64_t bus[] = { 0x1000, UINT64_MAX };
	struct nl_msg *msg = message(PTWALK_CMD_DEVICE);
	struct ptwalk_device facts;

	assert_int_equal(wire_device(nlmsg_hdr(msg), &facts), -EBADMSG);
	nla_put_string(msg, PTWALK_A_DEVICE_NAME, "pci/0000:00:04.0");
	assert_int_equal(wire_device(nlmsg_hdr(msg), &facts), -EBADMSG);
	nla_put_u32(msg, PTWALK_A_DEVICE_DOMAIN, PTWALK_DOMAIN_DMA);
	assert_int_equal(wire_device(nlmsg_hdr(msg), &facts), 0);
	assert_string_equal(facts.name, "pci/0000:00:04.0");
	assert_string_equal(facts.driver, "");
	assert_true(facts.group == -1);
	assert_false(facts.is_direct);
	assert_true(device_translates(&facts));
	assert_true(device_page(&facts) == 4096);

	nla_put_u32(msg, PTWALK_A_DEVICE_GROUP, 7);
	nla_put_u64(msg, PTWALK_A_DEVICE_DMA_MASK, 0xffffffff);
	nla_put_u64(msg, PTWALK_A_DEVICE_PAGE_SIZES, 0x40204000);
	nla_put_u64(msg, PTWALK_A_DEVICE_APERTURE_LAST, 0xffff);
	nla_put(msg, PTWALK_A_DEVICE_BUS_ADDRESSES, sizeof(bus), bus);
	nla_put(msg, 999, 4, bus);	/* of a later module */
	assert_int_equal(wire_device(nlmsg_hdr(msg), &facts), 0);
	assert_true(facts.group == 7);
	assert_true(device_page(&facts) == 0x4000);
	assert_true(device_reach(&facts) == 0xffffffff);
	facts.bus_limit = 0xffff;
	assert_true(device_reach(&facts) == 0xffff);
	assert_true(facts.is_direct);
	assert_true(facts.bus[0] == 0x1000 && facts.bus[1] == UINT64_MAX);
	nla_put_u64(msg, PTWALK_A_DEVICE_APERTURE_START, 0x10000);
	assert_int_equal(wire_device(nlmsg_hdr(msg), &facts), -EBADMSG);
	nlmsg_free(msg);

	/* Half a word. */
	msg = message(PTWALK_CMD_DEVICE);
	nla_put_string(msg, PTWALK_A_DEVICE_NAME, "pci/0000:00:04.0");
	nla_put_u32(msg, PTWALK_A_DEVICE_DOMAIN, PTWALK_DOMAIN_NONE);
	nla_put(msg, PTWALK_A_DEVICE_BUS_ADDRESSES, 12, bus);
	assert_int_equal(wire_device(nlmsg_hdr(msg), &facts), -EBADMSG);
	nlmsg_free(msg);
}

static int read_iova(uint64_t start, uint64_t last,
		     const struct ptwalk_stretch *in, size_t bytes)
{
	struct nl_msg *msg = message(PTWALK_CMD_IOVA);
	struct ptwalk_stretches out;
	struct ptwalk_stretch *stretch;
	int err;

	/* Off the alignment of the words, too. */
	nla_put(msg, 999, 4 * (bytes % 48 == 0), in);
	nla_put(msg, PTWALK_A_IOVA_STRETCHES, bytes, in);
	nla_put_u32(msg, PTWALK_A_IOVA_STRETCH_BYTES, sizeof(*in));
	nla_put_u64(msg, PTWALK_A_IOVA_START, start);
	nla_put_u64(msg, PTWALK_A_IOVA_LAST, last);
	err = wire_iova(nlmsg_hdr(msg), &out, &stretch);
	if (!err) {
		assert_int_equal((uintptr_t)stretch % 8, 0);
		assert_int_equal(out.nr, bytes / sizeof(*in));
		assert_memory_equal(stretch, in, bytes);
		assert_true(out.start == start && out.last == last);
	}
	nlmsg_free(msg);
	return err;
}

static void iova_messages(void **state)
{
	static const struct ptwalk_stretch good[] = {
		{ 0x1000, 0x1000, 0x80000 }, { 0x3000, 0x2000, 0x70000 },
	}, empty[] = {
		{ 0x1000, 0, 0x80000 },
	}, backwards[] = {
		{ 0x3000, 0x1000, 0x80000 }, { 0x1000, 0x1000, 0x70000 },
	}, overlapping[] = {
		{ 0x1000, 0x1001, 0x80000 }, { 0x2000, 0x1000, 0x70000 },
	}, endless[] = {
		{ 0x1000, UINT64_MAX, 0x80000 },
	}, behind[] = {
		{ UINT64_MAX - 0xfff, 0x1000, 0 }, { 0, 0x1000, 0 },
	};
	struct nl_msg *msg = message(PTWALK_CMD_IOVA);
	struct ptwalk_stretches out;
	struct ptwalk_stretch *stretch;

	assert_int_equal(read_iova(0x1000, 0x4fff, good, sizeof(good)), 0);
	assert_int_equal(read_iova(0x1000, 0x4fff, good, sizeof(good[0])), 0);
	assert_int_equal(read_iova(0x1000, 0x4fff, good, 0), 0);
	assert_int_equal(read_iova(0x1000, 0x4fff, good, 20), -EBADMSG);
	assert_int_equal(read_iova(0x2000, 0x4fff, good, sizeof(good)), -EBADMSG);
	assert_int_equal(read_iova(0x1000, 0x2fff, good, sizeof(good)), -EBADMSG);
	assert_int_equal(read_iova(0x2000, 0x1fff, good, 0), -EBADMSG);
	assert_int_equal(read_iova(0, 0xffff, empty, sizeof(empty)), -EBADMSG);
	assert_int_equal(read_iova(0, 0xffff, backwards, sizeof(backwards)), -EBADMSG);
	assert_int_equal(read_iova(0, 0xffff, overlapping, sizeof(overlapping)), -EBADMSG);
	assert_int_equal(read_iova(0, 0xffff, endless, sizeof(endless)), -EBADMSG);
	assert_int_equal(read_iova(0, UINT64_MAX, behind, sizeof(behind[0])), 0);
	assert_int_equal(read_iova(0, UINT64_MAX, behind, sizeof(behind)), -EBADMSG);
	assert_int_equal(wire_iova(nlmsg_hdr(msg), &out, &stretch), -EBADMSG);
	/* The message before the first, which came without waiting for locks. */
	nla_put_u32(msg, PTWALK_A_IOVA_STRETCH_BYTES, sizeof(*good));
	assert_int_equal(wire_iova(nlmsg_hdr(msg), &out, &stretch), 1);
	nla_put_u64(msg, PTWALK_A_IOVA_START, 0);
	assert_int_equal(wire_iova(nlmsg_hdr(msg), &out, &stretch), -EBADMSG);
	nlmsg_free(msg);
}

/* Of records that a later module made longer, we take the words that we know. */
static void longer_stretches(void **state)
{
	static const uint64_t words[] = {
		0x1000, 0x1000, 0x80000, 77, 0x3000, 0x2000, 0x70000, 78,
	};
	static const struct ptwalk_stretch known[] = {
		{ 0x1000, 0x1000, 0x80000 }, { 0x3000, 0x2000, 0x70000 },
	};
	static const struct {
		uint32_t bytes, len;
		int err;
	} cases[] = {
		{ 32, sizeof(words), 0 },
		{ 32, sizeof(words) - 8, -EBADMSG },	/* the last one isn't whole */
		{ 28, 56, -EBADMSG },			/* no whole words */
		{ 16, sizeof(words), -EBADMSG },	/* less than we know */
		{ 0, sizeof(words), -EBADMSG },
		{ UINT32_MAX - 7, sizeof(words), -EBADMSG },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nl_msg *msg = message(PTWALK_CMD_IOVA);
		struct ptwalk_stretches out;
		struct ptwalk_stretch *stretch;

		nla_put_u32(msg, PTWALK_A_IOVA_STRETCH_BYTES, cases[i].bytes);
		nla_put(msg, PTWALK_A_IOVA_STRETCHES, cases[i].len, words);
		nla_put_u32(msg, PTWALK_A_IOVA_START, 0x1000);
		nla_put_u64(msg, PTWALK_A_IOVA_LAST, 0x4fff);
		assert_int_equal(wire_iova(nlmsg_hdr(msg), &out, &stretch),
				 cases[i].err);
		if (!cases[i].err) {
			assert_int_equal(out.nr, 2);
			assert_memory_equal(stretch, known, sizeof(known));
		}
		nlmsg_free(msg);
	}
}

/* What frames are good for a device, and which not. */
static void leads(void **state)
{
	const uint64_t pinned = PTWALK_PAGE_FLAG_MAYBE_PINNED;
	const uint64_t anon = KPF_BIT(ANON) | KPF_BIT(LRU), one = 1ULL << 32;
	const struct {
		uint64_t kpageflags, flags, counts;
		enum lead other, managed;
	} cases[] = {
		{ KPF_BIT(BUDDY), 0, 0, LEAD_FREE, LEAD_FREE },
		{ KPF_BIT(PGTABLE), 0, 1, LEAD_TABLE, LEAD_TABLE },
		{ KPF_BIT(SLAB), 0, 1, LEAD_GOOD, LEAD_SLAB },
		{ KPF_BIT(SLAB), 0, 0, LEAD_GOOD, LEAD_SLAB },
		{ 0, PTWALK_PAGE_FLAG_FREE, 0, LEAD_FREE, LEAD_FREE },
		{ 0, 0, 0, LEAD_GOOD, LEAD_GOOD },
		{ 0, 0, 1, LEAD_GOOD, LEAD_GOOD },
		{ KPF_BIT(NOPAGE), 0, 0, LEAD_GOOD, LEAD_GOOD },
		{ KPF_BIT(RESERVED), 0, 0, LEAD_GOOD, LEAD_GOOD },
		{ KPF_BIT(OFFLINE), 0, 0, LEAD_GOOD, LEAD_GOOD },
		{ anon, pinned, one | 1025, LEAD_GOOD, LEAD_GOOD },
		{ anon, 0, one | 1, LEAD_UNPINNED, LEAD_UNPINNED },
		{ anon, PTWALK_PAGE_FLAG_WRITEBACK, one | 1, LEAD_GOOD, LEAD_GOOD },
		{ anon, PTWALK_PAGE_FLAG_LOCKED, one | 1, LEAD_GOOD, LEAD_GOOD },
		{ anon, pinned, 1024, LEAD_GONE, LEAD_GONE },
		{ anon | KPF_BIT(SWAPCACHE), pinned, 1024, LEAD_GOOD, LEAD_GOOD },
		{ KPF_BIT(LRU), 0, one | 1, LEAD_UNPINNED, LEAD_UNPINNED },
		{ KPF_BIT(LRU), 0, 1, LEAD_GOOD, LEAD_GOOD },
		/* Where kpageflags can't be read. */
		{ 0, PTWALK_PAGE_FLAG_RESERVED | PTWALK_PAGE_FLAG_ANON, 1, LEAD_GOOD, LEAD_GOOD },
		{ 0, PTWALK_PAGE_FLAG_ANON | pinned, 1024, LEAD_GONE, LEAD_GONE },
		{ 0, PTWALK_PAGE_FLAG_ANON, one | 1, LEAD_UNPINNED, LEAD_UNPINNED },
		{ 0, PTWALK_PAGE_FLAG_LRU, one | 1, LEAD_UNPINNED, LEAD_UNPINNED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_page page = {
			.flags = cases[i].flags, .counts = cases[i].counts,
		};

		assert_int_equal(lead_of(cases[i].kpageflags, &page, false), cases[i].other);
		assert_int_equal(lead_of(cases[i].kpageflags, &page, true), cases[i].managed);
	}
	assert_true(lead_is_wrong(LEAD_FREE, false));
	assert_false(lead_is_wrong(LEAD_UNPINNED, false));
	assert_true(lead_is_wrong(LEAD_UNPINNED, true));
	assert_false(lead_is_wrong(LEAD_GONE, true));
}

/* As many pages as frames were asked for, whole. */
static void frames_messages(void **state)
{
	static const struct ptwalk_page pages[2] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
	struct ptwalk_page out[2];

	for (int i = 0; i < 4; i++) {
		struct nl_msg *msg = message(PTWALK_CMD_FRAMES);

		if (i != 1)
			nla_put(msg, PTWALK_A_FRAMES_PAGES,
				sizeof(pages) - (i == 2 ? 8 : 0), pages);
		nla_put_u32(msg, PTWALK_A_FRAMES_PAGE_BYTES, sizeof(*pages));
		assert_int_equal(wire_frames(nlmsg_hdr(msg), out, i == 3 ? 1 : 2),
				 i ? -EBADMSG : 0);
		if (!i)
			assert_memory_equal(out, pages, sizeof(pages));
		nlmsg_free(msg);
	}
}

/* What is looked at must lie in the aperture with both of its ends. */
static void aperture(void **state)
{
	static const struct {
		struct range is, cut;
		bool any;
	} cases[] = {
		{ { 0x1000, 0x8fff }, { 0x2000, 0x7fff }, true },
		{ { 0x3000, 0x3fff }, { 0x3000, 0x3fff }, true },
		{ { 0x1000, 0x2000 }, { 0x2000, 0x2000 }, true },
		{ { 0x7fff, UINT64_MAX }, { 0x7fff, 0x7fff }, true },
		{ { 0x0, 0x1fff } }, { { 0x8000, 0x8fff } },
	};
	const struct ptwalk_device facts = { .aperture_start = 0x2000, .aperture_last = 0x7fff };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct range range = cases[i].is;

		assert_int_equal(bus_look_cut(&facts, &range), cases[i].any);
		if (!cases[i].any)
			continue;
		assert_int_equal(range.start, cases[i].cut.start);
		assert_int_equal(range.last, cases[i].cut.last);
	}
}

static struct ranges streamed;

int __wrap_device_stream(struct ptwalk *client, const char *name, const struct range *range,
			 int (*each)(const struct ptwalk_stretches *s, void *arg), void *arg);

int __wrap_device_stream(struct ptwalk *client, const char *name, const struct range *range,
			 int (*each)(const struct ptwalk_stretches *s, void *arg), void *arg)
{
	return ranges_add(&streamed, range->start, range->last);
}

#define GIB	(1ULL << 30)

/* What was looked up isn't again, but the rest is, and what is too much hides nothing. */
static void own_addresses(void **state)
{
	struct range scanned[] = { { 0, 20 * GIB - 1 }, { 30 * GIB, 31 * GIB - 1 } };
	struct range own[] = {
		{ 4 * GIB, 5 * GIB - 1 }, { 19 * GIB, 32 * GIB - 1 }, { 40 * GIB, 104 * GIB },
		{ 200 * GIB + 4096, 200 * GIB + 8191 }, { 300 * GIB, 340 * GIB - 1 },
		{ 400 * GIB, 440 * GIB - 1 }, { 511 * GIB, 513 * GIB - 1 },
	};
	static const struct range wanted[] = {
		{ 20 * GIB, 30 * GIB - 1 }, { 31 * GIB, 32 * GIB - 1 },
		{ 200 * GIB, 200 * GIB + 65535 }, { 300 * GIB, 340 * GIB - 1 },
		{ 511 * GIB, 512 * GIB - 1 },
	};
	struct bus_look look = {
		.facts = { .aperture_last = 512 * GIB - 1, .page_sizes = 1 << 16 | 1 << 21 },
		.scanned = { scanned, 2, 2 },
	};

	assert_int_equal(bus_look_same(&look, &(struct ranges){ own, 7, 7 }), 0);
	assert_int_equal(streamed.nr, sizeof(wanted) / sizeof(wanted[0]));
	assert_memory_equal(streamed.range, wanted, sizeof(wanted));
	ranges_free(&streamed);
}

/*
 * The kernel's list, and no table, of a device: a page of 0x10000, whose frame is free, and
 * a mapping of 0x20000 of which nothing more is known. The list is read so often; 0: it
 * stays as it is.
 */
static unsigned int list_lasts, list_reads, flag_reads;

void __real_dmadump_read(const char *device, uint64_t page, struct dmadump *dump);
void __wrap_dmadump_read(const char *device, uint64_t page, struct dmadump *dump);

void __wrap_dmadump_read(const char *device, uint64_t page, struct dmadump *dump)
{
	static const struct dma_mapping mappings[] = {
		{ 0x10000, 0x1000, 0x80000, 0x1000 }, { 0x20000, 0x1000, 0x90000, 0 },
	};

	if (!test_has_client) {
		__real_dmadump_read(device, page, dump);
		return;
	}
	dmadump_free(dump);
	list_reads++;
	for (size_t i = 0; i < 2 && (!list_lasts || list_reads <= list_lasts); i++)
		assert_true(array_add(dump->mapping, dump->nr, dump->max, mappings[i]));
}

bool __real_device_is_refused(struct ptwalk *client, const struct ptwalk_device *facts);
bool __wrap_device_is_refused(struct ptwalk *client, const struct ptwalk_device *facts);

bool __wrap_device_is_refused(struct ptwalk *client, const struct ptwalk_device *facts)
{
	return test_has_client || __real_device_is_refused(client, facts);
}

const char *__real_ptwalk_strerror(const struct ptwalk *p);
const char *__wrap_ptwalk_strerror(const struct ptwalk *p);

const char *__wrap_ptwalk_strerror(const struct ptwalk *p)
{
	return p ? __real_ptwalk_strerror(p) : "refused";
}

size_t __real_frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr);
size_t __wrap_frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr);

size_t __wrap_frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr)
{
	if (!test_has_client)
		return __real_frameflags_read(pfn, flags, nr);
	flag_reads++;
	for (size_t i = 0; i < nr; i++)
		flags[i] = KPF_BIT(BUDDY);
	return nr;
}

static int with_client(void **state)
{
	test_has_client = true;
	return 0;
}

static int without_client(void **state)
{
	test_has_client = false;
	return 0;
}

/* A driver that has let go of a page meanwhile may have freed it. */
static void lint_by_list(void **state)
{
	static const struct ptwalk_device facts = { .name = "pci/0000:00:00.0" };

	for (list_lasts = 0; list_lasts < 4; list_lasts++) {
		struct iova_lint lint = { .facts = &facts, .by_list = true, .json = true };
		const struct ptwalk_stretch s = { 0x10000, 0x1000, 0x80000 };

		list_reads = 0;
		assert_int_equal(iova_lint_stretch(&lint, &s), 0);
		assert_int_equal(lint.pages, 1);
		assert_int_equal(iova_lint_wrong(&lint), !list_lasts || list_lasts == 3);
	}
	list_lasts = 0;
}

/* However many pages are wrong, the list is read again for all of them at once. */
static void lint_reads_seldom(void **state)
{
	static const struct ptwalk_device facts = { .name = "pci/0000:00:00.0" };
	const struct ptwalk_stretch s = { 0x10000, PTWALK_MAX_ADDRESSES * 0x1000, 0x80000 };
	struct iova_lint lint = { .facts = &facts, .by_list = true, .json = true };

	list_reads = 0;
	assert_int_equal(iova_lint_stretch(&lint, &s), 0);
	assert_int_equal(lint.pages, PTWALK_MAX_ADDRESSES);
	/* The rest isn't in the list. */
	assert_int_equal(iova_lint_wrong(&lint), 1);
	assert_int_equal(list_reads, 3);
}

/* Where reading kpageflags of free memory can crash the kernel, it isn't read. */
static void lint_crashes_nothing(void **state)
{
	static const struct ptwalk_device facts = { .name = "pci/0000:00:00.0" };
	static const struct {
		unsigned int major, minor, reads, wrong;
	} kernels[] = { { 5, 17, 4, 1 }, { 5, 18, 0, 0 }, { 6, 1, 0, 0 }, { 6, 2, 4, 1 } };
	const struct ptwalk_stretch s = { 0x10000, 0x1000, 0x80000 };

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct iova_lint lint = { .facts = &facts, .by_list = true, .json = true };

		told_kernel.major = kernels[i].major;
		told_kernel.minor = kernels[i].minor;
		flag_reads = 0;
		assert_int_equal(iova_lint_stretch(&lint, &s), 0);
		assert_int_equal(flag_reads, kernels[i].reads);
		assert_int_equal(iova_lint_wrong(&lint), kernels[i].wrong);
	}
	told_kernel.major = 0;
	told_kernel.minor = 0;
}

static void ask_iova(void *arg)
{
	char *address = *(char **)arg;
	char *argv[] = { (char *)"iova", (char *)"0000:00:00.0", address, NULL };

	*(int *)arg = cmd_iova(3, argv);
}

/* What the list doesn't tell of isn't unmapped: VFIO's memory isn't listed at all. */
static void asked_of_list(void **state)
{
	static const struct {
		const char *address;
		int status;
	} cases[] = {
		{ "10008", EXIT_MATCH }, { "20000", EXIT_UNCHECKED }, { "30000", EXIT_UNCHECKED },
		{ "1000000000000", EXIT_MISMATCH },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		union {
			const char *address;
			int status;
		} ask = { cases[i].address };
		char *text = told_text(ask_iova, &ask);

		if (ask.status != cases[i].status)
			fail_msg("%s: %d: %s", cases[i].address, ask.status, text);
		assert_int_equal(!!strstr(text, "would fault"), ask.status == EXIT_MISMATCH);
		free(text);
	}
}

SUITE(suite_iova, cmocka_unit_test(own_addresses),
      cmocka_unit_test_setup_teardown(asked_of_list, with_client, without_client),
      cmocka_unit_test_setup_teardown(lint_by_list, with_client, without_client),
      cmocka_unit_test_setup_teardown(lint_reads_seldom, with_client, without_client),
      cmocka_unit_test_setup_teardown(lint_crashes_nothing, with_client, without_client),
      cmocka_unit_test(leads), cmocka_unit_test(frames_messages),
      cmocka_unit_test(names_of_devices), cmocka_unit_test(paths_of_devices),
      cmocka_unit_test(stretches_grow), cmocka_unit_test(join),
      cmocka_unit_test(join_edges), cmocka_unit_test(device_messages),
      cmocka_unit_test(iova_messages), cmocka_unit_test(longer_stretches),
      cmocka_unit_test(aperture));
