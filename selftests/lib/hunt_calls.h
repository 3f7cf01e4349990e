/* SPDX-License-Identifier: GPL-2.0 */
/* What each of them does stands in hunt_calls.c. */
#ifndef PTWALK_TEST_HUNT_CALLS_H
#define PTWALK_TEST_HUNT_CALLS_H

#include <setjmp.h>
#include <stdint.h>

#define HUNT_CALLS

typedef unsigned long word;

extern int file[3], uffd, gate[2], key;
extern word page_size, huge_size, scan_end, fetched;
extern sigjmp_buf after_signal;

void put(const char *path, const char *text);
void on_signal(int number);
void prepare(void);
void make_files(word small, word thp, word hugetlb);
int map(word start, word length, word prot, word flags, word number, word offset);
int unmap(word start, word length);
int protect(word start, word length, word prot);
void take_key(void);
int protect_by_key(word start, word length, word prot, word number);
int move(word start, word length, word new_length, word flags, word to);
int advise(word start, word length, word behaviour);
int advise_process(word start, word length, word behaviour);
int lock(word start, word length, word on_fault);
int unlock(word start, word length);
int lock_everything(void);
word *at(word address);
int access_word(word address, word *value, int writes);
int memory_of_self(void);
int access_by(word address, word *value, int writes, word way);
int store(word start, word size, word value, word way);
int fetch(word start, word way);
void clear_refs(void);
void compact(void);
int split_huge(word start, word length);
int swap_off_and_on(void);
long number_in(const char *path);
int merge_pages(void);
int punch(word number, word offset, word length);
int cut_file(word number, word offset);
int move_to_node(word start, word size, word nr, word node);
int bind_to_node(word start, word length, word node);
int move_from_node(word from, word to);
int merge_all_memory(word on);
int userfault_open(word features);
void userfault_close(void);
int userfault_register(word start, word length, word mode);
int userfault_unregister(word start, word length);
int userfault_protect(word start, word length, word on);
int userfault_copy(word start, word size, word value, word protected);
int userfault_zeropage(word start, word length);
int userfault_continue(word start, word length, word protected);
long userfault_move(word to, word from, word length, word mode);
long userfault_poison(word start, word length);
int scan_protect(word start, word length, word categories, word max_pages,
		 word listed);
int split_process(void);
int join(int pid);
uint64_t entry_of(word address);
int bit_is_wrong(word address, int bit, int must);
int is_mapped_wrongly(word address);
int contents_are_wrong(word address, word one, word other, word way);
int access_is_wrong(word address, word value, int writes, word way, int refused);
int residence_is_wrong(word address, int must);
int flag_is_wrong(word address, const char *flag, int must);
int dirty_is_less(word address, long must);
int command_finds(const char *command);
int entry_is_wrong(word address);
long status_field(const char *name);
int field_is_wrong(const char *name, long before, long must);

#endif /* PTWALK_TEST_HUNT_CALLS_H */
