// SPDX-License-Identifier: GPL-2.0
/* A text file read line by line, and the fields of its lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/lines.h"
#include "base/parse.h"

void lines_begin(struct lines *l, FILE *stream)
{
	l->stream = stream;
	l->number = 0;
	l->counted = 0;
	l->ended = false;
	l->reason = NULL;
}

static int refuse(struct lines *l, int err, const char *reason)
{
	l->reason = reason;
	return err;
}

int lines_next(struct lines *l)
{
	size_t len = 0;
	int c;

	l->number++;
	errno = 0;
	while ((c = getc_unlocked(l->stream)) != EOF && c != '\n') {
		if (!c)
			return refuse(l, -EINVAL, "a NUL byte");
		if (len == sizeof(l->text) - 1)
			return refuse(l, -EINVAL, "the line is too long");
		l->text[len++] = c;
	}
	l->text[len] = '\0';
	if (c == '\n')
		return 1;
	if (ferror(l->stream))
		return errno ? -errno : -EIO;
	if (len)
		return refuse(l, -ENODATA,
			      "the last line doesn't end; is the file cut off?");
	l->number--;
	return 0;
}

int lines_next_recorded(struct lines *l)
{
	struct fields fields;
	int more;

	while ((more = lines_next(l)) > 0) {
		if (!*l->text || *l->text == '#')
			continue;
		if (l->ended)
			return refuse(l, -EINVAL, "a line after the end mark");
		if (strncmp(l->text, "end ", 4)) {
			l->counted++;
			return 1;
		}
		fields = (struct fields){ .at = l->text + 3 };
		if (fields_hex(&fields, UINT64_MAX) != l->counted ||
		    !fields_end(&fields))
			return refuse(l, -EINVAL,
				      "the end mark counts other lines than there are");
		l->ended = true;
	}
	if (!more && !l->ended)
		return refuse(l, -ENODATA, "no end mark; is the file cut off?");
	return more;
}

int lines_until(struct long_lines *l, int (*take)(char *line, void *arg), void *arg)
{
	ssize_t len;
	int ret = 0;

	errno = 0;
	while (!ret) {
		if (!l->again) {
			len = getline(&l->text, &l->size, l->stream);
			if (len <= 0)
				break;
			l->number++;
			if (l->text[len - 1] == '\n')
				l->text[len - 1] = '\0';
		}
		l->again = false;
		ret = take(l->text, arg);
	}
	l->again = ret > 0;
	if (!ret && ferror(l->stream))
		ret = errno ? -errno : -EIO;
	return ret;
}

int lines_each(FILE *stream, int (*take)(char *line, void *arg), void *arg,
	       size_t *line)
{
	struct long_lines lines = { .stream = stream };
	int err = lines_until(&lines, take, arg);

	if (line)
		*line = lines.number;
	free(lines.text);
	return err;
}

size_t lines_words(const struct lines *l)
{
	const char *p = l->text;
	size_t nr = 0;

	for (p += strspn(p, " "); *p; nr++) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	return nr;
}

void lines_mark_end(FILE *stream, uint64_t lines)
{
	fprintf(stream, "end %" PRIx64 "\n", lines);
}

static bool ends_field(char c)
{
	return !c || c == ' ' || c == ':';
}

/* Copies the next field, and goes on behind it. */
static void take(struct fields *f, char *buf, size_t size, const char *ends)
{
	size_t len;

	*buf = '\0';
	if (*f->at == ' ' || *f->at == ':')
		f->at++;
	len = strcspn(f->at, ends);
	if (f->bad || !len || len >= size) {
		f->bad = true;
		return;
	}
	memcpy(buf, f->at, len);
	buf[len] = '\0';
	f->at += len;
}

uint64_t fields_hex(struct fields *f, uint64_t most)
{
	uint64_t value = 0;
	char text[32];

	take(f, text, sizeof(text), " :");
	if (!f->bad && (parse_hex(text, &value) || value > most))
		f->bad = true;
	return f->bad ? 0 : value;
}

bool fields_none(struct fields *f)
{
	if (f->bad || f->at[0] != ' ' || f->at[1] != '-' ||
	    !ends_field(f->at[2]))
		return false;
	f->at += 2;
	return true;
}

void fields_word(struct fields *f, char *buf, size_t size)
{
	take(f, buf, size, " ");
}

bool fields_end(const struct fields *f)
{
	return !f->bad && !*f->at;
}

FILE *lines_scratch(void)
{
	int fd = memfd_create("", MFD_CLOEXEC);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

FILE *lines_scratch_end(FILE *stream, int err)
{
	if (stream && err) {
		fclose(stream);
		return NULL;
	}
	if (stream)
		rewind(stream);
	return stream;
}
