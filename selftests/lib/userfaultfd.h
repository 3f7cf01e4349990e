/* SPDX-License-Identifier: GPL-2.0 */
/* userfaultfd(2), with what Linux 6.6 and 6.8 added, newer than some headers. */
#ifndef PTWALK_TEST_USERFAULTFD_H
#define PTWALK_TEST_USERFAULTFD_H

#include <linux/userfaultfd.h>

#ifndef UFFDIO_POISON
struct uffdio_poison {
	struct uffdio_range range;
	__u64 mode;
	__s64 updated;
};

#define UFFDIO_POISON		_IOWR(UFFDIO, 0x08, struct uffdio_poison)
#define UFFD_FEATURE_POISON	(1 << 14)
#endif

#ifndef UFFDIO_MOVE
struct uffdio_move {
	__u64 dst, src, len, mode;
	__s64 move;
};

#define UFFDIO_MOVE		_IOWR(UFFDIO, 0x05, struct uffdio_move)
#define UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES	2
#define UFFD_FEATURE_MOVE	(1 << 16)
#endif

#endif /* PTWALK_TEST_USERFAULTFD_H */
