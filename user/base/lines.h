/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a file with any contents line by line, and parses the fields of its
 * lines; the length of lines and the size of numbers are limited.
 */
#ifndef PTWALK_BASE_LINES_H
#define PTWALK_BASE_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LINES_LONGEST	32768	/* names of /proc may have 4 × PATH_MAX bytes */

/**
 * struct lines - a file being read
 * @stream: It.
 * @number: Of the line that was read last, from 1 on.
 * @counted: Lines of it that say something; for end marks.
 * @ended: There was an end mark.
 * @reason: What is wrong with the line, after -EINVAL or -ENODATA.
 * @text: The line, without its end.
 */
struct lines {
	FILE *stream;
	size_t number;
	uint64_t counted;
	bool ended;
	const char *reason;
	char text[LINES_LONGEST];
};

void lines_begin(struct lines *lines, FILE *stream);

/*
 * Reads a line. Returns 1; 0 at the end of the file; -EINVAL for one that is
 * too long or has a NUL byte; -ENODATA for a last one that doesn't end; or
 * another negative errno.
 */
int lines_next(struct lines *lines);

/*
 * The same for a recording: skips empty lines and comments, and takes the end
 * mark, a line "end LINES" with the number of lines before it. -ENODATA: the
 * file ended without one.
 */
int lines_next_recorded(struct lines *lines);

/*
 * Reads a file of the kernel, whose lines may have any length: calls @take with
 * each, without its end, until it returns other than 0. Returns that, 0 at the end of
 * the file, or the errno of reading it. *@line, unless NULL, receives
 * the number of the line that was read last.
 */
int lines_each(FILE *stream, int (*take)(char *line, void *arg), void *arg,
	       size_t *line);

/* The same of the file @path, or the errno of opening it. */
int lines_in(const char *path, int (*take)(char *line, void *arg), void *arg);

/* Sets the message of an error of reading the file @path, and returns it. */
int lines_failed(const char *path, int err);

/**
 * struct long_lines - the same of a file that is read in parts
 * @stream: The file.
 * @text: The line that was read last, in @size bytes; free it in the end.
 * @number: Of that line, from 1 on.
 * @again: It wasn't taken.
 */
struct long_lines {
	FILE *stream;
	char *text;
	size_t size, number;
	bool again;
};

/*
 * Goes on until @take returns a positive number, which is returned, and the line
 * comes again the next time; or as lines_each().
 */
int lines_until(struct long_lines *lines, int (*take)(char *line, void *arg),
		void *arg);

/* Writes the end mark of a recording. */
void lines_mark_end(FILE *stream, uint64_t lines);

/**
 * struct fields - a line that is being taken apart
 * @at: What is left of it.
 * @bad: A field wasn't what it must be; those after it read as 0.
 */
struct fields {
	const char *at;
	bool bad;
};

/*
 * Begins to take @line apart: the first word is in @word, or "" if it doesn't fit into
 * @size bytes, and what is behind it is left.
 */
struct fields fields_behind(const char *line, char *word, size_t size);

/* The next hexadecimal number, after a blank or a colon; @most is allowed. */
uint64_t fields_hex(struct fields *fields, uint64_t most);

/* Takes the next field if it is a "-". */
bool fields_none(struct fields *fields);

/* Takes the next word, which must fit into @size bytes. */
void fields_word(struct fields *fields, char *buf, size_t size);

/* Nothing is left of the line. */
bool fields_end(const struct fields *fields);

/* A file without a name, to write lines to and to rewind(); NULL if errno says why. */
FILE *lines_scratch(void);

/*
 * Ends the writing: @stream, to be read from its beginning, or NULL if there is
 * none, or @err or what was written didn't arrive, as @err says then; it is closed.
 */
FILE *lines_scratch_end(FILE *stream, int *err);

#endif /* PTWALK_BASE_LINES_H */
