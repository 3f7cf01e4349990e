// SPDX-License-Identifier: GPL-2.0
/*
 * The module's netlink family, spoken through libnl-genl-3.
 *
 * libnl's error numbers (NLE_*) and the kernel's (errno) are different sets:
 * what a libnl function returns goes through nl_geterror(), what a message of
 * the kernel holds through strerror().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <netlink/genl/genl.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include "base/exit_status.h"
#include "base/print.h"
#include "lib/client.h"
#include "lib/extack.h"
#include "lib/request.h"
#include "lib/timer.h"
#include "lib/wire.h"

/* The kernel fills messages of up to 32 KiB for a reader who has the room. */
#define MESSAGE_ROOM	(64 * 1024)
#define SOCKET_ROOM	(1024 * 1024)

#define SAME_RELEASE \
	"install module and command from one release, then " \
	"`modprobe -r ptwalk; modprobe ptwalk`"

/**
 * struct client - a connection to the family
 * @sock: The socket.
 * @family: The family's number.
 * @info: What the module said of the kernel.
 */
struct client {
	struct nl_sock *sock;
	int family;
	struct kernel_info info;
};

/*
 * Looks the family up among those that there are: asked for one by its name,
 * the kernel would look for a module that has it. Returns 0 or libnl's error
 * number, negative.
 */
static int find_family(struct client *client)
{
	struct genl_family *family;
	struct nl_cache *families;
	int err;

	err = genl_ctrl_alloc_cache(client->sock, &families);
	if (err < 0)
		return err;
	family = genl_ctrl_search_by_name(families, PTWALK_FAMILY_NAME);
	if (family) {
		client->family = genl_family_get_id(family);
		client->info.version = genl_family_get_version(family);
		genl_family_put(family);
	}
	nl_cache_free(families);
	return family ? 0 : -NLE_OBJ_NOTFOUND;
}

/* Opens a socket; otherwise as find_family(). */
static int connect_family(struct client *client)
{
	int err, fd, on = 1;

	client->sock = nl_socket_alloc();
	if (!client->sock)
		return -NLE_NOMEM;

	/* Peeking would cost a second system call for each message. */
	nl_socket_disable_msg_peek(client->sock);
	err = nl_socket_set_msg_buf_size(client->sock, MESSAGE_ROOM);
	if (!err)
		err = genl_connect(client->sock);
	if (!err)
		err = nl_socket_set_buffer_size(client->sock, SOCKET_ROOM,
						MESSAGE_ROOM);
	if (err)
		goto free_sock;

	/* Comforts, without which it goes as well. */
	fd = nl_socket_get_fd(client->sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));

	err = find_family(client);
	if (!err)
		return 0;

free_sock:
	nl_socket_free(client->sock);
	client->sock = NULL;
	return err;
}

static int connect_or_tell(struct client *client)
{
	int err = connect_family(client);

	if (!err)
		return 0;
	if (err == -NLE_OBJ_NOTFOUND)
		return fail(EXIT_UNCHECKED,
			    "the module is not loaded: try `modprobe ptwalk`");
	return fail(EXIT_UNCHECKED, "cannot reach generic netlink: %s",
		    nl_geterror(-err));
}

bool client_family_present(void)
{
	struct client *client = client_open_quietly();

	client_close(client);
	return client;
}

int request_no_memory(void)
{
	return fail(EXIT_UNCHECKED, "out of memory");
}

struct nl_msg *request_new(struct client *client, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, client->family,
			       0, flags, cmd, PTWALK_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	request_no_memory();
	return NULL;
}

static const char *operation(const struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = nlmsg_data(request);

	switch (genl->cmd) {
	case PTWALK_CMD_INFO:
		return "info";
	case PTWALK_CMD_TRANSLATE:
		return "translate";
	case PTWALK_CMD_WALK:
		return "walk";
	case PTWALK_CMD_DEVICE:
		return "device";
	case PTWALK_CMD_IOVA:
		return "iova";
	}
	return "request";
}

static int nonsense(const struct nlmsghdr *request)
{
	return fail(EXIT_UNCHECKED,
		    "the module's reply to %s makes no sense: " SAME_RELEASE,
		    operation(request));
}

