// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of selftests/hunt, and the words in which a program says what is wrong.
 * Whatever the hunt finds is printed as a program of its own: the functions below
 * that it calls, as they stand here, and a main() (hunt_print.c). So nothing here
 * may need anything else of ours. All addresses, lengths and offsets are in bytes.
 * What can fail returns a negative errno.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/userfaultfd.h>

#include "hunt_calls.h"
__asm__(".pushsection .rodata\n"
	".globl hunt_calls_text\n"
	"hunt_calls_text: .incbin \"" __FILE__ "\"\n"
	".byte 0\n"
	".popsection\n");

#ifndef HUNT_CALLS
typedef unsigned long word;
#endif

/* Files in memory: of small pages, of huge ones, of hugetlb. */
int file[3];

/* Sizes of a page, and of a huge one. */
word page_size, huge_size;

/* The last userfaultfd; how far scan_protect() came; what fetch() read. */
int uffd = -1;
word scan_end, fetched;

sigjmp_buf after_signal;

/* A protection key that forbids the processor to write, or 0. */
int key;

/* The child of split_process() waits here. */
int gate[2];

void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			errno = EIO;
		close(fd);
	}
}

void on_signal(int number)
{
	siglongjmp(after_signal, number);
}

/* What each program begins with. */
void prepare(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };
	char line[128];
	FILE *info = fopen("/proc/meminfo", "re");

	page_size = sysconf(_SC_PAGESIZE);
	huge_size = 2UL << 20;
	while (info && fgets(line, sizeof(line), info))
		if (sscanf(line, "Hugepagesize: %lu", &huge_size) == 1)
			huge_size <<= 10;
	if (info)
		fclose(info);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

void make_files(word small, word thp, word hugetlb)
{
	file[0] = memfd_create("small", MFD_CLOEXEC);
	file[1] = memfd_create("thp", MFD_CLOEXEC);
	file[2] = memfd_create("hugetlb", MFD_CLOEXEC | MFD_HUGETLB);
	if (ftruncate(file[0], small) || ftruncate(file[1], thp) ||
	    (file[2] >= 0 && ftruncate(file[2], hugetlb)))
		perror("ftruncate");
}

/* File -1 is anonymous memory. */
int map(word start, word length, word prot, word flags, word number, word offset)
{
	int fd = number > 2 ? -1 : file[number];

	return mmap((void *)start, length, prot, flags, fd, offset) == MAP_FAILED ? -errno : 0;
}

int unmap(word start, word length)
{
	return munmap((void *)start, length) ? -errno : 0;
}

int protect(word start, word length, word prot)
{
	return mprotect((void *)start, length, prot) ? -errno : 0;
}

void take_key(void)
{
	key = pkey_alloc(0, PKEY_DISABLE_WRITE);
	if (key < 0)
		key = 0;
}

int protect_by_key(word start, word length, word prot, word number)
{
	return pkey_mprotect((void *)start, length, prot, number) ? -errno : 0;
}

int move(word start, word length, word new_length, word flags, word to)
{
	return mremap((void *)start, length, new_length, flags, (void *)to) == MAP_FAILED ?
		-errno : 0;
}

int advise(word start, word length, word behaviour)
{
	return madvise((void *)start, length, behaviour) ? -errno : 0;
}

/* The same as if from another process. */
int advise_process(word start, word length, word behaviour)
{
	struct iovec pages = { (void *)start, length };
	int fd = syscall(SYS_pidfd_open, getpid(), 0), err;

	err = syscall(SYS_process_madvise, fd, &pages, 1, behaviour, 0) < 0 ? -errno : 0;
	close(fd);
	return err;
}

int lock(word start, word length, word on_fault)
{
	return mlock2((void *)start, length, on_fault) ? -errno : 0;
}

int unlock(word start, word length)
{
	return munlock((void *)start, length) ? -errno : 0;
}

/* And unlock it again. */
int lock_everything(void)
{
	int err = mlockall(MCL_CURRENT) ? -errno : 0;

	munlockall();
	return err;
}

/* Hides from the compiler what an address is of. */
word *at(word address)
{
	word *p = (word *)address;

	__asm__ volatile("" : "+r"(p));
	return p;
}

/* An access by the processor: the number of the signal that it gets, negative. */
int access_word(word address, word *value, int writes)
{
	int number = sigsetjmp(after_signal, 0);

	if (number) {
		/* A handler begins with rights of its own, and never returned. */
		if (key)
			pkey_set(key, PKEY_DISABLE_WRITE);
		return -number;
	}
	if (writes)
		*(volatile word *)at(address) = *value;
	else
		*value = *(volatile word *)at(address);
	return 0;
}

