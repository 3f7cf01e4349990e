// SPDX-License-Identifier: GPL-2.0
/*
 * The handle: the modules' netlink families, spoken through libnl-genl-3.
 *
 * libnl's error numbers (NLE_*) and the kernel's (errno) are different sets:
 * what a libnl function returns goes through nl_geterror(), what a message of
 * the kernel holds through strerror().
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <netlink/genl/genl.h>
#include "lib/exchange.h"
#include "lib/extack.h"
#include "lib/netns.h"
#include "lib/protocol_names.h"
#include "lib/wire.h"

/* The kernel fills messages of up to 32 KiB for a reader who has the room. */
#define MESSAGE_ROOM	(64 * 1024)
#define SOCKET_ROOM	(1024 * 1024)

#define SAME_RELEASE \
	"install modules and command from one release, then " \
	"`modprobe -r ptwalk ptwalk_device; modprobe ptwalk`"

#define NO_NAMESPACE \
	"cannot make a network namespace, in which nobody else sees the answers"

/* The longest request has PTWALK_MAX_ADDRESSES. */
#define REQUEST_ROOM	2048

/**
 * struct ptwalk - a connection to the family
 * @idle: A socket that no exchange uses, or NULL; and with it
 * @buf: room for a message.
 * @flags: Mask of PTWALK_OPEN_*.
 * @ns: The network namespace of its sockets, or NETNS_NONE.
 * @apart: One was opened in a namespace of its own.
 * @here: Why they are in the caller's against its wish, as a negative errno, or 0.
 * @family: The number of the family that is asked.
 * @devices: That of the one for devices, or 0: it wasn't asked for yet.
 * @kernel: What the module said of the kernel.
 * @interrupted: A message had NLM_F_DUMP_INTR.
 * @unusable: Why the handle can't be used, as a negative errno, or 0.
 * @error: Of the last call that failed.
 * @message: Of that.
 */
struct ptwalk {
	struct nl_sock *idle;
	unsigned char *buf;
	uint32_t flags;
	int ns;
	bool apart;
	int here;
	int family;
	int devices;
	struct ptwalk_kernel kernel;
	bool interrupted;
	int unusable;
	int error;
	char message[512];
};

int handle_fail(struct ptwalk *p, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->message, sizeof(p->message), format, args);
	va_end(args);
	p->error = err;
	return err;
}

int handle_no_memory(struct ptwalk *p)
{
	return handle_fail(p, -ENOMEM, "out of memory");
}

/* What libnl says, as a negative errno: it keeps the kernel's to itself. */
static int nl_errno(int err)
{
	switch (-err) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_AF_NOSUPPORT:
		return -EAFNOSUPPORT;
	}
	return -EIO;
}

/**
 * struct opened - a socket of generic netlink
 * @sock: It, or NULL.
 * @err: 0, or libnl's error number, negative.
 */
struct opened {
	struct nl_sock *sock;
	int err;
};

static void open_socket(void *arg)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct opened *opened = arg;
	int err, fd, on = 1;

	opened->err = -NLE_NOMEM;
	if (!sock)
		return;

	/* What is asked is answered, or refused: that it was done says nothing. */
	nl_socket_disable_auto_ack(sock);
	err = genl_connect(sock);
	if (!err)
		err = nl_socket_set_buffer_size(sock, SOCKET_ROOM,
						MESSAGE_ROOM);
	opened->err = err;
	if (err) {
		nl_socket_free(sock);
		return;
	}

	/* Comforts, without which it goes as well. */
	fd = nl_socket_get_fd(sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	opened->sock = sock;
}

static int fail_no_namespace(struct ptwalk *p, int err)
{
	return handle_fail(p, err, NO_NAMESPACE ": %s%s", strerror(-err),
			   err == -EPERM || err == -ENOSYS ?
			   " (a filter of system calls, such as RestrictNamespaces= of systemd?)" :
			   "");
}

/* Whether unshare() failed with @err because there is but one namespace for all. */
static bool one_for_all(int err)
{
	return err == -EINVAL && access("/proc/self/ns/net", F_OK) &&
	       !access("/proc/self/ns", F_OK);
}

