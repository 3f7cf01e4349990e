/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the guest's init and the host's console talk over a serial console that
 * the kernel writes to as well.
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

#endif
