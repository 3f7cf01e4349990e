// SPDX-License-Identifier: GPL-2.0
/* A page of HTML around a picture: search, zoom, findings, and strips for what it merges. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/format.h"
#include "map/html.h"
#include "map/page_text.h"
#include "map/svg.h"
#include "map/table.h"
#include "map/words.h"

static void put_html_findings(FILE *to, const struct map_input *in)
{
	const struct map_finding *f = in->finding;
	char range[FORMAT_RANGE];

	if (!in->nr_findings)
		return;
	fputs("<h2>Findings</h2>\n<ol>\n", to);
	for (size_t i = 0; i < in->nr_findings; i++) {
		fprintf(to, "<li id=\"f%zu\"><b>", i + 1);
		map_xml(to, f[i].name);
		fprintf(to, "</b> %s: ", format_range(f[i].addr, f[i].last, range));
		map_xml(to, f[i].text);
		fputs("<br/>", to);
		map_xml(to, f[i].why);
		fputs("</li>\n", to);
	}
	fputs("</ol>\n", to);
}

/* The mappings of a cell, in a strip of their own. */
static int put_part(FILE *to, const struct map_picture *p, size_t i,
		    struct map_strip *strip)
{
	const struct map_cell *cell = &p->strip.cell[i];
	const struct map_vma *v = &p->input->vma[cell->vma];
	char range[FORMAT_RANGE];
	int err;

	err = map_strip_make(p->input, cell->vma, cell->nr, strip);
	if (!err) {
		format_range(v->vma->start, v[cell->nr - 1].vma->last, range);
		fprintf(to, "<details id=\"g%zu\"><summary>%zu mappings in %s, ",
			i, cell->nr, range);
		map_say_mapped(to, &cell->count);
		fputs("</summary>\n", to);
		map_svg_strip(to, p, strip);
		fputs("</details>\n", to);
	}
	map_strip_free(strip);
	return err;
}

static int put_parts(FILE *to, const struct map_picture *p)
{
	struct map_strip *strip = malloc(sizeof(*strip));
	bool any = false;
	int err = strip ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < p->strip.nr_cells; i++) {
		if (p->strip.cell[i].nr < 2)
			continue;
		if (!any)
			fputs("<h2 class=\"parts\">What is too small to be drawn one by one</h2>\n",
			      to);
		any = true;
		err = put_part(to, p, i, strip);
	}
	free(strip);
	return err;
}

int map_html(FILE *to, const struct map_picture *p)
{
	int err;

	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
	      "<head><meta charset=\"utf-8\"/>"
	      "<meta name=\"color-scheme\" content=\"light dark\"/><title>", to);
	map_xml(to, p->input->of);
	fputs("</title>\n<style>", to);
	map_svg_style(to);
	fputs(map_page_css, to);
	fputs("</style></head>\n<body>\n<h1>", to);
	map_svg_heading(to, p);
	fputs("</h1>\n<form onsubmit=\"return false\"><input id=\"find\" type=\"search\" "
	      "placeholder=\"name, address, permissions, kind\"/> <span id=\"found\"></span> "
	      "<button type=\"button\" id=\"in\">zoom in</button> "
	      "<button type=\"button\" id=\"out\">zoom out</button> "
	      "<button type=\"button\" id=\"all\">all</button> "
	      "<label>wide by <select id=\"wide\"><option>logarithm of size</option>"
	      "<option>what is mapped</option></select></label></form>\n", to);
	err = map_table(to, p);
	if (err)
		return err;
	fputs("<div id=\"pan\" hidden=\"hidden\"><div></div></div>\n<div id=\"view\">", to);
	map_svg_picture(to, p);
	fputs("</div>\n", to);
	put_html_findings(to, p->input);
	err = put_parts(to, p);
	fprintf(to, "<script>\n%s</script>\n</body>\n</html>\n", map_page_js);
	return err;
}