/*
 * Where others can't see what comes. Whoever may not make a namespace may not ask,
 * either: that this is so, ptwalk_open_flags() lets the module say, of which no answer
 * but that is waited for in the caller's namespace.
 */
static int open_apart(struct ptwalk *p, struct opened *opened)
{
	int err = 0;

	if (!p->here && !(p->flags & PTWALK_OPEN_HERE)) {
		err = netns_call(&p->ns, open_socket, opened);
		if (!err) {
			p->apart = true;
			return 0;
		}
		if (p->apart || (err != -EPERM && err != -ENOSYS && !one_for_all(err)))
			return fail_no_namespace(p, err);
		p->here = err;
	}
	open_socket(opened);
	return 0;
}

/* For @ex the idle socket, which is taken, or a new one. */
static int take_socket(struct ptwalk *p, struct exchange *ex)
{
	struct opened opened = { NULL };
	int err;

	if (p->idle) {
		ex->sock = p->idle;
		ex->buf = p->buf;
		p->idle = NULL;
		p->buf = NULL;
		return 0;
	}
	ex->buf = malloc(MESSAGE_ROOM);
	if (!ex->buf)
		return handle_no_memory(p);
	err = open_apart(p, &opened);
	if (err)
		return err;
	ex->sock = opened.sock;
	return ex->sock ? 0 : handle_fail(p, nl_errno(opened.err),
					  "cannot reach generic netlink: %s",
					  nl_geterror(-opened.err));
}

static void drop_idle(struct ptwalk *p)
{
	nl_socket_free(p->idle);
	free(p->buf);
	p->idle = NULL;
	p->buf = NULL;
}

/* Gives back that of @ex, which has nothing more to say. */
static void give_socket(struct ptwalk *p, struct exchange *ex)
{
	drop_idle(p);
	p->idle = ex->sock;
	p->buf = ex->buf;
}

static int fail_not_loaded(struct ptwalk *p)
{
	return handle_fail(p, -ENOENT,
			   "the module is not loaded: try `modprobe ptwalk`");
}

static int fail_devices_older(struct ptwalk *p)
{
	return handle_fail(p, -EOPNOTSUPP,
			   "the module ptwalk_device is older than this program: load the one that belongs to it");
}

/* It may be loaded meanwhile, and is looked for again. */
static int fail_no_devices(struct ptwalk *p)
{
	p->devices = 0;
	return handle_fail(p, -ENOENT,
			   "the module ptwalk_device is not loaded: `modprobe ptwalk_device` if it is installed, or `insmod build/local/kmod/ptwalk_device.ko` where `make` built it; if the kernel refused it, dmesg says why");
}

/* Each time that it is loaded, its family has another number. */
static int fail_devices_gone(struct ptwalk *p)
{
	p->devices = 0;
	return handle_fail(p, -ENOENT,
			   "the module ptwalk_device was removed or loaded again: try again");
}

static struct nl_msg *message_to(struct ptwalk *p, int family, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(REQUEST_ROOM);

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
			       flags, cmd, PTWALK_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	handle_no_memory(p);
	return NULL;
}

static uint8_t genl_command(const struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = nlmsg_data(request);

	return genl->cmd;
}

/* The numbers of all operations are different. */
static bool is_of_devices(uint8_t cmd)
{
	return cmd >= PTWALK_CMD_DEVICE && cmd <= PTWALK_DEVICE_CMD_MAX;
}

static const char *operation(const struct nlmsghdr *request)
{
	const uint8_t cmd = genl_command(request);
	const char *name = cmd <= PTWALK_DEVICE_CMD_MAX ? request_names[cmd].name : NULL;

	return name ? name : "request";
}

/* The device that @request was about. */
static const char *device_of(struct nlmsghdr *request)
{
	struct nlattr *name;

	name = nlmsg_find_attr(request, GENL_HDRLEN,
			       genl_command(request) == PTWALK_CMD_IOVA ?
			       PTWALK_A_IOVA_NAME : PTWALK_A_DEVICE_NAME);
	return name ? nla_get_string(name) : "?";
}

/* Whether @request is about a process. */
static bool has_process(const struct nlmsghdr *request)
{
	const uint8_t cmd = genl_command(request);

	return cmd == PTWALK_CMD_TRANSLATE || cmd == PTWALK_CMD_WALK ||
	       cmd == PTWALK_CMD_POLICIES;
}

