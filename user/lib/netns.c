// SPDX-License-Identifier: GPL-2.0
/* Calls a function in a network namespace of its own, in a thread that ends then. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include "lib/netns.h"

/* Enough for any page size, and for what libnl has on it. */
#define STACK	(256 * 1024)

/**
 * struct visit - one call
 * @ns: The namespace's file, or NETNS_NONE.
 * @err: What came of entering it.
 */
struct visit {
	int *ns;
	void (*call)(void *arg);
	void *arg;
	int err;
};

/*
 * A file of the namespace that the calling thread is in: by a socket where that may be
 * asked (CAP_NET_ADMIN), as a name in /proc is one more thing to take apart when thread
 * and process end at once, for which each waits for the other until the next tick.
 */
static int open_own(void)
{
	const int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const int ns = sock < 0 ? -1 : ioctl(sock, SIOCGSKNS);

	if (sock >= 0)
		close(sock);
	return ns >= 0 ? ns : open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

static void *visit(void *arg)
{
	struct visit *v = arg;

	if (*v->ns == NETNS_NONE ? unshare(CLONE_NEWNET) : setns(*v->ns, CLONE_NEWNET)) {
		v->err = -errno;
		return NULL;
	}
	if (*v->ns == NETNS_NONE)
		*v->ns = open_own();
	v->call(v->arg);
	return NULL;
}

/* The program's signals aren't for this thread. */
static int start(pthread_t *thread, const pthread_attr_t *attr, struct visit *v)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	err = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (err)
		return err;
	err = pthread_create(thread, attr, visit, v);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int netns_call(int *ns, void (*call)(void *arg), void *arg)
{
	struct visit v = { .ns = ns, .call = call, .arg = arg };
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	err = pthread_attr_init(&attr);
	if (err)
		return -err;
	err = pthread_attr_setstacksize(&attr, STACK);
	if (!err)
		err = start(&thread, &attr, &v);
	pthread_attr_destroy(&attr);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	return v.err;
}