/* The device that @request was about. */
static const char *device_of(struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = nlmsg_data(request);
	struct nlattr *name;

	name = nlmsg_find_attr(request, GENL_HDRLEN,
			       genl->cmd == PTWALK_CMD_IOVA ?
			       PTWALK_A_IOVA_NAME : PTWALK_A_DEVICE_NAME);
	return name ? nla_get_string(name) : "?";
}

/* Whether @request is about a process. */
static bool has_process(const struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = nlmsg_data(request);

	return genl->cmd == PTWALK_CMD_TRANSLATE || genl->cmd == PTWALK_CMD_WALK;
}

/* What an error means that the caller has to tell of; 0 for other errors. */
static int conclude_quietly(const struct nlmsghdr *request, int error)
{
	switch (error) {
	case ESRCH:
		return CLIENT_GONE;
	case EBUSY:
	case EINTR:
		return has_process(request) ? CLIENT_BUSY : 0;
	}
	return 0;
}

/* The kernel ended @request: what that means for the caller. */
static int conclude(const struct nlmsghdr *reply, struct nlmsghdr *request,
		    bool quiet)
{
	struct extack ack;
	int status;

	if (extack_parse(reply, request, &ack))
		return quiet ? REQUEST_NONSENSE : nonsense(request);
	status = conclude_quietly(request, ack.error);
	if (status || quiet)
		return status;

	switch (ack.error) {
	case 0:
		return 0;
	case EACCES:
		return fail(EXIT_UNCHECKED, "no permission: %s",
			    ack.message[0] ? ack.message : strerror(EACCES));
	case EPERM:
		return fail(EXIT_UNCHECKED,
			    "no permission: %s: run it as root, outside of containers",
			    ack.message[0] ? ack.message :
			    "CAP_SYS_ADMIN in the initial user namespace is needed");
	case ENODEV:
		return fail(EXIT_UNCHECKED, "device '%s': %s",
			    device_of(request),
			    ack.message[0] ? ack.message : "no such device");
	}

	return fail(EXIT_UNCHECKED, "the module refused %s: %s%s%s%s%s",
		    operation(request),
		    ack.message[0] ? ack.message : strerror(ack.error),
		    ack.attribute[0] ? " (" : "",
		    ack.missing ? "missing attribute " :
		    ack.attribute[0] ? "attribute " : "",
		    ack.attribute, ack.attribute[0] ? ")" : "");
}

/**
 * struct exchange - a request under way
 * @request: As sent.
 * @reply: Takes the messages of the answer.
 * @arg: For @reply.
 * @quiet: Not a word of an error.
 * @ended: The kernel has ended it; nothing more will come.
 */
struct exchange {
	struct nlmsghdr *request;
	int (*reply)(struct nlmsghdr *msg, void *arg);
	void *arg;
	bool quiet;
	bool ended;
};

static int take_message(struct nlmsghdr *msg, struct exchange *ex)
{
	if (msg->nlmsg_seq != ex->request->nlmsg_seq)
		return 0;
	if (msg->nlmsg_flags & NLM_F_DUMP_INTR)
		return REQUEST_AGAIN;

	switch (msg->nlmsg_type) {
	case NLMSG_NOOP:
		return 0;
	case NLMSG_ERROR:
	case NLMSG_DONE:
		ex->ended = true;
		return conclude(msg, ex->request, ex->quiet);
	case NLMSG_OVERRUN:
		return fail(EXIT_UNCHECKED,
			    "messages of the module were lost: try again");
	}
	return ex->reply ? ex->reply(msg, ex->arg) : 0;
}

/* Only a later buffer of a walk queues for a lock; all else only tries them. */
static bool may_wait(const struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = nlmsg_data(request);

	return genl->cmd == PTWALK_CMD_WALK;
}

