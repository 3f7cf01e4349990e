// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_replay CORPUS [ROUNDS]
 *
 * Where there is no libFuzzer: gives each parser its samples in CORPUS, and
 * each of these ROUNDS times with some bytes altered, always the same ones. What
 * a parser does wrong the sanitizers tell. A sample must be accepted, unless
 * its name begins with "bad-". Prints TAP, a test for each parser.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/fuzz.h"

#define MAX_SAMPLE	(128 << 10)
#define MAX_ALTERED	(MAX_SAMPLE + 4096)

static uint64_t state;

/* xorshift64*: the same on every machine. */
static size_t below(size_t n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return n ? state * 0x2545f4914f6cdd1dULL % n : 0;
}

static size_t read_sample(const char *path, uint8_t *data)
{
	FILE *stream = fopen(path, "r");
	size_t size = stream ? fread(data, 1, MAX_SAMPLE, stream) : 0;

	if (stream)
		fclose(stream);
	return size;
}

/* Puts @nr bytes of @bytes at @at, in place of what is there or before it. */
static size_t put(uint8_t *data, size_t size, size_t at, const void *bytes,
		  size_t nr, bool before)
{
	if (before) {
		memmove(data + at + nr, data + at, size - at);
		size += nr;
	}
	memcpy(data + at, bytes, nr);
	return at + nr > size ? at + nr : size;
}

static size_t alter(uint8_t *data, size_t size)
{
	static const char *const words[] = {
		"", "-", " ", "\n", "0", "ffffffffffffffff", "10000000000000000",
		"18446744073709551615", "18446744073709551616", "-1", ":", "0x",
		"\377\377\377\377", "kB", "9999999999", "/",
	};
	uint8_t copied[64];
	const char *word;
	size_t at = below(size), nr;

	switch (below(6)) {
	case 0:
		data[at] ^= 1 << below(8);
		return size;
	case 1:
		data[at] = below(256);
		return size;
	case 2:
		nr = 1 + below(size - at < 64 ? size - at : 64);
		if (nr >= size)
			return size;
		memmove(data + at, data + at + nr, size - at - nr);
		return size - nr;
	case 3:
		return at ? at : size;
	case 4:
		nr = below(size - at < 64 ? size - at : 64);
		memcpy(copied, data + at, nr);
		return put(data, size, below(size), copied, nr, true);
	default:
		word = words[below(sizeof(words) / sizeof(words[0]))];
		return put(data, size, at, word, strlen(word), below(2));
	}
}

/* The bytes in memory of just their size, so that one too far is seen. */
static int parse(const struct fuzz_parser *parser, const uint8_t *data,
		 size_t size)
{
	uint8_t *exact = malloc(size);
	int err;

	if (!exact)
		abort();
	memcpy(exact, data, size);
	err = fuzz_parse(parser, exact, size);
	free(exact);
	return err;
}

static bool replay(const struct fuzz_parser *parser, const char *folder,
		   const char *name, unsigned long rounds)
{
	static uint8_t sample[MAX_SAMPLE], altered[MAX_ALTERED];
	bool bad = !strncmp(name, "bad-", 4), good = true;
	size_t size, now;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	size = read_sample(path, sample);
	if (!size || (parse(parser, sample, size) != 0) != bad) {
		printf("# %s: %s\n", path, !size ? "nothing to read" :
		       bad ? "accepted" : "refused");
		good = false;
	}
	state = 1;
	for (; size && rounds; rounds--) {
		memcpy(altered, sample, size);
		now = size;
		for (size_t changes = 1 + below(4); changes; changes--)
			now = alter(altered, now);
		parse(parser, altered, now);
	}
	return good;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 500;
	unsigned int nr = 0;
	int status = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("TAP version 13");
	for (const struct fuzz_parser *p = fuzz_parsers; p->name; p++) {
		char folder[2048];
		struct dirent *entry;
		bool good = true;
		size_t samples = 0;
		DIR *dir;

		snprintf(folder, sizeof(folder), "%s/%s", argc > 1 ? argv[1] : ".",
			 p->name);
		dir = opendir(folder);
		while (dir && (entry = readdir(dir)))
			if (*entry->d_name != '.') {
				samples++;
				good &= replay(p, folder, entry->d_name, rounds);
			}
		if (dir)
			closedir(dir);
		good &= samples > 0;
		printf("%s %u - parsers: %s (%zu samples, each altered %lu times)\n",
		       good ? "ok" : "not ok", ++nr, p->name, samples, rounds);
		status |= !good;
	}
	printf("1..%u\n", nr);
	return status;
}
