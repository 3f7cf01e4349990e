// SPDX-License-Identifier: GPL-2.0
/* Network namespaces that a thread of its own is in for a moment. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/netns.h"
#include "tests.h"

static uint64_t here(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

static void look(void *arg)
{
	*(uint64_t *)arg = here();
}

/* The caller stays where it is; the same namespace is entered again. */
static void apart(void **state)
{
	uint64_t before = here(), first = 0, again = 0, other = 0;
	int ns = NETNS_NONE, another = NETNS_NONE, err;

	err = netns_call(&ns, look, &first);
	if (err == -EPERM) {
		/* Nothing was called then. */
		assert_true(!first && ns == NETNS_NONE);
		skip();
	}
	assert_int_equal(err, 0);
	assert_true(before && first && first != before);
	assert_true(here() == before);
	assert_int_equal(netns_call(&ns, look, &again), 0);
	assert_true(again == first);
	assert_int_equal(netns_call(&another, look, &other), 0);
	assert_true(other && other != first && other != before);
	assert_true(here() == before);
	close(another);
	close(ns);
	ns = open("/dev/null", 0);
	assert_int_equal(netns_call(&ns, look, &other), -EINVAL);
	close(ns);
}

SUITE(suite_netns, cmocka_unit_test(apart));
