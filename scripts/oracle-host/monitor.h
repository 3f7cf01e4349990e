/* SPDX-License-Identifier: GPL-2.0 */
/* QEMU's monitor, through its machine protocol (QMP) on a UNIX socket. */
#ifndef ORACLE_MONITOR_H
#define ORACLE_MONITOR_H

struct monitor;

/* NULL if nobody answers there; says why on stderr. */
struct monitor *monitor_open(const char *path);
void monitor_close(struct monitor *m);
const char *monitor_path(const struct monitor *m);

/* A command of the protocol without arguments, such as "stop". */
void monitor_execute(struct monitor *m, const char *command);

/* What a person's command prints there; stays until the next one. */
const char *monitor_ask(struct monitor *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* ORACLE_MONITOR_H */
