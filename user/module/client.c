// SPDX-License-Identifier: GPL-2.0
/* libptwalk's errors, with the messages that the command has for them. */
#include <errno.h>
#include "base/error.h"
#include "module/client.h"

int client_gone(pid_t pid)
{
	return error_set(-ESRCH, "process %d: " CLIENT_WENT_AWAY, (int)pid);
}

int client_busy(pid_t pid)
{
	return error_set(-EBUSY,
			 "process %d: busy: it holds its mmap lock, in mmap() or the like: try again later",
			 (int)pid);
}

int client_error(const struct ptwalk *client, pid_t pid, int err)
{
	if (pid && err == -ESRCH)
		return client_gone(pid);
	if (pid && err == -EBUSY)
		return client_busy(pid);
	return error_set(err, "%s", ptwalk_strerror(client));
}

int client_open(struct ptwalk **client)
{
	struct ptwalk *p = ptwalk_open();
	int err;

	*client = NULL;
	if (!p)
		return error_no_memory();
	err = ptwalk_error(p);
	if (err) {
		client_error(p, 0, err);
		ptwalk_close(p);
		return err;
	}
	*client = p;
	return 0;
}

bool client_absent(int err)
{
	switch (err) {
	case -ENOENT:
	case -EAFNOSUPPORT:
	case -EIO:
	case -ENOMEM:
	case -ENOSPC:
	case -EAGAIN:
		return true;
	}
	return false;
}
