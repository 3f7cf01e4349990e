// SPDX-License-Identifier: GPL-2.0
/* ptwalk map: the picture of a process that has the memory of a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "mapping.h"
#include "test.h"

static struct output out;
static char text[8 * 1024 * 1024];

FIXTURE(map)
{
	struct ptw ptw;
	struct mapping m;
	char pid[16], file[48];
};

FIXTURE_SETUP(map)
{
	NEED_COMMAND();
	SETUP_MAPPING(self, build_pci_resource);
	snprintf(self->pid, sizeof(self->pid), "%d", self->m.pid);
}

FIXTURE_TEARDOWN(map)
{
	unlink(self->file);
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/* Writes a picture to a file whose name ends so, and reads it into @text. */
static bool draw(FIXTURE_DATA(map) *self, const char *end)
{
	FILE *file;
	size_t len;

	snprintf(self->file, sizeof(self->file), "/tmp/map-%d%s", getpid(), end);
	run(&out, ptwalk_command(), "map", "-o", self->file, self->pid);
	file = fopen(self->file, "re");
	if (!file)
		return false;
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	unlink(self->file);
	return true;
}

static bool ends_with(const char *end)
{
	size_t len = strlen(text), of_end = strlen(end);

	return len >= of_end && !strcmp(text + len - of_end, end);
}

/* Each of them has the BAR, and how it is mapped. */
TEST_F(map, device)
{
	ASSERT_TRUE(draw(self, ".svg"));
	EXPECT_STATUS(MATCH);
	EXPECT_STREQ("", out.text);
	EXPECT_EQ(0, strncmp(text, "<?xml ", 6));
	EXPECT_TRUE(ends_with("</svg>\n"));
	EXPECT_NE(NULL, strstr(text, " BAR "));
	EXPECT_NE(NULL, strstr(text, "<path class=\"special"));
	EXPECT_NE(NULL, strstr(text, "node 0 "));
	ASSERT_TRUE(draw(self, ".html"));
	EXPECT_STATUS(MATCH);
	EXPECT_TRUE(ends_with("</html>\n"));
	EXPECT_NE(NULL, strstr(text, " BAR "));

	setenv("COLUMNS", "160", 1);
	run(&out, ptwalk_command(), "map", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" BAR ");
	EXPECT_PRINTED("d device, driver or kernel");
	run(&out, ptwalk_command(), "map", "--json", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"special\":");
	EXPECT_PRINTED(" BAR ");
}

TEST_HARNESS_MAIN
