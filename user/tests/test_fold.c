// SPDX-License-Identifier: GPL-2.0
/* What a terminal gets fits it, and has each word that was printed. */
#include <stdio.h>
#include <stdlib.h>
#include "base/fold.h"
#include "tests.h"

static char *folded(const char *line, size_t columns)
{
	size_t length;
	char *text;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	fold_line(line, strlen(line), columns, to);
	assert_int_equal(fclose(to), 0);
	return text;
}

static void lines(void **state)
{
	static const struct {
		const char *line, *folded;
	} cases[] = {
		{ "", "" },
		{ "0123456789 123456789 123456789 123456789", "0123456789 123456789 123456789 123456789" },
		/* Below the text behind a label; without one, four columns in. */
		{ "  pinning   no: EFAULT: VM_IO or VM_PFNMAP, or so",
		  "  pinning   no: EFAULT: VM_IO or\n            VM_PFNMAP, or so" },
		{ "111 tables, 391 extents; 90 areas, 3 sizes",
		  "111 tables, 391 extents; 90 areas, 3\n    sizes" },
		/* Columns, not bytes: of UTF-8, and of colours. */
		{ "äöü6789 123456789 123456789 123456789", "äöü6789 123456789 123456789 123456789" },
		{ "\033[1;31mmismatch\033[0m 123456789 123456789 123456789 12",
		  "\033[1;31mmismatch\033[0m 123456789 123456789 123456789\n    12" },
		/* A word that doesn't fit anywhere stays whole. */
		{ "a 0123456789012345678901234567890123456789 b",
		  "a\n    0123456789012345678901234567890123456789\n    b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = folded(cases[i].line, 40);

		assert_string_equal(text, cases[i].folded);
		free(text);
	}
	/* A terminal that doesn't say how wide it is. */
	for (size_t columns = 0; columns < 40; columns += 39) {
		char *text = folded(cases[3].line, columns);

		assert_string_equal(text, cases[3].line);
		free(text);
	}
}

/* Of drawn words, none is lost or cut, and no line is too long. */
static void drawn(void **state)
{
	for (unsigned int seed = 0; seed < 500; seed++) {
		char line[1024] = "", *text, *at, *word, *expected = line;
		size_t length = 0;

		srand(seed);
		while (length < 900) {
			length += rand() % 3 + !length;
			for (int i = 1 + rand() % 30; i; i--)
				line[length++] = 'a' + i % 26;
			line[length++] = ' ';
		}
		for (size_t i = 0; i < length; i++)
			if (!line[i])
				line[i] = ' ';
		text = folded(line, 60);
		for (at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
			assert_true(strcspn(at, "\n") <= 60);
		for (word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
			expected += strspn(expected, " ");
			assert_memory_equal(expected, word, strlen(word));
			expected += strlen(word);
		}
		assert_int_equal(strspn(expected, " "), strlen(expected));
		free(text);
	}
}

SUITE(suite_fold, cmocka_unit_test(lines), cmocka_unit_test(drawn));
