// SPDX-License-Identifier: GPL-2.0
/* What is written as JSON is read by libjansson as it was meant. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/exit_status.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "module/names.h"
#include "tests.h"
#include "told.h"

char *told_text(void (*print)(void *arg), void *arg)
{
	int kept = dup(STDOUT_FILENO);
	FILE *file = tmpfile();
	char *text;
	long size;

	assert_non_null(file);
	out_sync();
	assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
	print(arg);
	out_sync();
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
	size = lseek(fileno(file), 0, SEEK_END);
	text = calloc(1, size + 1);
	assert_non_null(text);
	assert_int_equal(pread(fileno(file), text, size, 0), size);
	fclose(file);
	assert_int_equal(strlen(text), size);
	return text;
}

struct members {
	void (*json)(void *arg);
	void *arg;
};

static void tell_line(void *arg)
{
	const struct members *m = arg;

	jsonw_begin(NULL);
	m->json(m->arg);
	jsonw_end();
}

json_t *told_json(void (*json)(void *arg), void *arg)
{
	char *text = told_text(tell_line, &(struct members){ json, arg });
	size_t len = strlen(text);
	json_error_t error;
	json_t *object;

	for (size_t i = 0; i + 1 < len; i++)
		assert_in_range(text[i], ' ', '~');
	assert_int_equal(text[len - 1], '\n');
	object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!object)
		fail_msg("%s: %s", error.text, text);
	free(text);
	return object;
}

static void all_json(void *arg)
{
	jsonw_text("text", "a");
	jsonw_text("none", NULL);
	jsonw_null("null");
	jsonw_bool("true", true);
	jsonw_bool("false", false);
	jsonw_hex("hex", 0x1f2);
	jsonw_number("most", INT64_MAX);
	jsonw_signed("least", INT64_MIN);
	jsonw_signed("more", 7);
	jsonw_real("real", 1.5);
	jsonw_real("infinite", HUGE_VAL);
	jsonw_format("format", "%s:%d", "a", 1);
	jsonw_mask("mask", &names_kind, 0);
	jsonw_mask("flags", &names_flag, 1ULL << 63 | 1);
	jsonw_object("empty");
	jsonw_close();
	jsonw_array("nothing");
	jsonw_close();
	jsonw_array("list");
	jsonw_number(NULL, 1);
	jsonw_array(NULL);
	jsonw_object(NULL);
	jsonw_text("in", "it");
	jsonw_close();
	jsonw_number(NULL, 2);
	jsonw_close();
	jsonw_text(NULL, "end");
	jsonw_close();
	jsonw_members("\"a\":1,\"b\":2", 11);
	jsonw_members("\"c\":3", 5);
}

/* All types, empty and nested, in the order in which they were told. */
static void types(void **state)
{
	static const char expected[] =
		"{\"text\":\"a\",\"none\":null,\"null\":null,\"true\":true,\"false\":false,\"hex\":\"0x1f2\",\"most\":9223372036854775807,\"least\":-9223372036854775808,\"more\":7,\"real\":1.5,\"infinite\":null,\"format\":\"a:1\",\"mask\":[],\"flags\":[\"write\",\"bit_63\"],\"empty\":{},\"nothing\":[],\"list\":[1,[{\"in\":\"it\"},2],\"end\"],\"a\":1,\"b\":2,\"c\":3}";
	json_t *object = told_json(all_json, NULL);
	char *text = json_dumps(object, JSON_COMPACT);

	assert_string_equal(text, expected);
	free(text);
	json_decref(object);
}

static void most_json(void *arg)
{
	jsonw_number("most", UINT64_MAX);
}

/* A parser may refuse it, but what it reads is no negative number. */
static void largest(void **state)
{
	char *text = told_text(tell_line, &(struct members){ most_json, NULL });

	assert_string_equal(text, "{\"most\":18446744073709551615}\n");
	free(text);
}

static void text_json(void *arg)
{
	jsonw_text("text", arg);
}

static void expect_text(const char *told, const char *expected)
{
	json_t *object = told_json(text_json, (void *)told);

	assert_string_equal(json_string_value(json_object_get(object, "text")),
			    expected);
	json_decref(object);
}

/* Each character of ASCII; and of Unicode those at which the length or the rules change. */
static void characters(void **state)
{
	static const char *const whole[] = {
		"", "\"\\/\b\f\n\r\t", "\xc2\x80", "\xc2\x9b", "\xdf\xbf", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
		"\xf4\x8f\xbf\xbf", "\xc3\xa4 and \xf0\x9f\x98\x80",
		"\xe2\x80\xa8 ends a line", "\xe2\x80\xae turns it around",
	};
	char text[] = "a?b";

	for (int c = 1; c < 0x80; c++) {
		text[1] = c;
		expect_text(text, text);
	}
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		expect_text(whole[i], whole[i]);
}

