# SPDX-License-Identifier: GPL-2.0
#
# awk -f table.awk goals FIGURES: the rows of the layouts that FIGURES are of,
# as a table; as JSON lines to the file JSON, and as a plot to the file PLOT.
# Exits with 1 if a goal was missed.

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
	figure[$1, $2] = $3
	measured[$1] = 1
}

# The figure of a layout; those of other layouts have none.
function of(layout, what)
{
	if (what == "at-once" || what == "KiB")
		return 1
	if (!((layout, what) in figure)) {
		printf "there is no figure for %s %s\n", layout, what > "/dev/stderr"
		failed = 1
		return 0
	}
	return figure[layout, what]
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

function row(i,    part, layout, what, most, unit, each, cost, limit, factor, base, ratio, met)
{
	split(goal[i], part, " ")
	layout = part[1]
	what = part[2]
	most = part[3]
	unit = part[4]
	if (!(layout in measured))
		return
	each = of(layout, unit)
	limit = sum(layout, most)
	cost = of(layout, what)
	if (!each || !limit)
		return
	# What it is compared with, and by how much it may be more.
	factor = most ~ /^[0-9.]+\*[a-z0-9_-]+$/ && most !~ ("\\*" unit "$") ? most + 0 : 1
	base = limit / factor
	ratio = cost / base
	met = cost <= limit
	failed = failed || !met
	missed += !met
	rows++
	printf "%-40s %14s %14s %8.3f %8.3f  %s\n", title[i], number(cost / each),
	       number(base / each), ratio, factor, met ? "met" : "MISSED"
	if (JSON)
		printf "{\"row\":\"%s\",\"layout\":\"%s\",\"what\":\"%s\",\"unit\":\"%s\",\"measured\":%.2f,\"base\":%.2f,\"ratio\":%.4f,\"goal\":%.4f,\"met\":%s}\n",
		       title[i], layout, what, unit, cost / each, base / each,
		       ratio, factor, met ? "true" : "false" > JSON
	name[rows] = title[i]
	part_of_goal[rows] = cost / limit
}

# A bar for each row: the part of what it may cost, up to twice that.
function plot(    i, y, width, colour)
{
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
	       rows * 18 + 50 > PLOT
	printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n" > PLOT
	printf "<text x=\"10\" y=\"20\">What it costs, as a part of what it may cost (Linux %s, instructions or KiB)</text>\n", KERNEL > PLOT
	for (i = 1; i <= rows; i++) {
		y = 30 + i * 18
		width = part_of_goal[i] * 200
		colour = width > 200 ? "#c0392b" : "#2e7d32"
		width = width > 400 ? 400 : width < 1 ? 1 : width
		printf "<text x=\"280\" y=\"%d\" text-anchor=\"end\">%s</text><rect x=\"290\" y=\"%d\" width=\"%.0f\" height=\"12\" fill=\"%s\"/><text x=\"%.0f\" y=\"%d\">%.2f</text>\n",
		       y, name[i], y - 10, width, colour, 295 + width, y, part_of_goal[i] > PLOT
	}
	printf "<line x1=\"490\" y1=\"32\" x2=\"490\" y2=\"%d\" stroke=\"black\" stroke-dasharray=\"4\"/>\n</svg>\n",
	       rows * 18 + 40 > PLOT
}

END {
	printf "Instructions, Linux %s\n\n", KERNEL
	printf "%-40s %14s %14s %8s %8s\n", "", "measured", "base", "ratio", "at most"
	for (i = 1; i <= goals; i++)
		row(i)
	printf "\n%d goals, %d missed\n", rows, missed
	if (PLOT)
		plot()
	exit failed || !rows
}
