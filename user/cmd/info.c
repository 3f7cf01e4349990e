// SPDX-License-Identifier: GPL-2.0
/* ptwalk info: the module, the kernel, and what can be asked of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "module/client.h"
#include "module/names.h"
#include "proc/interfaces.h"
#include "proc/lockdown.h"

/**
 * struct info - what was found
 * @uts: As uname() tells.
 * @present: The module's family is there; @refused: it isn't for us.
 * @lockdown: Mode of the kernel's, or "".
 * @kernel: What the module says, or NULL if it said nothing.
 * @no_devices: Why it can't be asked about devices, or NULL.
 * @iommu_walk: What it may look up then, as read_iommu_walk() has it.
 * @interfaces: What each try found.
 * @privileges: What the caller may do.
 */
struct info {
	struct utsname uts;
	bool present, refused;
	char lockdown[LOCKDOWN_MODE];
	const struct ptwalk_kernel *kernel;
	const char *no_devices;
	char iommu_walk;
	struct interface interfaces[NR_INTERFACES];
	struct privileges privileges;
};

static unsigned int nr_levels(const struct ptwalk_kernel *k)
{
	return __builtin_popcount(k->levels);
}

static void print_mask_lines(const char *title, const struct names *names,
			     uint64_t mask)
{
	char name[NAME_SIZE];
	int column = 80;

	for (; mask; mask &= mask - 1) {
		const char *s = name_bit(names, __builtin_ctzll(mask), name);

		if (column + strlen(s) + 1 >= 79) {
			column = printf("%s%-13s", column < 80 ? "\n" : "",
					title);
			title = "";
		}
		column += printf(" %s", s);
	}
	if (column == 80)
		printf("%-13s -", title);
	putchar('\n');
}

static void print_kernel_levels(const struct ptwalk_kernel *k)
{
	char name[NAME_SIZE], size[FORMAT_SIZE];

	printf("%-13s %u:", "levels", nr_levels(k));
	for (int level = PTWALK_LEVELS - 1; level >= 0; level--)
		if (k->levels & 1U << level)
			printf(" %s (shift %u, %u entries of %s)",
			       name_of(&names_level, level, name),
			       k->level_shift[level], k->level_entries[level],
			       format_size(1ULL << k->level_shift[level],
					   size));
	putchar('\n');
}

static void print_kernel(const struct ptwalk_kernel *k)
{
	char name[NAME_SIZE];

	print_kernel_levels(k);
	printf("%-13s %u bits\n", "physical", k->phys_bits);
	printf("%-13s 0x%" PRIx64 "\n", "zero page", k->zero_pfn);
	print_mask_lines("features", &names_feature, k->features);
	print_mask_lines("kinds", &names_kind, k->kinds);
	print_mask_lines("flags", &names_flag, k->flags);
	print_mask_lines("vma flags", &names_vma_flag, k->vma_flags);

	printf("%-13s %u bits", "swap types", k->swap_type_bits);
	for (unsigned int kind = 0; kind < 32; kind++)
		for (uint32_t m = k->swap_type[kind]; m; m &= m - 1)
			printf(", %u %s", __builtin_ctz(m),
			       name_of(&names_kind, kind, name));
	putchar('\n');

	printf("%-13s", "memory types");
	for (size_t i = 0; i < k->nr_memory_types; i++)
		printf(" %zu=%s", i, name_of(&names_memory_type,
					     k->memory_types[i], name));
	puts(k->nr_memory_types ? "" : " -");
}

static void print_devices(const struct info *info)
{
	if (info->no_devices)
		printf("%-13s %s\n", "devices", info->no_devices);
	else
		printf("%-13s loaded%s\n", "devices", info->iommu_walk == 'Y' ? ", iommu_walk=1" :
		       info->iommu_walk == 'N' ? ", without iommu_walk=1" : "");
}

static void print_info_text(const struct info *info)
{
	char size[FORMAT_SIZE];

	if (info->kernel)
		printf("%-13s loaded, protocol version %u\n", "module",
		       info->kernel->version);
	else
		printf("%-13s %s\n", "module", info->refused ?
		       "loaded, but it refused to answer" : info->present ?
		       "loaded, but it gave no answer" :
		       "not loaded: `modprobe ptwalk` if it is installed, or `insmod build/local/kmod/ptwalk.ko` where `make` built it");
	if (info->kernel)
		print_devices(info);
	if (!info->present && *info->lockdown && strcmp(info->lockdown, "none"))
		printf("%-13s %s: the kernel takes only modules that are signed with a key that it knows (Documentation/install.md)\n",
		       "lockdown", info->lockdown);
	if (!info->kernel)
		printf("%-13s without it: pagemap, decode, explain, check --replay, rss --replay, map --replay, diff\n",
		       "commands");
	printf("%-13s %s %s\n", "kernel", info->uts.release, info->uts.machine);
	printf("%-13s %s\n", "page size",
	       format_size(sysconf(_SC_PAGESIZE), size));
	if (info->kernel)
		print_kernel(info->kernel);

	printf("%-13s CAP_SYS_ADMIN %s, %s user namespace%s\n", "permissions",
	       info->privileges.effective ? "effective" : "missing",
	       info->privileges.initial_userns ? "initial" : "not the initial",
	       info->privileges.effective && info->privileges.initial_userns ?
	       "" : ": the module will refuse");
	for (size_t i = 0; i < NR_INTERFACES; i++) {
		const struct interface *f = &info->interfaces[i];

		printf("%-13s %-23s %s%s%s\n", i ? "" : "interfaces", f->name,
		       f->usable ? "yes" : "no", f->detail[0] ? ", " : "",
		       f->detail);
	}
}

