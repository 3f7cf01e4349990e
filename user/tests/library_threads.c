// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads, each with a handle of its own and with two walks at once, as
 * another program would use libptwalk; then modules that are unloaded or of another
 * version, and a kernel without memory. What would be received from it is made here.
 * Prints what is wrong.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <ptwalk.h>

#define MESSAGES	200	/* of a walk, each with one page */
#define FAMILY		0x20
#define SOCKETS		64	/* of all threads */
#define NO_BUFFER	300	/* a process for which the kernel finds no memory */

/**
 * struct nl_sock - in the place of libnl's
 * @fd: Its place in sockets[].
 * @family: Of the request.
 * @seq: Likewise.
 * @cmd: Which one.
 * @pid: The process that it is about; its frames begin at PID << 16.
 * @sent: Messages that have come since.
 * @running: A dump for which there was no memory goes on.
 */
struct nl_sock {
	int fd;
	uint16_t family;
	uint32_t seq;
	uint8_t cmd;
	uint32_t pid;
	unsigned int sent;
	bool running;
};

/* The library opens them in threads of their own. */
static struct nl_sock *sockets[SOCKETS];
static unsigned int opened;

/* The family for devices; 0: there is none. */
static uint16_t devices;
/* That for processes is an older one, which has devices, too. */
static bool older;
static uint32_t devices_version = PTWALK_DEVICE_FAMILY_VERSION;
static bool devices_have_frames = true;

static struct nl_sock *socket_of(int fd)
{
	return __atomic_load_n(&sockets[fd], __ATOMIC_ACQUIRE);
}

struct nl_sock *nl_socket_alloc(void)
{
	struct nl_sock *sock = calloc(1, sizeof(*sock)), *none;

	__atomic_add_fetch(&opened, 1, __ATOMIC_RELAXED);
	for (sock->fd = 0; sock->fd < SOCKETS; sock->fd++) {
		none = NULL;
		if (__atomic_compare_exchange_n(&sockets[sock->fd], &none, sock, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return sock;
	}
	free(sock);
	return NULL;
}

void nl_socket_free(struct nl_sock *sock)
{
	if (sock)
		__atomic_store_n(&sockets[sock->fd], NULL, __ATOMIC_RELEASE);
	free(sock);
}

void nl_socket_disable_auto_ack(struct nl_sock *sock)
{
}

int nl_socket_set_buffer_size(struct nl_sock *sock, int rx, int tx)
{
	return 0;
}

int nl_socket_get_fd(const struct nl_sock *sock)
{
	return sock->fd;
}

int genl_connect(struct nl_sock *sock)
{
	return 0;
}

void nl_complete_msg(struct nl_sock *sock, struct nl_msg *msg)
{
	static _Thread_local uint32_t seq;

	nlmsg_hdr(msg)->nlmsg_seq = ++seq;
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)buf;
	struct nl_sock *sock = socket_of(fd);
	struct nlattr *pid;

	sock->family = hdr->nlmsg_type;
	sock->seq = hdr->nlmsg_seq;
	sock->cmd = genlmsg_hdr(hdr)->cmd;
	pid = nlmsg_find_attr(hdr, GENL_HDRLEN, PTWALK_A_WALK_PID);
	sock->pid = pid && sock->cmd == PTWALK_CMD_WALK ? nla_get_u32(pid) : 0;
	sock->sent = 0;
	return len;
}

static void put_family(struct nl_msg *msg, bool of_devices)
{
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME,
		       of_devices ? PTWALK_DEVICE_FAMILY_NAME : PTWALK_FAMILY_NAME);
	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, of_devices ? devices : FAMILY);
	nla_put_u32(msg, CTRL_ATTR_VERSION, of_devices ? devices_version : PTWALK_FAMILY_VERSION);
}

static void put_info(struct nl_msg *msg)
{
	struct nlattr *nest;

	nla_put_u32(msg, PTWALK_A_INFO_FEATURES, older ? PTWALK_FEATURE_FRAMES : 0);
	nla_put_u32(msg, PTWALK_A_INFO_PAGE_SHIFT, 12);
	nest = nla_nest_start(msg, PTWALK_A_INFO_LEVEL);
	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_LEVEL, PTWALK_LEVEL_PTE);
	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_SHIFT, 12);
	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_ENTRIES, 512);
	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_ENTRY_SIZE, 8);
	nla_nest_end(msg, nest);
}

