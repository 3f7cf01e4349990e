/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader of the ptwalk family that shares no code with any other, so that a
 * mistake in one of them shows in the other.
 *
 * Functions that return int return 0 or a negative errno. What the kernel said
 * about a refusal is then in @error of struct ptw.
 */
#ifndef PTWALK_TEST_PTW_H
#define PTWALK_TEST_PTW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#if defined(__has_include)
#if !__has_include(<linux/ptwalk_record.h>)
#error "no linux/ptwalk_record.h: run make headers in the tree, or name its folder (UAPI_DIR=)"
#endif
#endif
#include <linux/ptwalk_device.h>
#include <linux/ptwalk_record.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

typedef unsigned long long u64;
typedef unsigned int u32;

#define PTW_LAST	(~0ULL)
#define PTW_BUFFER	(64 * 1024)

/* The smallest buffer that no message of a dump is cut to. */
#define PTW_SMALL_BUFFER	8192

/**
 * struct ptw_error - a refusal, as the kernel tells it
 * @err: errno, or 0.
 * @message: The message of the extended ack, or "".
 * @offset: Offset of the attribute at fault in the request, or -1.
 * @attribute: Type of the attribute at @offset.
 * @missing: Type of the attribute that is missing, or 0.
 */
struct ptw_error {
	int err;
	char message[192];
	int offset;
	int attribute;
	int missing;
};

/**
 * struct ptw - a socket of the family
 * @sock: The socket.
 * @family: Number of the family.
 * @devices: Number of the family of devices; negative: there is none.
 * @buffer: What was received last.
 * @size: Size of the pieces in which to receive.
 * @sequence: Number of the last request.
 * @error: See above.
 * @unnamed: Send without the address of the kernel, as write() does.
 * @want_pages: Have ptw_translate() and dumps ask for the pages behind the
 *	entries, too.
 * @want_mixed: Have dumps ask for mixed lists, which are taken apart.
 * @entries_only: Have dumps ask for no facts of pages.
 * @outside: Have dumps ask for the entries outside of all VMAs.
 */
struct ptw {
	struct nl_sock *sock;
	int family;
	int devices;
	char *buffer;
	size_t size;
	u32 sequence;
	struct ptw_error error;
	bool unnamed;
	bool want_pages;
	bool want_mixed;
	bool entries_only;
	bool outside;
	bool search;
	u64 first_frame, last_frame;
};

/**
 * struct ptw_info - what the kernel is
 * @page_shift: log2 of the page size.
 * @shift: log2 of what an entry covers, by level; 0 for levels there aren't.
 * @entries: Entries of a table, by level.
 * @flags: Flags that can be set.
 * @kinds: Kinds that can occur, as 1 << enum ptwalk_kind.
 * @vma_flags: VMA flags that can be set.
 * @features: enum ptwalk_feature.
 * @swap_type_bits: Width of a swap type in pagemap.
 * @zero_pfn: PFN of the zero page.
 * @memtypes: enum ptwalk_memory_type by index.
 * @nr_memtypes: How many there are.
 */
struct ptw_info {
	u32 page_shift;
	u32 shift[PTWALK_LEVELS];
	u32 entries[PTWALK_LEVELS];
	u32 flags;
	u32 kinds;
	u64 vma_flags;
	u32 features;
	u32 swap_type_bits;
	u64 zero_pfn;
	unsigned char memtypes[16];
	u32 nr_memtypes;
};

struct ptw_vma {
	u64 start, last;
	u64 flags, raw_flags, page_prot, pgoff, inode;
	u32 page_shift, dev_major, dev_minor;
	bool has_file;
};

/**
 * struct ptw_page - one translated address
 * @t: As the module tells it.
 * @vma: The VMA that it lies in; @vma.last is 0 without one.
 * @page: The page behind the entry, of a socket that wants pages.
 */
struct ptw_page {
	struct ptwalk_translation t;
	struct ptw_vma vma;
	struct ptwalk_page page;
	u64 cgroup;
};

/**
 * struct ptw_extent - pages in a row, of a run or of a piece of one
 * @addr: Address of the first page.
 * @value: Value of the first page; ascends if ptwalk_kind_ascends().
 * @pages: How many.
 * @bits: As in struct ptwalk_run, without the list bit.
 * @page: The page behind the first entry, of a socket that wants pages.
 */
struct ptw_extent {
	u64 addr, value, pages, bits;
	struct ptwalk_page page;
};

/**
 * struct ptw_record - an extent of a dump
 * @extent: The extent.
 * @vma: The VMA of its message.
 * @message: Number of its message, from 0 on.
 */
struct ptw_record {
	struct ptw_extent extent;
	struct ptw_vma vma;
	u32 message;
};

/**
 * struct ptw_dump - a dump, or what is read of it
 * @record: The extents.
 * @nr: How many.
 * @room: How many there is room for.
 * @headed: The first message, which has no extents, was read.
 * @messages: How many messages with extents were read.
 * @interrupted: How many messages had NLM_F_DUMP_INTR.
 * @pid: The process.
 * @levels: Levels of its tables.
 * @with_pages: Its runs carry pages.
 */
struct ptw_dump {
	struct ptw_record *record;
	size_t nr, room;
	bool headed;
	u32 messages;
	u32 interrupted;
	u32 pid;
	u32 levels;
	bool with_pages;
};

int ptw_open(struct ptw *ptw);
int ptw_open_sized(struct ptw *ptw, size_t size);
void ptw_close(struct ptw *ptw);

/* A number, which has 4 or 8 bytes, as it needs; 0 if there is none. */
u64 ptw_uint(struct nlattr *attr);

/* The number of the family that has a command. */
int ptw_family(const struct ptw *ptw, int command);

struct nl_msg *ptw_request(struct ptw *ptw, int command, int flags);
int ptw_send(struct ptw *ptw, struct nl_msg *msg);
int ptw_ask(struct ptw *ptw, struct nl_msg *msg);
int ptw_ask_at_once(struct ptw *ptw, struct nl_msg *msg, size_t nr);
/* With each message of the answer; those of a dump, too. */
int ptw_ask_each(struct ptw *ptw, struct nl_msg *msg,
		 int (*reply)(struct nlmsghdr *header, void *arg), void *arg);
/* The same of what ptw_send() has asked. */
int ptw_take_rest(struct ptw *ptw,
		  int (*reply)(struct nlmsghdr *header, void *arg), void *arg);

int ptw_info(struct ptw *ptw, struct ptw_info *info);
int ptw_translate(struct ptw *ptw, pid_t pid, const u64 *addrs, size_t nr,
		  struct ptw_page *pages);
int ptw_translate_one(struct ptw *ptw, pid_t pid, u64 addr,
		      struct ptw_page *page);

/* What the kernel counts of a frame, whoever maps it. */
int ptw_frame(struct ptw *ptw, u64 pfn, struct ptwalk_page *page);

int ptw_dump_start(struct ptw *ptw, pid_t pid, u64 start, u64 last);
int ptw_dump_read(struct ptw *ptw, struct ptw_dump *dump);
int ptw_dump(struct ptw *ptw, pid_t pid, u64 start, u64 last,
	     struct ptw_dump *dump);
void ptw_dump_free(struct ptw_dump *dump);
bool ptw_dump_find(const struct ptw_dump *dump, u32 page_shift, u64 addr,
		   struct ptw_extent *page, struct ptw_vma *vma);
const char *ptw_dump_flaw(const struct ptw_dump *dump,
			  const struct ptw_info *info, u64 start, u64 last);

#endif /* PTWALK_TEST_PTW_H */
