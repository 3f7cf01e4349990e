// SPDX-License-Identifier: GPL-2.0
/* Readers of the kernel's texts, for tests that give them such texts. */
#include <string.h>
#include "dma/dmadump.h"
#include "kernel/recording.h"
#include "proc/directmap.h"
#include "proc/iomem.h"
#include "proc/kernel_tables.h"
#include "proc/maps.h"
#include "proc/memtype_list.h"
#include "proc/pci_bars.h"
#include "proc/processes.h"
#include "proc/ptdump.h"
#include "proc/second_stage.h"
#include "proc/status.h"
#include "proc/tmpfs.h"
#include "proc/uring.h"
#include "proc/vmallocinfo.h"
#include "proc/zones.h"
#include "tests/readers.h"

uint64_t reader_digest;

void reader_add(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		reader_digest = (reader_digest ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
}

void reader_number(uint64_t number)
{
	reader_add(&number, sizeof(number));
}

void reader_text(const char *text)
{
	if (text)
		reader_add(text, strlen(text) + 1);
}

int reader_maps(FILE *stream)
{
	struct maps maps = { 0 };
	size_t line;
	int err = maps_parse(stream, &maps, &line);

	for (size_t i = 0; i < maps.nr; i++) {
		reader_number(maps.map[i].start);
		reader_number(maps.map[i].last);
		reader_text(maps_name_at(&maps, maps.map[i].last));
	}
	maps_free(&maps);
	return err;
}

void reader_add_smaps(const struct smaps *smaps)
{
	for (size_t i = 0; i < smaps->nr; i++) {
		reader_number(smaps->vma[i].start);
		reader_number(smaps->vma[i].vm_flags);
		reader_text(smaps->vma[i].name);
		reader_add(smaps->vma[i].value, sizeof(smaps->vma[i].value));
	}
}

void reader_add_numa(const struct numa_maps *numa)
{
	for (size_t i = 0; i < numa->nr; i++) {
		reader_number(numa->vma[i].start);
		reader_text(numa->vma[i].file);
		reader_add(numa->vma[i].value, sizeof(numa->vma[i].value));
		for (size_t j = 0; j < numa->vma[i].nr_nodes; j++)
			reader_number(numa->vma[i].nodes[j].pages);
	}
}

static int read_shown(FILE *stream, enum figure_source source)
{
	struct shown shown = { 0 };
	size_t line;
	int err = shown_parse(&shown, source, stream, &line);

	reader_add(&shown.status, sizeof(shown.status));
	reader_add(&shown.statm, sizeof(shown.statm));
	reader_add(&shown.stat, sizeof(shown.stat));
	reader_add_smaps(&shown.smaps);
	reader_add_numa(&shown.numa);
	shown_free(&shown);
	return err;
}

int reader_smaps(FILE *stream)
{
	return read_shown(stream, FIGURE_SMAPS);
}

int reader_numa_maps(FILE *stream)
{
	return read_shown(stream, FIGURE_NUMA_MAPS);
}

int reader_status(FILE *stream)
{
	struct procstatus_charges charges = { 0 };
	int err = read_shown(stream, FIGURE_STATUS);

	rewind(stream);
	if (!err)
		err = procstatus_charged(stream, &charges);
	reader_number(charges.locked + charges.pinned);
	return err;
}

int reader_statm(FILE *stream)
{
	return read_shown(stream, FIGURE_STATM);
}

int reader_stat(FILE *stream)
{
	return read_shown(stream, FIGURE_STAT);
}

int reader_iomem(FILE *stream)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	struct iomem iomem = { 0 };
	int err = iomem_parse(stream, &iomem);
	size_t nr;

	for (size_t i = 0; i < iomem.nr; i++) {
		reader_number(iomem.resource[i].last);
		reader_text(iomem.resource[i].name);
		nr = iomem_at(&iomem, iomem.resource[i].last, chain);
		if (nr)
			iomem_in_use(chain, nr);
		iomem_gap(&iomem, iomem.resource[i].start);
	}
	iomem_free(&iomem);
	return err;
}

