// SPDX-License-Identifier: GPL-2.0
/*
 * Runs an instruction from memory that is mapped without PROT_EXEC. A processor
 * with NX must refuse; a 32-bit x86 kernel with PAE from Linux 6.1 to 7.3 lets it
 * (x86-pae-nx.txt).
 *
 *	gcc -m32 -o x86-pae-nx x86-pae-nx.c && ./x86-pae-nx; grep -o -m1 -w nx /proc/cpuinfo
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

static void refused(int signal)
{
	static const char text[] = "refused, as it has to be\n";

	(void)signal;
	_exit(write(1, text, sizeof(text) - 1) < 0);
}

int main(void)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*function)(void);

	if (page == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	page[0] = 0xc3;		/* ret */
	memcpy(&function, &page, sizeof(function));
	signal(SIGSEGV, refused);
	function();
	puts("ran from memory without PROT_EXEC");
	return 1;
}