/* Of the process that asks. */
int memory_of_self(void)
{
	static int fd = -1, of;

	if (of != getpid()) {
		if (fd >= 0)
			close(fd);
		fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		of = getpid();
	}
	return fd;
}

/* An access of ours through /proc/self/mem, process_vm_writev(), a pipe, or pages in one. */
int access_by(word address, word *value, int writes, word way)
{
	struct iovec here = { value, sizeof(word) }, there = { (void *)address, sizeof(word) };
	int fd[2] = { -1, -1 };
	ssize_t done = -1;

	if (way == 0)
		return access_word(address, value, writes);
	errno = 0;
	if (way == 1) {
		done = writes ? pwrite(memory_of_self(), value, sizeof(word), (off_t)address) :
			pread(memory_of_self(), value, sizeof(word), (off_t)address);
		return done == (ssize_t)sizeof(word) ? 0 : errno ? -errno : -EIO;
	} else if (way == 2) {
		done = writes ? process_vm_writev(getpid(), &here, 1, &there, 1, 0) :
			process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	} else if (!pipe2(fd, O_CLOEXEC) && way == 4) {
		if (writes && write(fd[1], value, sizeof(word)) == (ssize_t)sizeof(word))
			done = vmsplice(fd[0], &there, 1, 0);
		if (!writes && vmsplice(fd[1], &there, 1, 0) == (ssize_t)sizeof(word))
			done = read(fd[0], value, sizeof(word));
	} else if (fd[0] >= 0) {
		if (writes && write(fd[1], value, sizeof(word)) == (ssize_t)sizeof(word))
			done = read(fd[0], (void *)address, sizeof(word));
		if (!writes && write(fd[1], (void *)address, sizeof(word)) == (ssize_t)sizeof(word))
			done = read(fd[0], value, sizeof(word));
	}
	done = done == (ssize_t)sizeof(word) ? 0 : errno ? -errno : -EIO;
	close(fd[0]);
	close(fd[1]);
	return done;
}

/* Writes the first and the last word of a page. */
int store(word start, word size, word value, word way)
{
	int err = access_by(start, &value, 1, way);

	return err ? err : access_by(start + size - sizeof(word), &value, 1, way);
}

/* Reads one, to where fetched is. */
int fetch(word start, word way)
{
	return access_by(start, &fetched, 0, way);
}

void clear_refs(void)
{
	put("/proc/self/clear_refs", "4");
}

void compact(void)
{
	put("/proc/sys/vm/compact_memory", "1");
}

int split_huge(word start, word length)
{
	char text[80];

	snprintf(text, sizeof(text), "%d,%#lx,%#lx", getpid(), start, start + length);
	put("/sys/kernel/debug/split_huge_pages", text);
	return 0;
}

/* Of the first swap area. */
int swap_off_and_on(void)
{
	char line[256], path[256] = "";
	FILE *swaps = fopen("/proc/swaps", "re");

	while (swaps && fgets(line, sizeof(line), swaps))
		if (line[0] == '/')
			sscanf(line, "%255s", path);
	if (swaps)
		fclose(swaps);
	if (!path[0])
		return -ENODEV;
	if (swapoff(path))
		return -errno;
	return swapon(path, 0) ? -errno : 0;
}

long number_in(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return atol(text);
}

/* Has KSM look at everything three times, and at most for a fifth of a second. */
int merge_pages(void)
{
	long scans = number_in("/sys/kernel/mm/ksm/full_scans");

	if (scans < 0)
		return -ENOENT;
	put("/sys/kernel/mm/ksm/sleep_millisecs", "1");
	put("/sys/kernel/mm/ksm/pages_to_scan", "10000");
	put("/sys/kernel/mm/ksm/run", "1");
	for (int tries = 0; tries < 40; tries++) {
		if (number_in("/sys/kernel/mm/ksm/full_scans") >= scans + 3)
			break;
		usleep(5000);
	}
	put("/sys/kernel/mm/ksm/run", "0");
	return 0;
}

int punch(word number, word offset, word length)
{
	return fallocate(file[number], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
			 length) ? -errno : 0;
}

/* Cuts the file, and makes it as long as before. */
int cut_file(word number, word offset)
{
	off_t length = lseek(file[number], 0, SEEK_END);

	if (ftruncate(file[number], offset))
		return -errno;
	return ftruncate(file[number], length) ? -errno : 0;
}