int reader_kernel_tables(FILE *stream)
{
	struct kernel_tables tables = { 0 };
	int err = kernel_tables_parse(stream, &tables);

	reader_add(tables.extent, tables.nr * sizeof(*tables.extent));
	reader_add(tables.region, tables.nr_regions * sizeof(*tables.region));
	reader_add(tables.gone, tables.nr_gone * sizeof(*tables.gone));
	for (size_t i = 0; i < tables.nr; i++) {
		kernel_region_at(&tables, tables.extent[i].start);
		kernel_extent_from(&tables, tables.extent[i].start);
	}
	kernel_tables_free(&tables);
	return err;
}

int reader_memtypes(FILE *stream)
{
	struct memtype_list list = { 0 };
	int err = memtype_list_parse(stream, &list);

	reader_add(list.range, list.nr * sizeof(*list.range));
	memtype_list_free(&list);
	return err;
}

int reader_vmallocinfo(FILE *stream)
{
	struct vmallocinfo info = { 0 };
	int err = vmallocinfo_parse(stream, &info);

	reader_add(info.area, info.nr * sizeof(*info.area));
	for (size_t i = 0; i < info.nr; i++)
		vmallocinfo_at(&info, info.area[i].end);
	vmallocinfo_free(&info);
	return err;
}

int reader_ptdump(FILE *stream)
{
	struct ptdump dump = { 0 };
	int err = ptdump_parse(stream, &dump);

	reader_add(dump.run, dump.nr * sizeof(*dump.run));
	ptdump_free(&dump);
	return err;
}

int reader_uring(FILE *stream)
{
	struct uring ring = { .fd = 3 };
	int err = uring_parse(stream, &ring);

	reader_add(ring.buffer, ring.nr * sizeof(*ring.buffer));
	uring_free(&ring);
	return err;
}

int reader_second_stage(FILE *stream)
{
	struct second_stage stage = { 0 };
	int err = second_stage_parse(stream, &stage);

	for (size_t i = 0; i < stage.nr; i++) {
		reader_number(stage.extent[i].gpa);
		reader_number(stage.extent[i].hpa);
		reader_number(stage.extent[i].hva);
		reader_number(stage.extent[i].bytes);
	}
	second_stage_free(&stage);
	return err;
}

int reader_directmap(FILE *stream)
{
	struct directmap map;
	int err = directmap_parse(stream, &map);

	reader_add(map.kb, sizeof(map.kb));
	return err;
}

int reader_zones(FILE *stream)
{
	struct zones zones = { 0 };
	int err = zones_parse(stream, &zones);

	reader_add(zones.zone, zones.nr * sizeof(*zones.zone));
	zones_free(&zones);
	return err;
}

int reader_pci_bars(FILE *stream)
{
	struct pcibars bars = { 0 };
	int err = pcibars_parse(stream, "0000:00:04.0", &bars);
	char text[PCIBAR_TEXT];

	for (size_t i = 0; i < bars.nr; i++) {
		reader_number(bars.bar[i].start);
		pcibar_text(pcibars_at(&bars, bars.bar[i].start), text);
	}
	pcibars_free(&bars);
	return err;
}

int reader_dma_dump(FILE *stream)
{
	struct dmadump dump = { 0 };
	int err = dmadump_parse(stream, "0000:00:04.0", 4096, &dump);

	for (size_t i = 0; i < dump.nr; i++) {
		reader_number(dump.mapping[i].bus);
		dmadump_has(&dump, &dump.mapping[i]);
	}
	dmadump_free(&dump);
	return err;
}

int reader_mount(FILE *stream)
{
	struct procs_mount mount;
	int err = procs_parse_mount(stream, &mount);

	reader_number(mount.hides | mount.strict << 1);
	return err;
}

int reader_tmpfs(FILE *stream)
{
	struct tmpfs_mounts mounts = { 0 };
	int err = tmpfs_parse(stream, &mounts);

	reader_add(mounts.mount, mounts.nr * sizeof(*mounts.mount));
	tmpfs_free(&mounts);
	return err;
}

int reader_kernel_recording(FILE *stream)
{
	static struct lines lines;
	struct kernel_recorded kernel = { 0 };
	struct kernel_facts facts = { 0 };
	int err;

	lines_begin(&lines, stream);
	err = kernel_replay(&lines, &kernel, &facts);
	reader_add(facts.tables.extent, facts.tables.nr * sizeof(*facts.tables.extent));
	reader_add(facts.areas.area, facts.areas.nr * sizeof(*facts.areas.area));
	kernel_tables_free(&facts.tables);
	vmallocinfo_free(&facts.areas);
	return err;
}
