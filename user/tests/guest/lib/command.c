// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"

const char *ptwalk_command(void)
{
	const char *given = getenv("PTWALK"), *path = getenv("PATH");
	static char found[512];

	if (given)
		return given;
	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(found, sizeof(found), "%.*s/ptwalk", (int)len, path);
		if (!access(found, X_OK))
			return found;
		path += len + !!path[len];
	}
	return NULL;
}

const char *without_crash(void)
{
	return kernel_since(6, 2) ? "--without=prove" : "--without=kpageflags";
}
