// SPDX-License-Identifier: GPL-2.0
#include "lockdown.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include "proc.h"
#include "ptw.h"

#define HOOK	"bpf_lsm_locked_down"
#define ENOTSUPP	524	/* no trampoline can be made: arch_prepare_bpf_trampoline() */

/**
 * struct facts - what is looked up in the kernel's description of its types
 * @reason: Name of an enumerator.
 * @value: Its value, -1 if there is none.
 * @hook: Type of the function that the LSM's hook is, 0 likewise.
 */
struct facts {
	const char *reason;
	int value;
	u32 hook;
};

/* How many bytes follow a type (Documentation/bpf/btf.rst). */
static size_t trailing(const struct btf_type *type)
{
	const size_t nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17:	/* BTF_KIND_DECL_TAG */
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return nr * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return nr * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return nr * sizeof(struct btf_var_secinfo);
	case 19:	/* BTF_KIND_ENUM64 */
		return nr * 3 * sizeof(u32);
	default:
		return 0;
	}
}

static void look_up(struct facts *facts, const struct btf_header *header)
{
	const char *at = (const char *)header + header->hdr_len + header->type_off;
	const char *end = at + header->type_len;
	const char *names = (const char *)header + header->hdr_len + header->str_off;
	const struct btf_type *type;

	for (u32 id = 1; at + sizeof(*type) <= end; id++, at += sizeof(*type) + trailing(type)) {
		const struct btf_enum *e;

		type = (const struct btf_type *)at;
		e = (const struct btf_enum *)(type + 1);
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(names + type->name_off, HOOK))
			facts->hook = id;
		if (BTF_INFO_KIND(type->info) != BTF_KIND_ENUM)
			continue;
		for (u32 i = 0; i < BTF_INFO_VLEN(type->info); i++)
			if (!strcmp(names + e[i].name_off, facts->reason))
				facts->value = e[i].val;
	}
}

/* Reads all of the kernel's types. */
static bool read_types(struct facts *facts)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t length = 0, n;
	char *text;

	if (fd < 0 || fstat(fd, &st))
		return false;
	text = malloc(st.st_size);
	do {
		n = text ? read(fd, text + length, st.st_size - length) : -1;
		length += n;
	} while (n > 0);
	close(fd);
	if (text && n == 0 && length == st.st_size && *(const __u16 *)text == BTF_MAGIC)
		look_up(facts, (const void *)text);
	free(text);
	return facts->hook && facts->value >= 0;
}

/* Whether the kernel asks programs at all: its command line may leave that LSM out. */
static bool lsm_is_active(void)
{
	char text[512];

	if (proc_read("/sys/kernel/security/lsm", text, sizeof(text)) &&
	    (mount("none", "/sys/kernel/security", "securityfs", 0, NULL) ||
	     proc_read("/sys/kernel/security/lsm", text, sizeof(text))))
		return false;
	return strstr(text, "bpf");
}

static int bpf(int command, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

int locked_down(const char *reason)
{
	struct facts facts = { .reason = reason, .value = -1 };
	union bpf_attr attr = {};
	struct bpf_insn program[] = {
		/* r1 = first argument; r0 = r1 == reason ? -EPERM : 0 */
		{ .code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = 1, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP32 | BPF_JNE | BPF_K, .dst_reg = 1, .off = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = -EPERM },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd, link;

	if (!lsm_is_active() || !read_types(&facts))
		return -EOPNOTSUPP;
	program[2].imm = facts.value;
	attr.prog_type = BPF_PROG_TYPE_LSM;
	attr.expected_attach_type = BPF_LSM_MAC;
	attr.attach_btf_id = facts.hook;
	attr.insns = (uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uintptr_t)"GPL";
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		return fd;
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = fd;
	link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	close(fd);
	return link == -ENOTSUPP ? -EOPNOTSUPP : link;
}
