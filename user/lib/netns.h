/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network namespace of one's own. What the kernel answers to a netlink socket,
 * every nlmon device of the socket's namespace gets, too; in a new one there is none,
 * and nobody else to make one.
 */
#ifndef PTWALK_LIB_NETNS_H
#define PTWALK_LIB_NETNS_H

#define NETNS_NONE	-1

/*
 * Calls @call in the namespace that *@ns is a file of; with NETNS_NONE in a new one,
 * which *@ns then becomes a file of, to be closed, where there is a /proc. It is
 * called in a thread of its own: that of the caller stays where it is, and with it
 * all others. Returns 0, or a negative errno without having called it.
 */
int netns_call(int *ns, void (*call)(void *arg), void *arg);

#endif /* PTWALK_LIB_NETNS_H */
