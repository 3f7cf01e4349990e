// SPDX-License-Identifier: GPL-2.0
/* A file or device mapped into ptwalk itself. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/parse.h"
#include "proc/selfmap.h"

/* What stands behind a colon at the end; SELFMAP_SHARED has no word. */
static const char *const way_words[NR_SELFMAP_WAYS] = {
	[SELFMAP_RO] = "ro",
	[SELFMAP_WO] = "wo",
	[SELFMAP_PRIVATE] = "private",
};

/* Takes ":ro" or the like off the end of @s. */
static enum selfmap_way take_way(char *s)
{
	char *colon = strrchr(s, ':');

	if (!colon || colon == s || !access(s, F_OK))
		return SELFMAP_SHARED;
	for (enum selfmap_way way = SELFMAP_RO; way < NR_SELFMAP_WAYS; way++)
		if (!strcmp(colon + 1, way_words[way])) {
			*colon = '\0';
			return way;
		}
	return SELFMAP_SHARED;
}

/* Takes ":NUMBER" off the end of @s. */
static bool cut_number(char *s, uint64_t *value)
{
	char *colon = strrchr(s, ':');

	if (!colon || colon == s || parse_size(colon + 1, value))
		return false;
	*colon = '\0';
	return true;
}

/* What is behind the colon was meant as a number, then. */
static bool has_file_before_colon(char *spec)
{
	char *colon = strchr(spec, ':');
	bool is_there = false;

	if (colon) {
		*colon = '\0';
		is_there = !access(spec, F_OK);
		*colon = ':';
	}
	return is_there;
}

const char *selfmap_parse(const char *spec, struct selfmap *map)
{
	uint64_t number[2];
	char *file = strdup(spec);
	enum selfmap_way way;
	unsigned int nr = 0;

	if (!file)
		return "out of memory";
	way = take_way(file);

	/* Files whose names have colons in them are still files. */
	while (nr < 2 && access(file, F_OK) && cut_number(file, &number[nr]))
		nr++;

	*map = (struct selfmap){ .file = file, .way = way };
	if (access(file, F_OK) && has_file_before_colon(file))
		return "OFFSET and LENGTH are numbers of bytes such as 4096, 0x1000 or 64K; ro, wo or private may stand behind";
	if (nr)
		map->offset = number[nr - 1];
	if (nr == 2)
		map->length = number[0];

	if (!*file)
		return "a file is missing";
	if (nr == 2 && !map->length)
		return "a length of 0 maps nothing";
	if (map->offset % sysconf(_SC_PAGESIZE))
		return "the offset must be a multiple of the page size";
	if (map->length > SIZE_MAX || map->offset > INT64_MAX)
		return "more than an address space holds";
	return NULL;
}

/* Of what may not be written to, mmap() for copying needs no more than reading. */
static int open_file(const struct selfmap *map, int *prot)
{
	int fd = map->way == SELFMAP_RO ? -1 : open(map->file, O_RDWR | O_CLOEXEC);

	*prot = map->way == SELFMAP_RO ? PROT_READ : map->way == SELFMAP_WO ? PROT_WRITE :
		PROT_READ | PROT_WRITE;
	if (fd >= 0 || map->way == SELFMAP_WO)
		return fd;
	if (map->way != SELFMAP_PRIVATE)
		*prot = PROT_READ;
	return open(map->file, O_RDONLY | O_CLOEXEC);
}

static int find_length(int fd, struct selfmap *map)
{
	struct stat st;

	if (map->length)
		return 0;
	if (fstat(fd, &st))
		return error_set(-errno, "%s: %s", map->file, strerror(errno));
	if (!S_ISREG(st.st_mode)) {
		map->length = sysconf(_SC_PAGESIZE);
		return 0;
	}
	if ((uint64_t)st.st_size <= map->offset)
		return error_set(-EINVAL,
				 "%s: the file ends at %jd bytes: nothing to map there",
				 map->file, (intmax_t)st.st_size);
	map->length = st.st_size - map->offset;
	if (map->length > SIZE_MAX)
		return error_set(-EFBIG,
				 "%s: too big to map whole: give :OFFSET:LENGTH",
				 map->file);
	return 0;
}

