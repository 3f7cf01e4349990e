// SPDX-License-Identifier: GPL-2.0
/*
 * DirectMap4k, 2M and 1G of /proc/meminfo beside the RAM that there is to map; see
 * directmap-boot.txt. As root. Exits with 1 if they map more than that, by half
 * a page of 1 GiB or more.
 */
#include <stdio.h>
#include <string.h>

#define ISA_END		(1L << 10)	/* kB: that is mapped without looking for RAM */

int main(void)
{
	FILE *iomem = fopen("/proc/iomem", "r"), *meminfo = fopen("/proc/meminfo", "r");
	long ram = ISA_END, mapped = 0, huge = -1, kb;
	unsigned long start, end;
	char line[256], size[8];

	while (iomem && fgets(line, sizeof(line), iomem))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && end &&
		    (strstr(line, ": System RAM") || strstr(line, ": Persistent Memory")))
			ram += (end - start + 1) >> 10;
	while (meminfo && fgets(line, sizeof(line), meminfo)) {
		if (sscanf(line, "DirectMap%7[^:]: %ld", size, &kb) != 2)
			continue;
		mapped += kb;
		if (!strcmp(size, "1G"))
			huge = kb;
	}
	if (ram == ISA_END || huge < 0) {
		printf("no RAM in iomem, not root, or no pages of 1 GiB\n");
		return 2;
	}
	printf("DirectMap1G: %ld kB; all sizes: %ld kB, RAM: %ld kB\n", huge, mapped, ram);
	return mapped > ram + (1 << 19);
}