/* Moves NR pages, of this size each, whoever else maps them (MPOL_MF_MOVE_ALL). */
int move_to_node(word start, word size, word nr, word node)
{
	void *pages[64];
	int nodes[64], status[64];

	if (nr > 64)
		nr = 64;
	for (word i = 0; i < nr; i++) {
		pages[i] = (void *)(start + i * size);
		nodes[i] = node;
	}
	return syscall(SYS_move_pages, 0, nr, pages, nodes, status, 4) < 0 ? -errno : 0;
}

/* And with a policy (MPOL_BIND, MPOL_MF_MOVE), which is ended again. */
int bind_to_node(word start, word length, word node)
{
	word mask = 1UL << node;
	int err = syscall(SYS_mbind, start, length, 2, &mask, 64, 2) ? -errno : 0;

	syscall(SYS_mbind, start, length, 0, NULL, 0, 0);
	return err;
}

/* All that the process has there (migrate_pages(2)). */
int move_from_node(word from, word to)
{
	word old = 1UL << from, new = 1UL << to;

	return syscall(SYS_migrate_pages, 0, 64, &old, &new) < 0 ? -errno : 0;
}

/* PR_SET_MEMORY_MERGE */
int merge_all_memory(word on)
{
	return prctl(67, on, 0, 0, 0) ? -errno : 0;
}

int userfault_open(word features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };

	uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (uffd >= 0 && !ioctl(uffd, UFFDIO_API, &api))
		return 0;
	if (uffd >= 0)
		close(uffd);
	uffd = -1;
	return -EINVAL;
}

void userfault_close(void)
{
	close(uffd);
	uffd = -1;
}

int userfault_register(word start, word length, word mode)
{
	struct uffdio_register range = { .range = { start, length }, .mode = mode };

	return ioctl(uffd, UFFDIO_REGISTER, &range) ? -errno : 0;
}

int userfault_unregister(word start, word length)
{
	struct uffdio_range range = { start, length };

	return ioctl(uffd, UFFDIO_UNREGISTER, &range) ? -errno : 0;
}

int userfault_protect(word start, word length, word on)
{
	struct uffdio_writeprotect range = { .range = { start, length }, .mode = on };

	return ioctl(uffd, UFFDIO_WRITEPROTECT, &range) ? -errno : 0;
}

/* Pages that have this value in their first and their last word. */
int userfault_copy(word start, word size, word value, word protected)
{
	word *from = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_copy copy = { .dst = start, .src = (uintptr_t)from, .len = size,
				    .mode = protected ? UFFDIO_COPY_MODE_WP : 0 };
	int err;

	if (from == MAP_FAILED)
		return -errno;
	from[0] = value;
	from[size / sizeof(word) - 1] = value;
	err = ioctl(uffd, UFFDIO_COPY, &copy) ? -errno : 0;
	munmap(from, size);
	return err;
}

int userfault_continue(word start, word length, word protected)
{
	struct { uint64_t start, len, mode; int64_t mapped; } m = {
		start, length, protected ? 2 : 0, 0 };

	return ioctl(uffd, _IOWR(0xaa, 0x07, m), &m) ? -errno : 0;
}

int userfault_zeropage(word start, word length)
{
	struct uffdio_zeropage range = { .range = { start, length } };

	return ioctl(uffd, UFFDIO_ZEROPAGE, &range) ? -errno : 0;
}

/* How many bytes were moved, or a negative errno if none. */
long userfault_move(word to, word from, word length, word mode)
{
	struct { uint64_t dst, src, len, mode; int64_t moved; } m = { to, from, length, mode, 0 };

	if (ioctl(uffd, _IOWR(0xaa, 0x05, m), &m) && m.moved <= 0)
		return -errno;
	return m.moved;
}

long userfault_poison(word start, word length)
{
	struct { uint64_t start, len, mode; int64_t done; } m = { start, length, 0, 0 };

	if (ioctl(uffd, _IOWR(0xaa, 0x08, m), &m) && m.done <= 0)
		return -errno;
	return m.done;
}

/*
 * Write-protects what has these categories (PM_SCAN_WP_MATCHING), and says in scan_end
 * how far it came; LISTED: what it protects is told, too.
 */
int scan_protect(word start, word length, word categories, word max_pages, word listed)
{
	static struct { uint64_t start, end, categories; } region[2048];
	struct { uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, inverted,
		 mask, any_of, wanted; } scan = { sizeof(scan), 3, start, start + length,
		 .vec = listed ? (uintptr_t)region : 0, .vec_len = listed ? 2048 : 0,
		 .max_pages = max_pages, .mask = categories, .wanted = listed ? categories : 0 };
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), err;

	err = ioctl(fd, _IOWR('f', 16, scan), &scan) < 0 ? -errno : 0;
	scan_end = scan.walk_end;
	close(fd);
	return err;
}