/* Page number @nr of the process. */
static void put_page(struct nl_msg *msg, uint64_t pid, unsigned int nr)
{
	const uint64_t run[] = {
		ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, 0, 0), 1,
		pid << 16 | nr,
	};
	struct nlattr *nest;

	nla_put_u32(msg, PTWALK_A_WALK_LEVELS, 1);
	nla_put_u32(msg, PTWALK_A_WALK_RUN_BYTES, 16);
	nla_put(msg, PTWALK_A_WALK_RUNS, sizeof(run), run);
	nla_put_u64(msg, PTWALK_A_WALK_START, (uint64_t)nr << 12);
	nest = nla_nest_start(msg, PTWALK_A_WALK_VMA);
	nla_put_u64(msg, PTWALK_A_VMA_START, 0);
	nla_put_u64(msg, PTWALK_A_VMA_LAST, (MESSAGES << 12) - 1);
	nla_put_u64(msg, PTWALK_A_VMA_FLAGS, 0);
	nla_put_u32(msg, PTWALK_A_VMA_PAGE_SHIFT, 12);
	nla_nest_end(msg, nest);
}

static void put_error(struct nl_sock *sock, struct nl_msg *msg, int err)
{
	const struct nlmsgerr error = { .error = err };

	nlmsg_put(msg, 0, sock->seq, NLMSG_ERROR, 0, 0);
	nlmsg_append(msg, (void *)&error, sizeof(error), NLMSG_ALIGNTO);
}

static void put_answer(struct nl_sock *sock, struct nl_msg *msg)
{
	const bool family = sock->family == GENL_ID_CTRL;
	const bool walk = !family && sock->cmd == PTWALK_CMD_WALK;
	const unsigned int most = walk ? MESSAGES : family && devices ? 2 : 1;
	const int zero = 0;

	if (!family && sock->cmd == PTWALK_CMD_TRANSLATE) {
		put_error(sock, msg, -ENOENT);
	} else if (!family && sock->cmd == PTWALK_CMD_DEVICE) {
		put_error(sock, msg, sock->family == FAMILY && !older ? -EOPNOTSUPP :
			  sock->family == FAMILY || sock->family == devices ? -ENODEV : -ENOENT);
	} else if (!family && sock->cmd == PTWALK_CMD_FRAMES) {
		put_error(sock, msg, sock->family == FAMILY ? older ? -EINVAL : -EOPNOTSUPP :
			  devices_have_frames ? -ERANGE : -EOPNOTSUPP);
	} else if (sock->running) {
		put_error(sock, msg, -EBUSY);
	} else if (walk && sock->pid == NO_BUFFER) {
		/* netlink_dump() after ->start() and before the first buffer */
		put_error(sock, msg, -ENOBUFS);
		sock->running = true;
	} else if (sock->sent++ == most) {
		nlmsg_put(msg, 0, sock->seq, NLMSG_DONE, 0, 0);
		nlmsg_append(msg, (void *)&zero, sizeof(zero), NLMSG_ALIGNTO);
	} else {
		genlmsg_put(msg, 0, sock->seq, sock->family, 0,
			    walk || family ? NLM_F_MULTI : 0, sock->cmd, 1);
		if (family)
			put_family(msg, sock->sent == 2);
		else if (walk)
			put_page(msg, sock->pid, sock->sent - 1);
		else
			put_info(msg);
	}
}

ssize_t recvfrom(int fd, void *buf, size_t size, int flags, struct sockaddr *peer,
		 socklen_t *peer_size)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	ssize_t len;

	put_answer(socket_of(fd), msg);
	len = hdr->nlmsg_len;
	memcpy(buf, hdr, len);
	nlmsg_free(msg);
	return len;
}

/* Both walks get their own pages, whose numbers are @wanted and ascend. */
static bool walks_right(struct ptwalk_walk *walk, uint64_t wanted, bool *ended)
{
	const struct ptwalk_vma *vma;
	struct ptwalk_extent extent;
	int ret = ptwalk_walk_next(walk, &extent, &vma);

	*ended = !ret;
	return !ret || (ret > 0 && extent.value == wanted &&
			extent.addr == (wanted & 0xffff) << 12 &&
			vma->last == (MESSAGES << 12) - 1);
}

/* Who may make no network namespace asks in their own, where nobody is to listen. */
static struct ptwalk *open_made_up(void)
{
	return ptwalk_open_flags(geteuid() ? PTWALK_OPEN_HERE : 0);
}

static void *walk_twice(void *arg)
{
	pid_t pid = *(pid_t *)arg;
	const char *wrong = NULL;
	bool ended[2] = { false };

	for (int round = 0; !wrong && round < 20; round++) {
		struct ptwalk_walk *walks[2] = { NULL };
		struct ptwalk *p = open_made_up();
		unsigned int n = 0;

		if (!p || ptwalk_error(p))
			wrong = p ? ptwalk_strerror(p) : "no handle";
		for (int i = 0; !wrong && i < 2; i++)
			if (ptwalk_walk_start(p, pid + i, 0, UINT64_MAX, &walks[i]))
				wrong = ptwalk_strerror(p);
		do {
			for (int i = 0; !wrong && i < 2; i++)
				if (!walks_right(walks[i], (uint64_t)(pid + i) << 16 | n,
						 &ended[i]))
					wrong = "pages of another walk";
			n++;
		} while (!wrong && !ended[0]);
		if (!wrong && (!ended[1] || n != MESSAGES + 1))
			wrong = "pages are missing";
		if (wrong)
			fprintf(stderr, "process %d: %s\n", (int)pid, wrong);
		ptwalk_walk_end(walks[0]);
		ptwalk_walk_end(walks[1]);
		ptwalk_close(p);
	}
	return (void *)wrong;
}

