// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>
#include "proc.h"
#include "swap.h"
#include "system.h"

#define ZRAM		"/dev/zram0"

bool write_swap_header(const char *device, unsigned long page_size)
{
	int fd = open(device, O_WRONLY | O_CLOEXEC);
	char *page = calloc(1, page_size);
	bool good = false;

	if (fd >= 0 && page) {
		u32 *header = (u32 *)(page + 1024);

		header[0] = 1;				/* version */
		header[1] = lseek(fd, 0, SEEK_END) / page_size - 1;	/* last page */
		memcpy(page + page_size - 10, "SWAPSPACE2", 10);
		good = pwrite(fd, page, page_size, 0) == (ssize_t)page_size && !fsync(fd);
	}
	if (fd >= 0)
		close(fd);
	free(page);
	return good;
}

bool has_brd(void)
{
	static struct output out;

	run(&out, "modprobe", "-q", "brd", "rd_nr=1", "rd_size=16384");
	return !access(BRD, F_OK);
}

static bool has_zram(void)
{
	static struct output out;
	char size[32];

	snprintf(size, sizeof(size), "%d", SWAP_SIZE);
	if (access(ZRAM, F_OK))
		run(&out, "modprobe", "-q", "zram");
	return !access(ZRAM, F_OK) && (proc_number("/sys/block/zram0/disksize") > 0 ||
				       !proc_write("/sys/block/zram0/disksize", size));
}

const char *swap_area_on(const char **lacks)
{
	const char *device;

	if (access("/proc/swaps", F_OK)) {
		*lacks = "the kernel has no swap";
		return NULL;
	}
	device = has_zram() ? ZRAM : has_brd() ? BRD : NULL;
	/* Another process may have switched it on. */
	if (!device)
		*lacks = "there is neither zram nor brd";
	else if ((!write_swap_header(device, sysconf(_SC_PAGESIZE)) && errno != ETXTBSY) ||
		 (swapon(device, 0) && errno != EBUSY))
		*lacks = "the swap area can't be used";
	else
		return device;
	return NULL;
}
