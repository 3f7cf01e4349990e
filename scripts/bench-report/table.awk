# SPDX-License-Identifier: GPL-2.0
#
# awk -f table.awk goals FIGURES: the rows of the layouts that FIGURES are of,
# as a table; as JSON lines to the file JSON, and as a plot to the file PLOT.
# Of a figure that is there several times, the median. Exits with 1 if a goal was
# missed. If NATIVE is set, costs are nanoseconds and the goals of instructions are
# only for comparison: in a sum, numbers of instructions have no equal.

FNR == NR {
	if (!/^#/ && NF) {
		words = $0
		sub(/^[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "", words)
		goal[++goals] = $1 " " $2 " " $3 " " $4
		title[goals] = words
	}
	next
}
{
	figure[$1, $2, ++runs[$1, $2]] = $3 + 0
	measured[$1] = 1
}

# A part of 0.5 is the median, 0.25 the lower quartile.
function quantile(layout, what, part,    sorted, n, i, j)
{
	n = runs[layout, what]
	for (i = 1; i <= n; i++) {
		for (j = i; j > 1 && sorted[j - 1] > figure[layout, what, i]; j--)
			sorted[j] = sorted[j - 1]
		sorted[j] = figure[layout, what, i]
	}
	part *= n - 1
	i = int(part)
	part -= i
	return part ? sorted[i + 1] * (1 - part) + sorted[i + 2] * part : sorted[i + 1]
}

# The figure of a layout; those of other layouts have none.
function of(layout, what)
{
	if (what == "at-once" || what == "KiB")
		return 1
	if (!runs[layout, what]) {
		printf "there is no figure for %s %s\n", layout, what > "/dev/stderr"
		failed = failed || !NATIVE
		return 0
	}
	return quantile(layout, what, 0.5)
}

function sum(layout, most,    term, nr, i, part, total)
{
	nr = split(most, term, "+")
	for (i = 1; i <= nr; i++) {
		if (split(term[i], part, "*") == 2)
			total += part[1] * of(layout, part[2])
		else
			total += part[1]
	}
	return total
}

# 12345678 as 12,345,678, and small ones with what is behind the point
function number(n,    text, out)
{
	if (n < 100)
		return sprintf("%.2f", n)
	text = sprintf("%.0f", n)
	while (length(text) > 3) {
		out = "," substr(text, length(text) - 2) out
		text = substr(text, 1, length(text) - 3)
	}
	return text out
}

function counts_instructions(most, unit)
{
	return most ~ ("(^|[+])[0-9.]+([*]" unit ")?([+]|$)")
}

function row(i,    part, layout, what, most, unit, each, cost, limit, factor, base, ratio, met, compared, judged, low, high)
{
	split(goal[i], part, " ")
	layout = part[1]
	what = part[2]
	most = part[3]
	unit = part[4]
	if (!(layout in measured) || NATIVE && !runs[layout, what])
		return
	each = of(layout, unit)
	cost = of(layout, what)
	compared = !NATIVE || unit == "KiB" || !counts_instructions(most, unit)
	if (compared)
		limit = sum(layout, most)
	if (!each || compared && !limit)
		return
	rows++
	# What it is compared with, and by how much it may be more.
	factor = most ~ /^[0-9.]+\*[a-z0-9_-]+$/ && most !~ ("\\*" unit "$") ? most + 0 : 1
	if (compared) {
		base = limit / factor
		ratio = cost / base
		name[++bars] = title[i]
		part_of_goal[bars] = cost / limit
	}
	judged = !NATIVE || unit == "KiB"
	met = cost <= limit
	judgements += judged
	missed += judged && !met
	printf "%-40s %14s", title[i], number(cost / each)
	if (NATIVE) {
		low = quantile(layout, what, 0.25) / each
		high = quantile(layout, what, 0.75) / each
		printf " %14s %14s", number(low), number(high)
	}
	if (compared)
		printf " %14s %8.3f %8.3f", number(base / each), ratio, factor
	printf "%s\n", !judged ? "" : met ? "  met" : "  MISSED"
	if (!JSON)
		return
	printf "{\"row\":\"%s\",\"layout\":\"%s\",\"what\":\"%s\",\"unit\":\"%s\",\"measured\":%.2f",
	       title[i], layout, what, unit, cost / each > JSON
	if (NATIVE)
		printf ",\"quartiles\":[%.2f,%.2f],\"runs\":%d", low, high, runs[layout, what] > JSON
	if (compared)
		printf ",\"base\":%.2f,\"ratio\":%.4f,\"goal\":%.4f", base / each, ratio, factor > JSON
	if (judged)
		printf ",\"met\":%s", met ? "true" : "false" > JSON
	printf "}\n" > JSON
}

# A bar for each row: the part of what it may cost, up to twice that.
function plot(    i, y, width, colour)
{
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
	       bars * 18 + 50 > PLOT
	printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n" > PLOT
	printf "<text x=\"10\" y=\"20\">What it costs, as a part of what it may cost (Linux %s, %s or KiB)</text>\n", KERNEL, NATIVE ? "nanoseconds" : "instructions" > PLOT
	for (i = 1; i <= bars; i++) {
		y = 30 + i * 18
		width = part_of_goal[i] * 200
		colour = width > 200 ? "#c0392b" : "#2e7d32"
		width = width > 400 ? 400 : width < 1 ? 1 : width
		printf "<text x=\"280\" y=\"%d\" text-anchor=\"end\">%s</text><rect x=\"290\" y=\"%d\" width=\"%.0f\" height=\"12\" fill=\"%s\"/><text x=\"%.0f\" y=\"%d\">%.2f</text>\n",
		       y, name[i], y - 10, width, colour, 295 + width, y, part_of_goal[i] > PLOT
	}
	printf "<line x1=\"490\" y1=\"32\" x2=\"490\" y2=\"%d\" stroke=\"black\" stroke-dasharray=\"4\"/>\n</svg>\n",
	       bars * 18 + 40 > PLOT
}

END {
	printf "%s, Linux %s\n\n", NATIVE ? "Nanoseconds" : "Instructions", KERNEL
	printf "%-40s %14s%s %14s %8s %8s\n", "", NATIVE ? "median" : "measured",
	       NATIVE ? sprintf(" %14s %14s", "quartiles:", "") : "", "base", "ratio", "at most"
	for (i = 1; i <= goals; i++)
		row(i)
	printf "\n%d goals, %d missed\n", judgements, missed
	if (PLOT)
		plot()
	exit failed || missed || !rows
}