/* Generic netlink has no family of that number, and says no more than that. */
static bool says_unloaded(void)
{
	struct ptwalk *p = open_made_up();
	struct ptwalk_entry entry;
	bool said;

	said = ptwalk_translate(p, 1, 0, &entry) == -ENOENT &&
	       strstr(ptwalk_strerror(p), "module is not loaded");
	if (!said)
		fprintf(stderr, "unloaded: %s\n", ptwalk_strerror(p));
	ptwalk_close(p);
	return said;
}

static bool says_of_devices(struct ptwalk *p, int err, const char *text)
{
	struct ptwalk_device device;
	int got = ptwalk_device(p, "pci/x", NULL, 0, &device);

	if (got == err && strstr(ptwalk_strerror(p), text))
		return true;
	fprintf(stderr, "devices: %d (%s), not %d (%s)\n", got, ptwalk_strerror(p), err, text);
	return false;
}

/* On one handle, and on the socket that it has, while the module comes and goes. */
static bool finds_devices(void)
{
	struct ptwalk *p = open_made_up();
	const unsigned int before = opened;
	bool right = says_of_devices(p, -ENOENT, "ptwalk_device is not loaded");

	devices = FAMILY + 1;
	devices_version++;
	right &= says_of_devices(p, -EPROTONOSUPPORT, "ptwalk_device speaks protocol version");
	devices_version--;
	right &= says_of_devices(p, -ENODEV, "no such device");
	devices++;
	right &= says_of_devices(p, -ENOENT, "loaded again");
	right &= says_of_devices(p, -ENODEV, "no such device");
	devices = 0;
	right &= says_of_devices(p, -ENOENT, "was removed");
	right &= says_of_devices(p, -ENOENT, "ptwalk_device is not loaded");
	older = true;
	right &= says_of_devices(p, -ENODEV, "no such device");
	older = false;
	if (opened != before)
		fprintf(stderr, "devices: %u sockets more\n", opened - before);
	ptwalk_close(p);
	return right && opened == before;
}

static bool says_of_frames(struct ptwalk *p, int err, const char *text)
{
	const uint64_t pfn = 1;
	struct ptwalk_page page;
	int got = ptwalk_frames(p, &pfn, 1, &page);

	if (got == err && strstr(ptwalk_strerror(p), text))
		return true;
	fprintf(stderr, "frames: %d (%s), not %d (%s)\n", got, ptwalk_strerror(p), err, text);
	return false;
}

/* Of the module for devices, or of an older one for processes. */
static bool finds_frames(void)
{
	struct ptwalk *p = open_made_up();
	bool right = says_of_frames(p, -ENOENT, "ptwalk_device is not loaded");

	devices = FAMILY + 1;
	right &= says_of_frames(p, -ERANGE, "refused frames");
	devices_have_frames = false;
	right &= says_of_frames(p, -EOPNOTSUPP, "ptwalk_device is older");
	devices_have_frames = true;
	ptwalk_close(p);
	older = true;
	p = open_made_up();
	right &= says_of_frames(p, -EINVAL, "refused frames");
	ptwalk_close(p);
	older = false;
	devices = 0;
	return right;
}

/* 1 if a walk of @pid has a page, or what ptwalk_walk_next() says instead. */
static int first_page(struct ptwalk *p, pid_t pid)
{
	const struct ptwalk_vma *vma;
	struct ptwalk_extent extent;
	struct ptwalk_walk *walk;
	int ret = ptwalk_walk_start(p, pid, 0, UINT64_MAX, &walk);

	if (ret)
		return ret;
	ret = ptwalk_walk_next(walk, &extent, &vma);
	ptwalk_walk_end(walk);
	return ret;
}

/* A socket on which a dump may be running isn't used again. */
static bool leaves_dumps(void)
{
	struct ptwalk *p = open_made_up();
	int failed = first_page(p, NO_BUFFER), next = first_page(p, 1);

	if (failed != -ENOBUFS || next != 1)
		fprintf(stderr, "without a buffer: %d, then %d (%s)\n", failed, next,
			ptwalk_strerror(p));
	ptwalk_close(p);
	return failed == -ENOBUFS && next == 1;
}

int main(void)
{
	pid_t pid[2] = { 100, 200 };
	pthread_t thread[2];
	void *wrong[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, walk_twice, &pid[i]))
			return 2;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], &wrong[i]);
	return wrong[0] || wrong[1] || !says_unloaded() || !finds_devices() ||
	       !finds_frames() || !leaves_dumps();
}
