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

const struct smaps *shown_lines(const struct shown *s, enum figure_source source)
{
	return source == FIGURE_SMAPS ? &s->smaps :
	       source == FIGURE_ROLLUP ? &s->rollup :
	       source == FIGURE_MAPS ? &s->maps :
	       source == FIGURE_QUERY ? &s->query :
	       source == FIGURE_MAP_FILES ? &s->map_files : NULL;
}

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
	else if (source == FIGURE_NUMA_MAPS)
		err = numa_maps_parse(stream, &s->numa, line);
	else
		err = smaps_parse(stream, (struct smaps *)shown_lines(s, source), line);
	if (!err)
		s->has |= 1U << source;
	return err;
}

int shown_parse_until(struct shown *s, enum figure_source source,
		      struct long_lines *lines, uint64_t last)
{
	int err = source == FIGURE_NUMA_MAPS ?
		  numa_maps_parse_until(lines, last, &s->numa) :
		  smaps_parse_until(lines, last, (struct smaps *)shown_lines(s, source));

	if (!err)
		s->has |= 1U << source;
	return err;
}

void shown_free_mappings(struct shown *s)
{
	smaps_free(&s->smaps);
	smaps_free(&s->maps);
	smaps_free(&s->query);
	smaps_free(&s->map_files);
	numa_maps_free(&s->numa);
	s->has &= ~SHOWN_BY_MAPPING;
}

void shown_free(struct shown *s)
{
	shown_free_mappings(s);
	smaps_free(&s->rollup);
	s->has = 0;
}