/* A child, which waits until it is released. */
int split_process(void)
{
	int pid;

	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		char c;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(gate[1]);
		if (read(gate[0], &c, 1) < 0)
			_exit(9);
	}
	close(gate[0]);
	return pid;
}

/* Lets the child go on, and waits for its end; if it has found something, so has this. */
int join(int pid)
{
	int status = 0;

	close(gate[1]);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

uint64_t entry_of(word address)
{
	uint64_t value = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (pread(fd, &value, sizeof(value), address / page_size * sizeof(value)) < 0)
		value = 0;
	close(fd);
	return value;
}

/* Each of these says whether what must be is not. */
int bit_is_wrong(word address, int bit, int must)
{
	uint64_t value = entry_of(address);
	int is = value >> bit & 1;

	printf("%#lx: pagemap %016llx: bit %d is %d, must be %d\n", address,
	       (unsigned long long)value, bit, is, must);
	return is != must;
}

int is_mapped_wrongly(word address)
{
	uint64_t value = entry_of(address);

	printf("%#lx: pagemap %016llx, must be 0: nothing is mapped there\n", address,
	       (unsigned long long)value);
	return !!value;
}

int contents_are_wrong(word address, word one, word other, word way)
{
	int err = fetch(address, way);

	printf("%#lx: contents %#lx (%d), must be %#lx or %#lx\n", address, fetched, err, one,
	       other);
	return err || (fetched != one && fetched != other);
}

/* WRITES or not, an access must be REFUSED or not. */
int access_is_wrong(word address, word value, int writes, word way, int refused)
{
	int err = access_by(address, &value, writes, way);

	printf("%#lx: access by way %lu %s (%d), must %sbe refused\n", address, way,
	       err ? "refused" : "allowed", err, refused ? "" : "not ");
	return !!err != refused;
}

int residence_is_wrong(word address, int must)
{
	unsigned char is = 0;

	if (mincore((void *)address, page_size, &is))
		perror("mincore");
	printf("%#lx: mincore() says %d, must be %d: pagemap %016llx\n", address, is & 1, must,
	       (unsigned long long)entry_of(address));
	return (is & 1) != must;
}

int flag_is_wrong(word address, const char *flag, int must)
{
	char line[512];
	FILE *smaps = fopen("/proc/self/smaps", "re");
	word start = 0, end = 0;
	int is = 0;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		word a, b;

		if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
			start = a;
			end = b;
		}
		if (address >= start && address < end && !strncmp(line, "VmFlags:", 8))
			is = !!strstr(line, flag);
	}
	if (smaps)
		fclose(smaps);
	printf("%#lx: VmFlags has%s%s, must%s\n", address, is ? "" : " not", flag,
	       must ? "" : " not");
	return is != must;
}

/* Of the VMA at that address MUST kB at least are dirty, in smaps. */
int dirty_is_less(word address, long must)
{
	char line[512];
	FILE *smaps = fopen("/proc/self/smaps", "re");
	word start = 0, end = 0;
	long is = 0, kb;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		word a, b;

		if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
			start = a;
			end = b;
		}
		if (address >= start && address < end &&
		    (sscanf(line, "Private_Dirty: %ld", &kb) == 1 ||
		     sscanf(line, "Shared_Dirty: %ld", &kb) == 1))
			is += kb;
	}
	if (smaps)
		fclose(smaps);
	printf("%#lx: %ld kB are dirty, must be %ld or more\n", address, is, must);
	return is < must;
}

/* Without the process of the program at its end. */
int command_finds(const char *command)
{
	char text[300];

	snprintf(text, sizeof(text), "%s %d", command, getpid());
	puts(text);
	fflush(stdout);
	return !!system(text);
}

/* No file of /proc shows the entry at this address: it waits for who can look at it. */
int entry_is_wrong(word address)
{
	printf("the entry of process %d at %#lx is wrong\n", getpid(), address);
	fflush(stdout);
	pause();
	return 1;
}

/* Of /proc/self/status, in kB; the program itself has LESS of it. */
long status_field(const char *name)
{
	static char text[8192];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	char *p;

	close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strstr(text, name);
	return p ? atol(p + strlen(name)) : -1;
}

int field_is_wrong(const char *name, long before, long must)
{
	long is = status_field(name) - before;

	printf("%s %ld kB more than at first, must be %ld kB\n", name, is, must);
	return is != must;
}