/* Shared for writing if that is allowed, or as @map says. */
static void *map_file(const struct selfmap *map, int fd, int prot, uint64_t offset)
{
	const uint64_t length = map->length;
	void *addr = mmap(NULL, length, prot,
			  map->way == SELFMAP_PRIVATE ? MAP_PRIVATE : MAP_SHARED, fd, offset);

	if (addr == MAP_FAILED && map->way == SELFMAP_SHARED && prot & PROT_WRITE)
		addr = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, offset);
	return addr;
}

int selfmap_another(const struct selfmap *map, uint64_t offset, uint64_t length,
		    struct selfmap *another)
{
	int prot, err, fd = open_file(map, &prot);

	if (fd < 0)
		return -errno;
	*another = *map;
	another->offset = offset;
	another->length = length;
	another->addr = map_file(another, fd, prot, offset);
	err = another->addr == MAP_FAILED ? -errno : 0;
	close(fd);
	return err;
}

void selfmap_unmap(struct selfmap *map)
{
	munmap(map->addr, map->length);
}

/* pci_mmap_resource(), devmem_is_allowed() and range_is_allowed() of drivers/. */
static const char *why_refused(const char *file, int err)
{
	const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	if ((err != EINVAL && err != EPERM) ||
	    (strcmp(name, "mem") && strncmp(name, "resource", 8)))
		return "";
	return ": the memory of a device that has a driver can't be mapped (CONFIG_IO_STRICT_DEVMEM) until it is unbound, unless the kernel was started with iomem=relaxed; nor can RAM, or what is past the end";
}

int selfmap_open(struct selfmap *map)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	int fd, prot, err;
	void *addr;

	fd = open_file(map, &prot);
	if (fd < 0)
		return error_set(-errno, "%s: cannot be opened: %s",
				 map->file, strerror(errno));
	err = find_length(fd, map);
	if (err)
		goto close_fd;

	addr = map_file(map, fd, prot, map->offset);
	if (addr == MAP_FAILED)
		err = error_set(-errno,
				"%s: %" PRIu64 " bytes at offset 0x%" PRIx64 " cannot be mapped: %s%s",
				map->file, map->length, map->offset,
				strerror(errno), why_refused(map->file, errno));
	else
		map->addr = addr;
	map->length = (map->length + page - 1) / page * page;
close_fd:
	close(fd);
	return err;
}

static sigjmp_buf touch_failed;

static void on_fault(int sig)
{
	siglongjmp(touch_failed, sig);
}

int selfmap_touch(const struct selfmap *map)
{
	struct sigaction action = { .sa_handler = on_fault };
	struct sigaction old_bus, old_segv;
	const volatile char *p = map->addr;
	long page = sysconf(_SC_PAGESIZE);
	volatile uint64_t i = 0;
	int err = 0;
	int sig;

	sigaction(SIGBUS, &action, &old_bus);
	sigaction(SIGSEGV, &action, &old_segv);
	sig = sigsetjmp(touch_failed, 1);
	if (!sig) {
		for (; i < map->length; i += page)
			(void)p[i];
	} else {
		err = error_set(-EFAULT,
				"%s: a read at offset 0x%" PRIx64 " of the mapping raised %s",
				map->file, (uint64_t)i,
				sig == SIGBUS ? "SIGBUS" : "SIGSEGV");
	}
	sigaction(SIGBUS, &old_bus, NULL);
	sigaction(SIGSEGV, &old_segv, NULL);
	return err;
}

void selfmap_close(struct selfmap *map)
{
	if (map->addr)
		selfmap_unmap(map);
	free(map->file);
	memset(map, 0, sizeof(*map));
}

bool selfmap_address(const struct selfmap *map, const char *arg, uint64_t *addr)
{
	uint64_t offset = 0;
	size_t len;

	if (!map->addr)
		return false;
	len = strlen(map->file);
	if (strncmp(arg, map->file, len))
		return false;
	if (arg[len] && (arg[len] != '+' || parse_hex(arg + len + 1, &offset)))
		return false;
	if (offset > UINT64_MAX - (uintptr_t)map->addr)
		return false;
	*addr = (uintptr_t)map->addr + offset;
	return true;
}
