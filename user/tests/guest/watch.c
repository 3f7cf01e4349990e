// SPDX-License-Identifier: GPL-2.0
/* ptwalk watch, look by look, at a process that does one thing at a time. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "command.h"
#include "test.h"

#define PAGES	8

static char *memory;
static size_t page_size;

FIXTURE(watch)
{
	struct target target;
	const char *ptwalk;
	FILE *in, *out;
	pid_t pid;
	char pid_text[16], range[64];
};

/* What the process does before each look. */
static void step(void *arg, int nr)
{
	switch (nr) {
	case 0:
		memset(memory, 1, 4 * page_size);
		break;
	case 1:
		memset(memory + 4 * page_size, 1, 2 * page_size);
		break;
	case 2:
		madvise(memory, page_size, MADV_DONTNEED);
		break;
	case 3:
		mprotect(memory + page_size, page_size, PROT_READ);
		break;
	case 4:
		mremap(memory + 2 * page_size, page_size, page_size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, memory + 6 * page_size);
		break;
	}
}

FIXTURE_SETUP(watch)
{
	self->ptwalk = ptwalk_command();
	if (!self->ptwalk)
		SKIP(return, "there is no ptwalk command in PATH");
	page_size = sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	madvise(memory, PAGES * page_size, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, target_start(&self->target, step, NULL));
	snprintf(self->pid_text, sizeof(self->pid_text), "%d", self->target.pid);
	snprintf(self->range, sizeof(self->range), "%#lx+%#zx",
		 (unsigned long)memory, PAGES * page_size);
}

FIXTURE_TEARDOWN(watch)
{
	target_end(&self->target);
	if (self->in)
		fclose(self->in);
	if (self->out)
		fclose(self->out);
	munmap(memory, PAGES * page_size);
}

static void start(struct __test_metadata *const _metadata, FIXTURE_DATA(watch) *self)
{
	int in[2], out[2];

	ASSERT_EQ(0, pipe(in));
	ASSERT_EQ(0, pipe(out));
	self->pid = fork();
	if (!self->pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		close(out[0]);
		execl(self->ptwalk, "ptwalk", "watch", "--json", "--enter",
		      self->pid_text, self->range, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	self->in = fdopen(in[1], "w");
	self->out = fdopen(out[0], "r");
}

/* Reads until a line of type @end; returns all before, in a static buffer. */
static const char *lines(FIXTURE_DATA(watch) *self, const char *end)
{
	static char text[16384];
	char *line = text;

	text[0] = '\0';
	while (line < text + sizeof(text) - 1 &&
	       fgets(line, text + sizeof(text) - line, self->out)) {
		if (strstr(line, end))
			break;
		line += strlen(line);
	}
	return text;
}

static const char *look(FIXTURE_DATA(watch) *self)
{
	fputc('\n', self->in);
	fflush(self->in);
	return lines(self, "\"type\":\"look\"");
}

static int count(const char *text, const char *wanted)
{
	int nr = 0;

	for (; (text = strstr(text, wanted)); text++)
		nr++;
	return nr;
}

#define EXPECT_COUNT(wanted, text, what) \
	EXPECT_EQ(wanted, count(text, what)) \
		TH_LOG("%s", text)

TEST_F(watch, changes)
{
	const char *text;
	int status;

	start(_metadata, self);
	text = lines(self, "\"type\":\"look\"");
	EXPECT_COUNT(1, text, "\"type\"");
	text = look(self);
	EXPECT_COUNT(0, text, "\"type\":\"change\"");

	ASSERT_EQ(0, target_step(&self->target));
	text = look(self);
	EXPECT_COUNT(1, text, "\"type\":\"change\"");
	EXPECT_COUNT(1, text, "\"pages\":2");
	EXPECT_COUNT(1, text, "\"changes\":[\"mapped\"]");

	ASSERT_EQ(0, target_step(&self->target));
	text = look(self);
	EXPECT_COUNT(1, text, "\"type\":\"change\"");
	EXPECT_COUNT(1, text, "\"pages\":1");
	EXPECT_COUNT(1, text, "\"changes\":[\"unmapped\"]");

	ASSERT_EQ(0, target_step(&self->target));
	text = look(self);
	EXPECT_COUNT(1, text, "\"type\":\"change\"");
	EXPECT_COUNT(1, text, "\"changes\":[\"denied\"]");
	EXPECT_COUNT(1, text, "\"change\":\"gone\"");
	EXPECT_COUNT(3, text, "\"change\":\"new\"");

	ASSERT_EQ(0, target_step(&self->target));
	text = look(self);
	EXPECT_COUNT(2, text, "\"type\":\"change\"");
	EXPECT_COUNT(2, text, "\"changes\":[\"remapped\"]");
	EXPECT_COUNT(1, text, "\"to\":");
	EXPECT_COUNT(1, text, "\"from\":");

	/* The process ends, and with it the watch. */
	target_end(&self->target);
	fputc('\n', self->in);
	fflush(self->in);
	text = lines(self, "\"type\":\"look\"");
	EXPECT_COUNT(1, text, "\"ended\":true");
	EXPECT_EQ(self->pid, waitpid(self->pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
