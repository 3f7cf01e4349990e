// SPDX-License-Identifier: GPL-2.0
// The library's header in C++: all that is inline in it, and a function.
#include <ptwalk.h>
#include <ptwalk.h>

uint64_t sum(struct ptwalk *p, const struct ptwalk_runs &runs,
	     const struct ptwalk_entry &entry)
{
	const struct ptwalk_run *run;
	uint64_t pages = 0;

	ptwalk_for_each_run(run, &runs)
		pages += ptwalk_kind_ascends(ptwalk_bits_kind(run->bits)) ?
			 run->pages : 0;
	return ptwalk_present(&entry) ? ptwalk_paddr(p, &entry) : pages;
}

int main()
{
	struct ptwalk *p = ptwalk_open();
	struct ptwalk_device device = {};

	if (p)
		ptwalk_device(p, "pci/0000:00:00.0", nullptr, 0, &device);
	ptwalk_close(p);
	return 0;
}
