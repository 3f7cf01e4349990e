/* SPDX-License-Identifier: GPL-2.0 */
/* Readers of the kernel's texts, for tests that give them such texts. */
#ifndef PTWALK_TESTS_READERS_H
#define PTWALK_TESTS_READERS_H

#include <stdint.h>
#include <stdio.h>
#include "sums/shown.h"

/* What was read, as one number, to which these add. */
extern uint64_t reader_digest;

void reader_add(const void *bytes, size_t size);
void reader_number(uint64_t number);
void reader_text(const char *text);
void reader_add_smaps(const struct smaps *smaps);
void reader_add_numa(const struct numa_maps *numa);

/*
 * Each adds what it has read, uses it as the command does, and returns 0 or a negative
 * errno.
 */
int reader_maps(FILE *stream);
int reader_smaps(FILE *stream);
int reader_numa_maps(FILE *stream);
int reader_status(FILE *stream);
int reader_statm(FILE *stream);
int reader_stat(FILE *stream);
int reader_iomem(FILE *stream);
int reader_kernel_tables(FILE *stream);
int reader_memtypes(FILE *stream);
int reader_vmallocinfo(FILE *stream);
int reader_ptdump(FILE *stream);
int reader_uring(FILE *stream);
int reader_second_stage(FILE *stream);
int reader_directmap(FILE *stream);
int reader_zones(FILE *stream);
int reader_pci_bars(FILE *stream);
int reader_dma_dump(FILE *stream);
int reader_mount(FILE *stream);
int reader_tmpfs(FILE *stream);
int reader_kernel_recording(FILE *stream);

#endif /* PTWALK_TESTS_READERS_H */
