// SPDX-License-Identifier: GPL-2.0
/*
 * Tells whether the kernel's code can be written to where it is mapped as RAM, as the
 * module of the folder s390-text-alias has tried; see s390-text-alias.txt. As root.
 * Exits with 1 if it can.
 */
#include <stdio.h>

static int result(const char *name)
{
	char path[80];
	int value = 1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/s390_text_alias/parameters/%s", name);
	file = fopen(path, "r");
	if (file && fscanf(file, "%d", &value) != 1)
		value = 1;
	if (file)
		fclose(file);
	return value;
}

int main(void)
{
	int own = result("own"), alias = result("alias");

	if (own > 0 || alias > 0) {
		printf("no module\n");
		return 2;
	}
	printf("_printk(): written at its own address: %s, where it is RAM: %s\n",
	       own ? "no" : "yes", alias ? "no" : "yes");
	return !alias;
}
