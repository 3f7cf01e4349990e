// SPDX-License-Identifier: GPL-2.0
/* libptwalk's errors as a command has them: a line on stderr, an exit status. */
#include <errno.h>
#include "base/exit_status.h"
#include "base/print.h"
#include "module/client.h"

int client_fail(const struct ptwalk *client)
{
	return fail(EXIT_UNCHECKED, "%s", ptwalk_strerror(client));
}

int client_status(const struct ptwalk *client, int err)
{
	switch (err) {
	case -ESRCH:
		return CLIENT_GONE;
	case -EBUSY:
		return CLIENT_BUSY;
	}
	return client_fail(client);
}

int client_open(struct ptwalk **client)
{
	struct ptwalk *p = ptwalk_open();
	int status = 0;

	if (!p)
		status = no_memory();
	else if (ptwalk_error(p))
		status = client_fail(p);
	if (status) {
		ptwalk_close(p);
		p = NULL;
	}
	*client = p;
	return status;
}

bool client_family_present(void)
{
	struct ptwalk *p = ptwalk_open();
	bool present;

	if (!p)
		return false;
	switch (ptwalk_error(p)) {
	case -ENOENT:
	case -EAFNOSUPPORT:
	case -EIO:
	case -ENOMEM:
		present = false;
		break;
	default:
		present = true;
	}
	ptwalk_close(p);
	return present;
}