int exchange_nonsense(struct exchange *ex)
{
	return handle_fail(ex->p, -EBADMSG,
			   "the module's reply to %s makes no sense: " SAME_RELEASE,
			   operation(nlmsg_hdr(ex->request)));
}

/* The kernel refused @request. */
static int fail_refused(struct ptwalk *p, struct nlmsghdr *request,
			const struct extack *ack)
{
	const char *message = ack->message;

	switch (ack->error) {
	case EOPNOTSUPP:
		if (message[0] || !is_of_devices(genl_command(request)))
			break;
		/* Nor had an older ptwalk.ko this operation. */
		return request->nlmsg_type == p->family ? fail_no_devices(p) :
							     fail_devices_older(p);
	case ENOENT:
		/* Generic netlink itself, without a word: the family has gone. */
		if (message[0])
			break;
		return is_of_devices(genl_command(request)) && request->nlmsg_type != p->family ?
		       fail_devices_gone(p) : fail_not_loaded(p);
	case ESRCH:
		return handle_fail(p, -ESRCH, "%s", message[0] ? message :
				   "no such process");
	case EBUSY:
	case EINTR:
		if (!has_process(request))
			break;
		return handle_fail(p, -EBUSY, "%s", message[0] ? message :
				   "the process holds its mmap lock");
	case EACCES:
		return handle_fail(p, -EACCES, "no permission: %s",
				   message[0] ? message : strerror(EACCES));
	case EPERM:
		return handle_fail(p, -EPERM,
				   "no permission: %s: run it as root, outside of containers",
				   message[0] ? message :
				   "CAP_SYS_ADMIN in the initial user namespace is needed");
	case ENODEV:
		return handle_fail(p, -ENODEV, "device '%s': %s",
				   device_of(request),
				   message[0] ? message : "no such device");
	}

	return handle_fail(p, -ack->error, "the module refused %s: %s%s%s%s%s",
			   operation(request),
			   message[0] ? message : strerror(ack->error),
			   ack->attribute[0] ? " (" : "",
			   ack->missing ? "missing attribute " :
			   ack->attribute[0] ? "attribute " : "",
			   ack->attribute, ack->attribute[0] ? ")" : "");
}

/* The kernel ended the exchange. */
static int conclude_exchange(struct exchange *ex, const struct nlmsghdr *reply)
{
	struct nlmsghdr *request = nlmsg_hdr(ex->request);
	struct extack ack;

	if (extack_parse(reply, request, &ack))
		return exchange_nonsense(ex);
	/*
	 * __netlink_dump_start() says that there was no memory for the first buffer,
	 * too, and leaves the dump running.
	 */
	ex->ended = ack.error != ENOBUFS;
	return ack.error ? fail_refused(ex->p, request, &ack) : 0;
}

int exchange_begin(struct exchange *ex, struct ptwalk *p,
		   struct nl_msg *request)
{
	struct nlmsghdr *header = nlmsg_hdr(request);
	int err;

	*ex = (struct exchange){ .p = p, .request = request };
	err = take_socket(p, ex);
	if (err)
		return err;
	nl_complete_msg(ex->sock, request);
	/* A message without an address is for the kernel. */
	while (send(nl_socket_get_fd(ex->sock), header, header->nlmsg_len, 0) < 0)
		if (errno != EINTR)
			return handle_fail(p, -errno, "cannot send to the module: %s",
					   strerror(errno));
	return 0;
}

void exchange_end(struct exchange *ex)
{
	/* What the module still has to say goes with its socket. */
	if (ex->sock && ex->ended) {
		give_socket(ex->p, ex);
	} else {
		nl_socket_free(ex->sock);
		free(ex->buf);
	}
	nlmsg_free(ex->request);
	memset(ex, 0, sizeof(*ex));
}