/* What is no UTF-8 is shown, with all that a terminal would take for a command. */
static void no_characters(void **state)
{
	static const char *const odd[][2] = {
		{ "a\x80", "a\\200" },			/* nothing before it */
		{ "\xff\n\xc3\xa4\"", "\\377\\012\xc3\xa4\"" },
		{ "\xc3", "\\303" },			/* nothing behind it */
		{ "\xc0\xaf", "\\300\\257" },		/* longer than it need be */
		{ "\xe0\x80\xaf", "\\340\\200\\257" },
		{ "\xed\xa0\x80", "\\355\\240\\200" },	/* half of a pair */
		{ "\xf4\x90\x80\x80", "\\364\\220\\200\\200" },
		{ "\xf8\x88\x80\x80\x80", "\\370\\210\\200\\200\\200" },
		{ "\xfe\xc2\x9b", "\\376\\302\\233" },
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		expect_text(odd[i][0], odd[i][1]);
}

#define LONG	100000

static void long_json(void *arg)
{
	char *text = arg;

	jsonw_text("text", text);
	jsonw_array("list");
	for (uint64_t i = 0; i < LONG; i++)
		jsonw_number(NULL, i);
	jsonw_close();
	text[7] = '\n';
	jsonw_text("escaped", text);
	jsonw_mask("mask", &names_flag, UINT64_MAX);
}

/* Lines and strings that are longer than what is kept of them. */
static void long_lines(void **state)
{
	char *text = malloc(LONG);
	json_t *object, *list;

	assert_non_null(text);
	memset(text, 'x', LONG - 1);
	text[LONG - 1] = '\0';
	object = told_json(long_json, text);
	list = json_object_get(object, "list");
	assert_int_equal(json_array_size(list), LONG);
	for (size_t i = 0; i < LONG; i++)
		assert_int_equal(json_integer_value(json_array_get(list, i)), i);
	assert_string_equal(json_string_value(json_object_get(object, "escaped")), text);
	text[7] = 'x';
	assert_string_equal(json_string_value(json_object_get(object, "text")), text);
	assert_int_equal(json_array_size(json_object_get(object, "mask")), 64);
	json_decref(object);
	free(text);
}

#define LONG_PATH	(24 * 1024)

struct long_kept {
	struct put_lines lines;
	struct put_what what;
	char *path;
	bool again;
};

static void kept_line(void *arg)
{
	struct long_kept *k = arg;

	k->again = jsonw_again(&k->lines, &k->what);
	if (k->again)
		return;
	jsonw_begin("page");
	jsonw_hex("start", k->what.number[0]);
	jsonw_text("path", k->path);
	jsonw_end_kept(&k->lines, &k->what);
}

/* Lines of any length: those that are kept are what was told, and the longest aren't. */
static void keeps(void **state)
{
	static struct long_kept k = { .what = { .nr = 1 } };
	char *text, expected[2 * PUT_LINE];
	unsigned int again = 0, anew = 0;

	k.path = calloc(1, LONG_PATH + 1);
	assert_non_null(k.path);
	for (size_t length = 0; length <= LONG_PATH; length += 1 + length / 99) {
		memset(k.path, 'x', length);
		k.what.key[0] = length;
		for (k.what.number[0] = 0x71; k.what.number[0] < 0x74; k.what.number[0]++) {
			text = told_text(kept_line, &k);
			if (length < PUT_LINE) {
				snprintf(expected, sizeof(expected),
					 "{\"type\":\"page\",\"start\":\"0x%x\",\"path\":\"%s\"}\n",
					 (unsigned int)k.what.number[0], k.path);
				assert_string_equal(text, expected);
			}
			free(text);
			again += k.again;
			anew += !k.again;
			assert_true(!k.again || length < PUT_LINE);
		}
	}
	assert_true(again > anew / 2 && anew);
	free(k.path);
}

/* The exit status of @tell with a stdout that takes nothing. */
static int without_room(void (*tell)(void *arg), void *arg)
{
	int status, full = open("/dev/full", O_WRONLY);
	pid_t pid;

	assert_true(full >= 0);
	out_sync();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(full, STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		tell(arg);
		_exit(out_finish(0));
	}
	close(full);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void no_json(void *arg)
{
}

/* What can't be written is told once, of a short line and of a long one. */
static void errors(void **state)
{
	char text[LONG];

	memset(text, 'x', LONG - 1);
	text[LONG - 1] = '\0';
	assert_int_equal(without_room(no_json, NULL), 0);
	assert_int_equal(without_room(tell_line, &(struct members){ all_json, NULL }),
			 EXIT_UNCHECKED);
	assert_int_equal(without_room(tell_line, &(struct members){ long_json, text }),
			 EXIT_UNCHECKED);
}

SUITE(suite_jsonw, cmocka_unit_test(types), cmocka_unit_test(largest),
      cmocka_unit_test(characters), cmocka_unit_test(no_characters),
      cmocka_unit_test(long_lines), cmocka_unit_test(keeps),
      cmocka_unit_test(errors));
