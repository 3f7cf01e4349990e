/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a check as a file of metrics for Prometheus, beside what another
 * renderer prints. In its text format, version 0.0.4: that is what the textfile
 * collector of node_exporter reads, which refuses the "# EOF" of OpenMetrics.
 */
#ifndef PTWALK_REPORT_PROMETHEUS_H
#define PTWALK_REPORT_PROMETHEUS_H

#include "check/events.h"

/* Makes the metrics, and prints nothing. */
extern const struct renderer render_prometheus;

/* Both at once: @other, and render_prometheus. */
const struct renderer *prometheus_beside(const struct renderer *other);

/*
 * Replaces the file at @path, see base/replace.h, if there has been a summary. Returns
 * 0 or a negative errno, see base/error.h.
 */
int prometheus_save(const char *path);

#endif /* PTWALK_REPORT_PROMETHEUS_H */
