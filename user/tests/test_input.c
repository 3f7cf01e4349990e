// SPDX-License-Identifier: GPL-2.0
/* Standard input as a list of words. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/exit_status.h"
#include "cmd/words.h"
#include "tests.h"

/* What was taken, one behind the other, with a | for each answer. */
static char taken[4096];

static int take(const char *word, size_t line, void *arg)
{
	strcat(strcat(taken, word), " ");
	return *word == '!' ? EXIT_USAGE : 0;
}

static int answer(void *arg)
{
	strcat(taken, "|");
	return arg ? *(int *)arg : 0;
}

/* Has @len bytes of @text as standard input, and then the end. */
static void give(const char *text, size_t len)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, len), len);
	close(fds[1]);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	close(fds[0]);
	clearerr(stdin);
	taken[0] = '\0';
}

#define GIVE(text)	give(text, sizeof(text) - 1)

static void words_of_lines(void **state)
{
	GIVE(" 1\t\r\n\n# none\n2 3\n4");
	assert_int_equal(words_read(take, answer, "word", NULL), 0);
	assert_string_equal(taken, "1 2 3 4 |");
	GIVE("1\n");
	assert_int_equal(words_read(take, NULL, "word", NULL), 0);
	assert_string_equal(taken, "1 ");
}

/* The lines behind a bad one are answered as well. */
static void bad_lines(void **state)
{
	int stop = EXIT_UNCHECKED;

	GIVE("1\n!\n2\n");
	assert_int_equal(words_read(take, answer, "word", NULL), EXIT_USAGE);
	assert_string_equal(taken, "1 ! 2 |");
	GIVE("1\n2\0003\n4\n");
	assert_int_equal(words_read(take, answer, "word", NULL), EXIT_USAGE);
	assert_string_equal(taken, "1 |");
	GIVE("1\n!\n");
	assert_int_equal(words_read(take, answer, "word", &stop), EXIT_USAGE);
	GIVE("1\n");
	assert_int_equal(words_read(take, answer, "word", &stop), EXIT_UNCHECKED);
}

static void nothing(void **state)
{
	int kept;

	static const char *const texts[] = { "", "\n", " \n\t\n", "# 1\n", "#" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		give(texts[i], strlen(texts[i]));
		assert_int_equal(words_read(take, answer, "word", NULL), EXIT_USAGE);
		assert_string_equal(taken, "");
	}
	kept = dup(STDIN_FILENO);
	close(STDIN_FILENO);
	clearerr(stdin);
	assert_int_equal(words_read(take, answer, "word", NULL), EXIT_UNCHECKED);
	dup2(kept, STDIN_FILENO);
	close(kept);
}

/* Whoever writes a line and waits has the answer; the pipe stays open. */
static void answered_at_once(void **state)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	clearerr(stdin);
	taken[0] = '\0';
	assert_int_equal(write(fds[1], "1\n", 2), 2);
	/* The answer to the first line ends it, or it would wait for ever. */
	alarm(60);
	assert_int_equal(words_read(take, answer, "word", &(int){ EXIT_UNCHECKED }),
			 EXIT_UNCHECKED);
	alarm(0);
	assert_string_equal(taken, "1 |");
	close(fds[0]);
	close(fds[1]);
}

/* Of many, some hundred wait for each other, and none is lost. */
static unsigned int nr_taken, nr_answers;

static int count_taken(const char *word, size_t line, void *arg)
{
	nr_taken++;
	return 0;
}

static int count_answer(void *arg)
{
	nr_answers++;
	return 0;
}

static void many(void **state)
{
	static char text[4000];

	for (size_t i = 0; i < sizeof(text); i += 2)
		memcpy(text + i, "1\n", 2);
	give(text, sizeof(text));
	assert_int_equal(words_read(count_taken, count_answer, "word", NULL), 0);
	assert_int_equal(nr_taken, sizeof(text) / 2);
	assert_in_range(nr_answers, 2, 10);
}

SUITE(suite_input,
      cmocka_unit_test(words_of_lines), cmocka_unit_test(bad_lines),
      cmocka_unit_test(nothing), cmocka_unit_test(many),
      cmocka_unit_test(answered_at_once));