static void levels_json(const struct ptwalk_kernel *k)
{
	char name[NAME_SIZE];

	jsonw_array("levels");
	for (int level = PTWALK_LEVELS - 1; level >= 0; level--) {
		if (!(k->levels & 1U << level))
			continue;
		jsonw_object(NULL);
		jsonw_text("level", name_of(&names_level, level, name));
		jsonw_number("shift", k->level_shift[level]);
		jsonw_number("entries", k->level_entries[level]);
		jsonw_number("entry_size", k->entry_size[level]);
		jsonw_close();
	}
	jsonw_close();
}

static void swap_types_json(const struct ptwalk_kernel *k)
{
	char name[NAME_SIZE];

	jsonw_array("swap_types");
	for (unsigned int kind = 0; kind < 32; kind++) {
		for (uint32_t m = k->swap_type[kind]; m; m &= m - 1) {
			jsonw_object(NULL);
			jsonw_number("type", __builtin_ctz(m));
			jsonw_text("kind", name_of(&names_kind, kind, name));
			jsonw_close();
		}
	}
	jsonw_close();
}

static void kernel_json(const struct ptwalk_kernel *k)
{
	char name[NAME_SIZE];

	jsonw_number("protocol", k->version);
	levels_json(k);
	jsonw_number("physical_bits", k->phys_bits);
	jsonw_hex("zero_pfn", k->zero_pfn);
	jsonw_mask("features", &names_feature, k->features);
	jsonw_mask("kinds", &names_kind, k->kinds);
	jsonw_mask("flags", &names_flag, k->flags);
	jsonw_mask("vma_flags", &names_vma_flag, k->vma_flags);
	jsonw_number("swap_type_bits", k->swap_type_bits);
	swap_types_json(k);
	jsonw_array("memory_types");
	for (size_t i = 0; i < k->nr_memory_types; i++)
		jsonw_text(NULL, name_of(&names_memory_type, k->memory_types[i], name));
	jsonw_close();
}

static void interfaces_json(const struct info *info)
{
	jsonw_array("interfaces");
	for (size_t i = 0; i < NR_INTERFACES; i++) {
		const struct interface *f = &info->interfaces[i];

		jsonw_object(NULL);
		jsonw_text("name", f->name);
		jsonw_bool("usable", f->usable);
		if (f->detail[0])
			jsonw_text("detail", f->detail);
		jsonw_close();
	}
	jsonw_close();
}

static void print_info_json(const struct info *info)
{
	jsonw_begin("info");
	jsonw_bool("module", info->present);
	jsonw_bool("answers", info->kernel != NULL);
	jsonw_bool("devices", info->kernel && !info->no_devices);
	if (info->no_devices)
		jsonw_text("devices_why_not", info->no_devices);
	if (info->kernel && !info->no_devices && info->iommu_walk)
		jsonw_bool("iommu_walk", info->iommu_walk == 'Y');
	jsonw_text("kernel", info->uts.release);
	jsonw_text("machine", info->uts.machine);
	jsonw_number("page_size", sysconf(_SC_PAGESIZE));
	if (info->kernel)
		kernel_json(info->kernel);
	jsonw_bool("cap_sys_admin", info->privileges.effective);
	jsonw_bool("initial_user_namespace", info->privileges.initial_userns);
	if (*info->lockdown)
		jsonw_text("lockdown", info->lockdown);
	interfaces_json(info);
	jsonw_end();
}

/*
 * Whether the module may look up bus addresses in tables: 'Y', 'N', or 0: it can't. Without
 * a module for devices, that of processes is an older one, which has both.
 */
static char read_iommu_walk(void)
{
	char text[8];

	if (text_of("/sys/module/ptwalk_device/parameters/iommu_walk", text, sizeof(text)) < 0)
		text_of("/sys/module/ptwalk/parameters/iommu_walk", text, sizeof(text));
	return *text;
}

/* Asked for a device that can't be, the module says that it isn't there. */
static void devices_try(struct ptwalk *client, struct info *info)
{
	struct ptwalk_device none;

	if (ptwalk_device(client, "", NULL, 0, &none) != -ENODEV)
		info->no_devices = ptwalk_strerror(client);
	info->iommu_walk = read_iommu_walk();
}

int cmd_info(int argc, char **argv)
{
	struct ptwalk *client;
	struct info info = { 0 };
	bool json = false;
	const struct command_option options[] = {
		{ "json", .flag = &json },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (status)
		return status;
	if (optind < argc)
		return fail(EXIT_USAGE, "info: '%s' is too much: it takes no arguments",
			    argv[optind]);

	/* Without the module, all the rest is still told. */
	status = client_open(&client);
	if (!status) {
		info.kernel = ptwalk_kernel(client);
		devices_try(client, &info);
	}
	info.present = !client_absent(status);
	info.refused = status == -EPERM;
	uname(&info.uts);
	interfaces_try(info.interfaces);
	privileges_read(&info.privileges);
	lockdown_read(info.lockdown);
	if (json)
		print_info_json(&info);
	else
		print_info_text(&info);
	ptwalk_close(client);
	return status;
}
