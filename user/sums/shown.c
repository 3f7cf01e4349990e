// SPDX-License-Identifier: GPL-2.0
/* Reads what the kernel shows of a process. */
#include "sums/shown.h"

const char *const figure_source_name[NR_FIGURE_SOURCES] = {
	[FIGURE_STATUS] = "status",
	[FIGURE_STATM] = "statm",
	[FIGURE_STAT] = "stat",
	[FIGURE_SMAPS] = "smaps",
	[FIGURE_ROLLUP] = "smaps_rollup",
	[FIGURE_NUMA_MAPS] = "numa_maps",
	[FIGURE_MAPS] = "maps",
	[FIGURE_QUERY] = "procmap-query",
	[FIGURE_MAP_FILES] = "map_files",
};

int shown_parse(struct shown *s, enum figure_source source, FILE *stream,
		size_t *line)
{
	int err;

	*line = 0;
	if (source == FIGURE_STATUS)
		err = procstatus_parse(stream, &s->status);
	else if (source == FIGURE_STATM)
		err = statm_parse(stream, &s->statm);
	else if (source == FIGURE_STAT)
		err = procstat_parse(stream, &s->stat);
	else if (source == FIGURE_SMAPS)
		err = smaps_parse(stream, &s->smaps, line);
	else if (source == FIGURE_ROLLUP)
		err = smaps_parse(stream, &s->rollup, line);
	else if (source == FIGURE_MAPS)
		err = smaps_parse(stream, &s->maps, line);
	else if (source == FIGURE_QUERY)
		err = smaps_parse(stream, &s->query, line);
	else if (source == FIGURE_MAP_FILES)
		err = smaps_parse(stream, &s->map_files, line);
	else
		err = numa_maps_parse(stream, &s->numa, line);
	if (!err)
		s->has |= 1U << source;
	return err;
}

void shown_free(struct shown *s)
{
	smaps_free(&s->smaps);
	smaps_free(&s->rollup);
	smaps_free(&s->maps);
	smaps_free(&s->query);
	smaps_free(&s->map_files);
	numa_maps_free(&s->numa);
	s->has = 0;
}
