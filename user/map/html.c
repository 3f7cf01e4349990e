// SPDX-License-Identifier: GPL-2.0
/* A page of HTML around a picture: search, zoom, findings, and strips for what it merges. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/format.h"
#include "map/html.h"
#include "map/svg.h"
#include "map/words.h"

/* Well-formed XML, too: neither "<" nor "&" in the script. */
static const char script[] =
"const $ = id => document.getElementById(id), box = $('view');\n"
"/* The bands of a cell. */\n"
"const mark = (g, name, yes) => document.querySelectorAll('.b.c' + g.dataset.n)\n"
"\t.forEach(b => b.classList.toggle(name, yes));\n"
"let cells = null;\n"
"/* Only when it is needed: there may be many. */\n"
"const read = () => [...document.querySelectorAll('g.c')].map(g => {\n"
"\tconst text = g.querySelector('title').textContent.toLowerCase();\n"
"\tconst range = text.match(/0x([0-9a-f]+)-0x([0-9a-f]+)/);\n"
"\treturn {g, text, start: BigInt('0x' + range[1]), end: BigInt('0x' + range[2]),\n"
"\t\tmerged: g.classList.contains('m'), part: g.closest('details')};\n"
"});\n"
"function matches(cell, word, address) {\n"
"\tif (address === null || cell.start > address)\n"
"\t\treturn cell.text.includes(word);\n"
"\treturn cell.end > address || cell.text.includes(word);\n"
"}\n"
"function search() {\n"
"\tconst word = $('find').value.trim().toLowerCase(), parts = new Set();\n"
"\tconst hex = word.match(/^(0x)?([0-9a-f]{4,16})$/);\n"
"\tconst address = hex ? BigInt('0x' + hex[2]) : null;\n"
"\tlet found = 0;\n"
"\tcells = cells || read();\n"
"\tfor (const cell of cells) {\n"
"\t\tconst hit = word ? matches(cell, word, address) : false;\n"
"\t\tcell.g.classList.toggle('hit', hit);\n"
"\t\tif (!hit || cell.merged)\n"
"\t\t\tcontinue;\n"
"\t\tfound++;\n"
"\t\tif (cell.part)\n"
"\t\t\tparts.add(cell.part.id);\n"
"\t}\n"
"\tfor (const part of document.querySelectorAll('details')) {\n"
"\t\tpart.classList.toggle('hit', parts.has(part.id));\n"
"\t\tconst link = document.querySelector('a[href=\"#' + part.id + '\"] g');\n"
"\t\tif (link ? parts.has(part.id) : false)\n"
"\t\t\tlink.classList.add('hit');\n"
"\t}\n"
"\tfor (const g of document.querySelectorAll('g[data-n]'))\n"
"\t\tmark(g, 'hit', g.classList.contains('hit'));\n"
"\tdocument.body.classList.toggle('searching', word !== '');\n"
"\t$('found').textContent = word ? found + ' found' : '';\n"
"}\n"
"let zoom = 1;\n"
"const least = parseFloat(getComputedStyle(box.firstElementChild).minWidth);\n"
"/* The point that is x, y in the window stays there. */\n"
"function setZoom(to, x, y) {\n"
"\tconst svg = box.firstElementChild, old = svg.getBoundingClientRect();\n"
"\tzoom = Math.max(1, Math.min(16, to));\n"
"\tsvg.style.width = zoom > 1 ? Math.max(box.clientWidth, least) * zoom + 'px' : '';\n"
"\tconst now = svg.getBoundingClientRect(), by = now.width / old.width;\n"
"\tbox.scrollLeft += (x - old.left) * by - (x - now.left);\n"
"\tscrollBy(0, (y - old.top) * by - (y - now.top));\n"
"}\n"
"function middle(by) {\n"
"\tconst r = box.getBoundingClientRect();\n"
"\tsetZoom(zoom * by, r.left + r.width / 2, r.top);\n"
"}\n"
"$('find').oninput = search;\n"
"$('in').onclick = () => middle(1.5);\n"
"$('out').onclick = () => middle(1 / 1.5);\n"
"$('all').onclick = () => setZoom(1, 0, 0);\n"
"box.addEventListener('wheel', e => {\n"
"\tif (!e.ctrlKey)\n"
"\t\treturn;\n"
"\te.preventDefault();\n"
"\tsetZoom(zoom * (e.deltaY > 0 ? 1 / 1.2 : 1.2), e.clientX, e.clientY);\n"
"}, {passive: false});\n"
"for (const g of document.querySelectorAll('g[data-n]')) {\n"
"\tg.onmouseenter = () => mark(g, 'on', true);\n"
"\tg.onmouseleave = () => mark(g, 'on', false);\n"
"}\n"
"function show() {\n"
"\tconst part = $(location.hash.slice(1));\n"
"\tif (part ? part.tagName === 'DETAILS' : false)\n"
"\t\tpart.open = true;\n"
"}\n"
"addEventListener('hashchange', show);\n"
"show();\n";

static const char style[] =
"body{font:14px system-ui,sans-serif;margin:16px;color:#1a1a1a;background:#fff}"
"h1{font-size:18px}h2{font-size:15px}"
/* Letters of 9 pixels at least, even in a narrow window. */
"#view{overflow-x:auto}svg{display:block;min-width:1200px}"
"form{margin:8px 0}input{width:22em}"
"details{margin:4px 0;overflow-x:auto}details.hit summary{font-weight:bold;color:#c00000}"
"li:target{background:#fff0b0;color:#000}li{margin:8px 0;max-width:75em}"
".searching g.c:not(.hit){opacity:.2}.searching .b:not(.hit){opacity:.2}"
"g.hit .o{stroke:#c00000;stroke-width:3}"
"g.m text{text-decoration:underline}"
"\n@media screen and (prefers-color-scheme:dark){"
"body{color:#e8e8e8;background:#161616}a{color:#8ab4f8}"
"details.hit summary{color:#ff7070}g.hit .o{stroke:#ff7070}}\n"
"@page{size:landscape;margin:10mm}\n"
"@media print{form,.parts,details:not([open]){display:none}#view,details{overflow:visible}"
"body{margin:0}svg{width:100%!important;min-width:0;break-inside:avoid}}\n";

static void put_findings(FILE *to, const struct map_input *in)
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
	fputs(style, to);
	fputs("</style></head>\n<body>\n<h1>", to);
	map_svg_heading(to, p);
	fputs("</h1>\n<form onsubmit=\"return false\"><input id=\"find\" type=\"search\" "
	      "placeholder=\"name, address, permissions, kind\"/> <span id=\"found\"></span> "
	      "<button type=\"button\" id=\"in\">zoom in</button> "
	      "<button type=\"button\" id=\"out\">zoom out</button> "
	      "<button type=\"button\" id=\"all\">all</button></form>\n"
	      "<div id=\"view\">", to);
	map_svg_picture(to, p);
	fputs("</div>\n", to);
	put_findings(to, p->input);
	err = put_parts(to, p);
	fprintf(to, "<script>\n%s</script>\n</body>\n</html>\n", script);
	return err;
}
