// SPDX-License-Identifier: GPL-2.0
/*
 * DirectMap4k and DirectMap2M of /proc/meminfo beside the tables that they are about,
 * with the module of the folder directmap-image; see directmap-image.txt. As root.
 * Exits with 1 if they differ. DirectMap1G has a bug of its own (directmap-boot).
 */
#include <stdio.h>
#include <string.h>

#define SIZES	2

static const char *const name[SIZES] = { "DirectMap4k:", "DirectMap2M:" };

/* Returns how many of the lines there are. */
static int read_sizes(const char *path, long kb[SIZES])
{
	FILE *file = fopen(path, "r");
	char word[64], line[256];
	int nr = 0;
	long value;

	memset(kb, 0, SIZES * sizeof(*kb));
	while (file && fgets(line, sizeof(line), file))
		for (int i = 0; i < SIZES; i++)
			if (sscanf(line, "%63s %ld", word, &value) == 2 &&
			    !strcmp(word, name[i])) {
				kb[i] = value;
				nr++;
			}
	if (file)
		fclose(file);
	return nr;
}

int main(void)
{
	long before[SIZES], tables[SIZES], after[SIZES];
	int tries = 10;

	do {
		if (read_sizes("/proc/meminfo", before) < SIZES ||
		    read_sizes("/proc/directmap_image", tables) < SIZES ||
		    read_sizes("/proc/meminfo", after) < SIZES) {
			printf("no DirectMap sizes, or no module\n");
			return 2;
		}
	} while (memcmp(before, after, sizeof(after)) && --tries);
	for (int i = 0; i < SIZES; i++)
		printf("%s %8ld kB in meminfo, %8ld kB in the tables\n", name[i], after[i],
		       tables[i]);
	return !!memcmp(after, tables, sizeof(tables));
}
