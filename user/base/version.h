/* SPDX-License-Identifier: GPL-2.0 */
/* The version of the command, as `ptwalk --version` and reports have it. */
#ifndef PTWALK_BASE_VERSION_H
#define PTWALK_BASE_VERSION_H

#define PTWALK_VERSION	"0.1"

#endif /* PTWALK_BASE_VERSION_H */
