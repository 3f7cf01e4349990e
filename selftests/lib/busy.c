// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "busy.h"
#include "driver.h"
#include "system.h"

#define DEVICE	"/dev/ptwalk_fixture_busy"

static void map_device(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	pause();
}

bool busy_forget_pins(void)
{
	const int fd = driver_load() ? -1 : open(DEVICE, O_RDWR | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, "forget-pins", strlen("forget-pins")) > 0;
	close(fd);
	return done;
}

pid_t busy_start(int *fd)
{
	char waiting[16] = "";
	int tries;
	pid_t pid;

	*fd = driver_load() ? -1 : open(DEVICE, O_RDWR | O_CLOEXEC);
	if (*fd < 0)
		return -ENOENT;
	pid = fork();
	if (!pid)
		map_device(*fd);
	for (tries = 0; tries < 6000 && strcmp(waiting, "1\n"); tries++) {
		usleep(5000);
		pread(*fd, waiting, sizeof(waiting) - 1, 0);
	}
	if (!strcmp(waiting, "1\n"))
		return pid;
	process_end(pid);
	close(*fd);
	return -ETIMEDOUT;
}