/* Receives once and takes all the messages that came. */
static int receive(struct client *client, struct exchange *ex)
{
	struct sockaddr_nl peer;
	unsigned char *buf = NULL;
	struct nlmsghdr *msg;
	bool waits = may_wait(ex->request);
	int status = 0;
	int n;

	if (waits)
		timer_begin();
	n = nl_recv(client->sock, &peer, &buf, NULL);
	if (waits)
		timer_end();
	if (n <= 0)
		return fail(EXIT_UNCHECKED, "no answer from the module: %s",
			    n ? nl_geterror(-n) : "the socket was closed");

	/* Only the kernel itself has port 0. */
	if (peer.nl_pid == 0)
		for (msg = (struct nlmsghdr *)buf;
		     !status && !ex->ended && nlmsg_ok(msg, n);
		     msg = nlmsg_next(msg, &n))
			status = take_message(msg, ex);
	free(buf);
	return status;
}

/* Drops whatever the module still has to say, by a new socket. */
static int start_afresh(struct client *client)
{
	nl_socket_free(client->sock);
	client->sock = NULL;
	return connect_or_tell(client);
}

static int run_exchange(struct client *client, struct nl_msg *msg,
			struct exchange *ex)
{
	int status = 0;
	int err;

	/* A try at a new socket failed earlier, and that was said then. */
	if (!client->sock) {
		nlmsg_free(msg);
		return EXIT_UNCHECKED;
	}

	err = nl_send_auto(client->sock, msg);
	if (err < 0)
		status = fail(EXIT_UNCHECKED, "cannot send to the module: %s",
			      nl_geterror(-err));
	while (!status && !ex->ended)
		status = receive(client, ex);

	if (status == REQUEST_NONSENSE && !ex->quiet)
		status = nonsense(ex->request);
	nlmsg_free(msg);
	if (!ex->ended && start_afresh(client) && status == REQUEST_AGAIN)
		status = EXIT_UNCHECKED;
	return status;
}

int request_run(struct client *client, struct nl_msg *msg,
		int (*reply)(struct nlmsghdr *msg, void *arg), void *arg)
{
	struct exchange ex = {
		.request = nlmsg_hdr(msg),
		.reply = reply,
		.arg = arg,
	};

	return run_exchange(client, msg, &ex);
}

int request_try(struct client *client, struct nl_msg *msg)
{
	struct exchange ex = {
		.request = nlmsg_hdr(msg),
		.quiet = true,
	};

	return run_exchange(client, msg, &ex);
}

static int take_info(struct nlmsghdr *msg, void *arg)
{
	return wire_info(msg, arg) ? REQUEST_NONSENSE : 0;
}

static int ask_info(struct client *client)
{
	struct kernel_info *info = &client->info;
	struct utsname uts;
	struct nl_msg *msg;
	int status;

	if (info->version != PTWALK_FAMILY_VERSION)
		return fail(EXIT_UNCHECKED,
			    "the module speaks protocol version %u, this command %u: " SAME_RELEASE,
			    info->version, PTWALK_FAMILY_VERSION);

	msg = request_new(client, PTWALK_CMD_INFO, 0);
	if (!msg)
		return EXIT_UNCHECKED;
	status = request_run(client, msg, take_info, info);
	if (status)
		return status < 0 ? EXIT_UNCHECKED : status;

	if (!uname(&uts)) {
		snprintf(info->release, sizeof(info->release), "%s",
			 uts.release);
		snprintf(info->machine, sizeof(info->machine), "%s",
			 uts.machine);
		sscanf(info->release, "%u.%u", &info->major, &info->minor);
	}
	return 0;
}

struct client *client_open_quietly(void)
{
	struct client *client = calloc(1, sizeof(*client));

	if (client && !connect_family(client))
		return client;
	free(client);
	return NULL;
}

int client_open(struct client **out)
{
	struct client *client = calloc(1, sizeof(*client));
	int status;

	*out = NULL;
	if (!client)
		return request_no_memory();

	status = connect_or_tell(client);
	if (!status)
		status = ask_info(client);
	if (status) {
		client_close(client);
		return status;
	}
	*out = client;
	return 0;
}

void client_close(struct client *client)
{
	if (!client)
		return;
	nl_socket_free(client->sock);
	free(client);
}

const struct kernel_info *client_info(const struct client *client)
{
	return &client->info;
}
