// SPDX-License-Identifier: GPL-2.0
/* What people call a device, and what the module calls it. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "dma/device_names.h"

/* Those whose devices the module can find. */
static const char *const buses[] = { "pci", "platform", "amba" };

static bool is_bus(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(buses) / sizeof(buses[0]); i++)
		if (strlen(buses[i]) == len && !strncmp(buses[i], s, len))
			return true;
	return false;
}

static const char *format_devname(const char *bus, const char *device,
				  char name[DEVNAME_SIZE])
{
	if (!*device)
		return "no name behind the bus";
	return snprintf(name, DEVNAME_SIZE, "%s/%s", bus, device) < DEVNAME_SIZE ?
	       NULL : "too long for the name of a device";
}

/* [DOMAIN:]BUS:SLOT.FUNCTION, however many zeros it is written with. */
static bool is_pci(const char *s, char device[32])
{
	unsigned int domain = 0, bus, slot, function;
	int end = 0;

	if (sscanf(s, "%8x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &end) != 4) {
		domain = 0;
		end = 0;
		if (sscanf(s, "%2x:%2x.%1x%n", &bus, &slot, &function, &end) != 3)
			return false;
	}
	/* sscanf() would take blanks and signs. */
	if (s[end] || strspn(s, "0123456789abcdefABCDEF:.") != strlen(s) ||
	    slot > 31 || function > 7)
		return false;
	snprintf(device, 32, "%04x:%02x:%02x.%x", domain, bus, slot, function);
	return true;
}

static bool path_is_below(const char *path, const char *root)
{
	size_t top = strlen(root);

	return !strncmp(path, root, top) && (!path[top] || path[top] == '/');
}

const char *devname_from_path(const char *root, const char *path,
			      char name[DEVNAME_SIZE])
{
	char folder[PATH_MAX], link[PATH_MAX + 16], bus[PATH_MAX];
	size_t top = strlen(root);
	char *end;

	if (!path_is_below(path, root))
		return "not a path in sysfs";
	snprintf(folder, sizeof(folder), "%s", path);
	for (; strlen(folder) > top; *end = '\0') {
		ssize_t n;

		end = strrchr(folder, '/');
		snprintf(link, sizeof(link), "%s/subsystem", folder);
		n = readlink(link, bus, sizeof(bus) - 1);
		if (n <= 0)
			continue;
		bus[n] = '\0';
		/* Classes of devices are there too; buses are below bus/. */
		if (strstr(bus, "bus/") && is_bus(strrchr(bus, '/') + 1,
						  strlen(strrchr(bus, '/') + 1)))
			return format_devname(strrchr(bus, '/') + 1, end + 1, name);
	}
	return "no device on a PCI, platform or AMBA bus is there";
}

/* *@missing: it could be the path of a device, but of none that is there. */
static const char *take_path(const char *arg, char name[DEVNAME_SIZE],
			     bool *missing)
{
	char *path = realpath(arg, NULL);
	const char *why = path ? devname_from_path("/sys", path, name) :
				 "no such path";

	*missing = why && (!path || path_is_below(path, "/sys"));
	free(path);
	return why;
}

static const char *parse_device_name(const char *arg, char name[DEVNAME_SIZE])
{
	const char *slash = strchr(arg, '/');
	char device[32];

	if (!*arg)
		return "empty";
	if (!slash)
		return is_pci(arg, device) ? format_devname("pci", device, name) :
			"no PCI address, and no bus before a /";
	if (!is_bus(arg, slash - arg))
		return "no such bus: there are pci, platform and amba";
	if (!strncmp(arg, "pci/", 4) && is_pci(arg + 4, device))
		return format_devname("pci", device, name);
	if (strchr(slash + 1, '/'))
		return "more than one /";
	snprintf(device, sizeof(device), "%.*s", (int)(slash - arg), arg);
	return format_devname(device, slash + 1, name);
}

int devname_parse(const char *arg, char name[DEVNAME_SIZE])
{
	bool missing = false;
	const char *why = *arg == '/' || *arg == '.' ?
			  take_path(arg, name, &missing) : parse_device_name(arg, name);

	if (!why)
		return 0;
	if (missing)
		return error_set(-ENODEV, "device '%s': %s: " DEVNAME_SUCH_AS,
				 arg, why);
	return error_usage("device '%s': %s: " DEVNAME_SUCH_AS, arg, why);
}
