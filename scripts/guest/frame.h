/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the guest's init and the host's console talk over a serial console that
 * the kernel writes to as well. The host says something only to a command that
 * has a terminal, that was to wait, or for which Ctrl-C is.
 *
 * A frame is
 *
 *	STX channel base64(payload) '.' crc16-in-hex '\n'
 *
 * Whatever stands outside of frames is the kernel's own text. The kernel may
 * also write in the middle of a frame: its lines begin with '[' (the time,
 * or what printk.time=1 makes of it), which base64 does not contain, and end
 * at the next newline, after which the frame goes on.
 */
#ifndef PTWALK_GUEST_FRAME_H
#define PTWALK_GUEST_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_STX	0x02
#define FRAME_PAYLOAD	768	/* bytes at most, a multiple of 3 */
#define FRAME_TEXT	(FRAME_PAYLOAD / 3 * 4)
#define FRAME_LINE	(FRAME_TEXT + 8)

/* The channels. */
#define FRAME_OUT	'o'	/* the command's standard output */
#define FRAME_ERR	'e'	/* the command's standard error */
#define FRAME_KMSG	'k'	/* the kernel's log, at the end */
#define FRAME_UP	'u'	/* the command is about to start */
#define FRAME_FAIL	'f'	/* it cannot be started, and why */
#define FRAME_EXIT	'x'	/* its exit status in decimal: the last frame */
#define FRAME_TAKEN	't'	/* the host may send its next frame */
#define FRAME_SYMBOLS	'm'	/* a module's file and sections, for gdb */

/* From the host, one at a time. */
#define FRAME_IN	'i'	/* what was typed */
#define FRAME_SIZE	's'	/* "ROWS COLUMNS": the first one is waited for */
#define FRAME_INTERRUPT	'c'	/* SIGINT for the command */

static inline uint16_t frame_crc(const unsigned char *p, size_t n)
{
	uint16_t crc = 0xffff;

	while (n--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
	}
	return crc;
}

/* Returns how long the frame is; to has room for FRAME_LINE + 2. */
static inline size_t frame_write(char *to, char channel, const unsigned char *from,
				 size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint16_t crc = frame_crc(from, n);
	char *start = to;

	*to++ = FRAME_STX;
	*to++ = channel;
	for (; n >= 3; n -= 3, from += 3) {
		*to++ = digits[from[0] >> 2];
		*to++ = digits[(from[0] & 3) << 4 | from[1] >> 4];
		*to++ = digits[(from[1] & 15) << 2 | from[2] >> 6];
		*to++ = digits[from[2] & 63];
	}
	if (n) {
		unsigned int second = n > 1 ? from[1] : 0;

		*to++ = digits[from[0] >> 2];
		*to++ = digits[(from[0] & 3) << 4 | second >> 4];
		*to++ = n > 1 ? digits[(second & 15) << 2] : '=';
		*to++ = '=';
	}
	return to + sprintf(to, ".%04x\n", crc) - start;
}

static inline int frame_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Returns the number of bytes, or -1 if the text is no base64. */
static inline int frame_unbase64(unsigned char *to, const char *from, size_t n)
{
	unsigned char *start = to;

	if (n % 4)
		return -1;
	for (; n; n -= 4, from += 4) {
		int a = frame_digit(from[0]), b = frame_digit(from[1]);
		int c = frame_digit(from[2]), d = frame_digit(from[3]);

		if (a < 0 || b < 0 || (n > 4 && (c < 0 || d < 0)))
			return -1;
		*to++ = a << 2 | b >> 4;
		if (c >= 0)
			*to++ = b << 4 | c >> 2;
		if (d >= 0)
			*to++ = c << 6 | d;
	}
	return to - start;
}

/*
 * The line is what stands between STX and the newline, ended by a NUL. Returns
 * the number of bytes of the payload, or -1 if the frame is damaged; data has
 * room for FRAME_PAYLOAD + 4.
 */
static inline int frame_read(unsigned char *data, const char *line, size_t len)
{
	const char *dot = memchr(line, '.', len);
	int n;

	if (len < 6 || len > FRAME_LINE || !dot || dot + 5 != line + len)
		return -1;
	n = frame_unbase64(data, line + 1, dot - line - 1);
	if (n < 0 || frame_crc(data, n) != strtoul(dot + 1, NULL, 16))
		return -1;
	return n;
}

#endif
