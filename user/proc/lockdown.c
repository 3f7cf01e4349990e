// SPDX-License-Identifier: GPL-2.0
/* How far the kernel is locked down, by its file in securityfs. */
#include <string.h>
#include "base/text.h"
#include "proc/lockdown.h"

const char *lockdown_parse(const char *text, char mode[LOCKDOWN_MODE])
{
	const char *from = strchr(text, '[');
	size_t len = from ? strcspn(++from, "]") : 0;

	if (len >= LOCKDOWN_MODE || (from && from[len] != ']'))
		len = 0;
	memcpy(mode, from ? from : "", len);
	mode[len] = '\0';
	return mode;
}

const char *lockdown_read(char mode[LOCKDOWN_MODE])
{
	char text[128];

	text_of("/sys/kernel/security/lockdown", text, sizeof(text));
	return lockdown_parse(text, mode);
}