/* Receives what is then at @ex->next. */
static int receive(struct exchange *ex)
{
	struct sockaddr_nl peer = { 0 };
	socklen_t len = sizeof(peer);
	ssize_t n;

	do {
		n = recvfrom(nl_socket_get_fd(ex->sock), ex->buf, MESSAGE_ROOM, MSG_TRUNC,
			     (struct sockaddr *)&peer, &len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return handle_fail(ex->p, -errno, "no answer from the module: %s",
				   strerror(errno));
	ex->next = (struct nlmsghdr *)ex->buf;
	ex->left = 0;
	/* Only the kernel itself has port 0. */
	if (peer.nl_pid)
		return 0;
	if (!n || n > MESSAGE_ROOM)
		return handle_fail(ex->p, -EIO, "no answer from the module: %s",
				   n ? "it is too long" : "the socket was closed");
	ex->left = n;
	return 0;
}

int exchange_next(struct exchange *ex, struct nlmsghdr **out)
{
	struct nlmsghdr *msg;
	int err;

	for (;;) {
		while (!ex->next || !nlmsg_ok(ex->next, ex->left)) {
			err = receive(ex);
			if (err)
				return err;
		}
		msg = ex->next;
		ex->next = nlmsg_next(msg, &ex->left);
		if (msg->nlmsg_seq != nlmsg_hdr(ex->request)->nlmsg_seq)
			continue;
		/* Each message is true by itself; to start again might never end. */
		if (msg->nlmsg_flags & NLM_F_DUMP_INTR)
			ex->p->interrupted = true;

		switch (msg->nlmsg_type) {
		case NLMSG_NOOP:
			continue;
		case NLMSG_ERROR:
		case NLMSG_DONE:
			return conclude_exchange(ex, msg);
		case NLMSG_OVERRUN:
			return handle_fail(ex->p, -ENOBUFS,
					   "messages of the module were lost: try again");
		}
		*out = msg;
		return 1;
	}
}

int exchange_run(struct ptwalk *p, struct nl_msg *request,
		 int (*take)(struct nlmsghdr *msg, void *arg), void *arg)
{
	struct nlmsghdr *msg;
	struct exchange ex;
	int err;

	err = exchange_begin(&ex, p, request);
	while (!err) {
		err = exchange_next(&ex, &msg);
		if (err <= 0)
			break;
		err = take(msg, arg) ? exchange_nonsense(&ex) : 0;
		ex.ended = !err && !(msg->nlmsg_flags & NLM_F_MULTI);
		if (ex.ended)
			break;
	}
	exchange_end(&ex);
	return err;
}

/**
 * struct family - a family that is looked for
 * @name: Its name, which is that of its module, too.
 * @id: Its number; 0: there is none.
 * @version: Its version.
 */
struct family {
	const char *name;
	int id;
	uint32_t version;
};

/* Of generic netlink's own family, one of those that there are. */
static int take_family(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *name = nlmsg_find_attr(msg, GENL_HDRLEN, CTRL_ATTR_FAMILY_NAME);
	struct nlattr *id = nlmsg_find_attr(msg, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID);
	struct nlattr *version = nlmsg_find_attr(msg, GENL_HDRLEN, CTRL_ATTR_VERSION);
	struct family *family = arg;

	if (!name || !id || !version || nla_strcmp(name, family->name))
		return 0;
	if (nla_len(id) < (int)sizeof(uint16_t) || nla_len(version) < (int)sizeof(uint32_t))
		return -EBADMSG;
	family->id = nla_get_u16(id);
	family->version = nla_get_u32(version);
	return 0;
}

static bool is_loaded(const char *module)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

static int ask_family(struct ptwalk *p, struct family *family, bool by_name)
{
	struct nl_msg *msg;

	msg = message_to(p, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, by_name ? 0 : NLM_F_DUMP);
	if (!msg)
		return p->error;
	if (by_name && nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, family->name)) {
		nlmsg_free(msg);
		return handle_no_memory(p);
	}
	return exchange_run(p, msg, take_family, family);
}

/*
 * Asks for a family by its name if the module is loaded: asked for one that isn't
 * there, the kernel would look for a module that has it. Otherwise the family is
 * looked up among all that there are, in the caller's namespace: it is most likely
 * not there, and then there is nothing to make one for.
 */
static int look_for(struct ptwalk *p, struct family *family)
{
	const bool by_name = is_loaded(family->name), had_idle = p->idle;
	const uint32_t flags = p->flags;
	int err;

	if (!by_name)
		p->flags |= PTWALK_OPEN_HERE;
	err = ask_family(p, family, by_name);
	if (!by_name && !had_idle)
		drop_idle(p);
	p->flags = flags;
	return err;
}

static int find_family(struct ptwalk *p)
{
	struct family family = { .name = PTWALK_FAMILY_NAME };
	int err = look_for(p, &family);

	p->family = family.id;
	p->kernel.version = family.version;
	return err || family.id ? err : fail_not_loaded(p);
}

/* @module speaks @version, and this is for @wanted. */
static int fail_version(struct ptwalk *p, const char *module, uint32_t version,
			unsigned int wanted)
{
	return handle_fail(p, -EPROTONOSUPPORT,
			   "module %s speaks protocol version %u, this command %u: " SAME_RELEASE,
			   module, version, wanted);
}

/*
 * Without a module for devices, the one for processes is asked: an older one has these
 * operations, too, by the same numbers.
 */
static int find_devices(struct ptwalk *p)
{
	struct family family = { .name = PTWALK_DEVICE_FAMILY_NAME };
	int err = look_for(p, &family);

	if (err && err != -ENOENT)
		return err;
	if (family.id && family.version != PTWALK_DEVICE_FAMILY_VERSION)
		return fail_version(p, family.name, family.version, PTWALK_DEVICE_FAMILY_VERSION);
	p->devices = family.id ? family.id : p->family;
	return 0;
}

struct nl_msg *exchange_message(struct ptwalk *p, uint8_t cmd, int flags)
{
	/* Its error and message are those of ptwalk_open(). */
	if (p->unusable)
		return NULL;
	/* An older module for processes has frames itself. */
	if (!is_of_devices(cmd) ||
	    (cmd == PTWALK_CMD_FRAMES && p->kernel.features & PTWALK_FEATURE_FRAMES))
		return message_to(p, p->family, cmd, flags);
	if (!p->devices && find_devices(p))
		return NULL;
	return message_to(p, p->devices, cmd, flags);
}

static int take_info(struct nlmsghdr *msg, void *arg)
{
	return wire_info(msg, arg);
}

static int ask_info(struct ptwalk *p)
{
	struct ptwalk_kernel *kernel = &p->kernel;
	struct utsname uts;
	struct nl_msg *msg;
	int err;

	if (kernel->version != PTWALK_FAMILY_VERSION)
		return fail_version(p, PTWALK_FAMILY_NAME, kernel->version, PTWALK_FAMILY_VERSION);

	msg = exchange_message(p, PTWALK_CMD_INFO, 0);
	if (!msg)
		return p->error;
	err = exchange_run(p, msg, take_info, kernel);
	if (err)
		return err;

	if (!uname(&uts)) {
		snprintf(kernel->release, sizeof(kernel->release), "%s",
			 uts.release);
		snprintf(kernel->machine, sizeof(kernel->machine), "%s",
			 uts.machine);
		sscanf(kernel->release, "%u.%u", &kernel->major,
		       &kernel->minor);
	}
	return 0;
}

struct ptwalk *ptwalk_open(void)
{
	return ptwalk_open_flags(0);
}

struct ptwalk *ptwalk_open_flags(uint32_t flags)
{
	struct ptwalk *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return NULL;
	p->ns = NETNS_NONE;
	p->flags = flags;
	err = flags & ~PTWALK_OPEN_HERE ?
	      handle_fail(p, -EINVAL, "unknown flags: 0x%" PRIx32, flags) :
	      find_family(p);
	if (!err)
		err = ask_info(p);
	if (!err && p->here && !one_for_all(p->here))
		err = fail_no_namespace(p, p->here);
	p->unusable = err;
	return p;
}

void ptwalk_close(struct ptwalk *p)
{
	if (!p)
		return;
	drop_idle(p);
	if (p->ns != NETNS_NONE)
		close(p->ns);
	free(p);
}

int ptwalk_error(const struct ptwalk *p)
{
	return p->error;
}

const char *ptwalk_strerror(const struct ptwalk *p)
{
	return p->message;
}

const struct ptwalk_kernel *ptwalk_kernel(const struct ptwalk *p)
{
	return &p->kernel;
}

bool ptwalk_interrupted(const struct ptwalk *p)
{
	return p->interrupted;
}
