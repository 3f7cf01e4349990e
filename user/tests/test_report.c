// SPDX-License-Identifier: GPL-2.0
/* What the text for people says: the limits of interfaces only where they matter. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/print.h"
#include "check/events.h"
#include "check/examine.h"
#include "check/rules.h"
#include "proc/pagemap_bits.h"
#include "report/describe.h"
#include "report/scattered.h"
#include "sources/source.h"
#include "tests.h"

#define SAMPLED	"source pagemap, pagemap-scan: a sample of each mapping\n"
#define MISSING	"source kpageflags not used: there is none\n"
#define POLICY	"source smaps: policy is not compared\n"

static const struct remark no_sum = {
	.rule = "smaps", .truth = "Rss 4 kB", .seen = "Rss 8 kB",
};

struct asked {
	bool verbose;
	const struct report_finding *finding;
};

/* One process with a finding, if there is any, and four interfaces with limits. */
static void report(const void *arg)
{
	const bool verbose = ((const struct asked *)arg)->verbose;
	const struct report_finding *finding = ((const struct asked *)arg)->finding;
	static const struct report_source limits[] = {
		{ "pagemap", true, "a sample of each mapping", NULL, 70 },
		{ "pagemap-scan", true, "a sample of each mapping", NULL },
		{ "kpageflags", false, "there is none", NULL },
		{ "smaps", true, "policy is not compared", NULL },
		{ "kpagecount", true, NULL, NULL },
	};
	static const uint64_t of_rules[RULES_MAX];
	const struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct report_summary summary = {
		.processes.checked = 1, .rules = of_rules, .kernel = &kernel,
		.sources = limits, .nr_sources = 5,
	};

	summary.counts.verdict[finding ? finding->verdict : VERDICT_MATCH] = 1;
	render_text.begin(verbose, 1);
	if (finding)
		render_text.finding(finding);
	render_text.process(1, "init", &summary.counts, NULL);
	render_text.summary(&summary);
}

/* What @print prints in a process of its own, with @arg. */
static const char *printed(void (*print)(const void *arg), const void *arg)
{
	static char text[16384];
	size_t len = 0;
	ssize_t part;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	out_sync();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		print(arg);
		out_sync();
		_exit(0);
	}
	close(ends[1]);
	while ((part = read(ends[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += part;
	text[len] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return text;
}

static unsigned int times(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)); text++)
		nr++;
	return nr;
}

/* Its lines about interfaces are @limits; the last one is the verdict. */
static void expect_limits(bool verbose, const struct report_finding *finding,
			  const char *limits)
{
	const struct asked asked = { verbose, finding };
	static const char compared[] =
		"compared: pagemap 70, pagemap-scan 0, smaps 0, kpagecount 0\n";
	const char *line, *end, *last = "";
	char told[4096] = "";

	assert_int_equal(!strstr(printed(report, &asked), compared), !verbose);
	for (line = printed(report, &asked); (end = strchr(line, '\n'));
	     line = end + 1) {
		last = line;
		if (!strncmp(line, "source ", strlen("source ")))
			strncat(told, line, end + 1 - line);
	}
	assert_string_equal(told, limits);
	assert_ptr_equal(strstr(last, "1 process on Linux "), last);
}

static void limits(void **state)
{
	struct report_finding finding = {
		.pid = 1, .comm = "init", .pages = 1,
		.truth = test_page(PTWALK_KIND_NONE, PTWALK_LEVEL_PTE, 0, 0, 0, NULL),
		.verdict = VERDICT_MISMATCH, .source = &test_pagemap,
	};

	expect_limits(false, NULL, "");
	expect_limits(true, NULL, SAMPLED MISSING POLICY);
	expect_limits(false, &finding, "source pagemap: a sample of each mapping\n");
	finding.also[0] = &test_scan;
	expect_limits(false, &finding, SAMPLED);
	expect_limits(true, &finding, SAMPLED MISSING POLICY);
	finding.verdict = VERDICT_UNSTABLE;
	expect_limits(false, &finding, SAMPLED);
	finding.source = &test_kpagecount;
	finding.also[0] = NULL;
	expect_limits(false, &finding, "");

	finding.source = NULL;
	finding.examination = "smaps";
	finding.remark = &no_sum;
	expect_limits(false, &finding, POLICY);
	finding.verdict = VERDICT_EXPLAINED;
	expect_limits(false, &finding, "");
	expect_limits(true, &finding, SAMPLED MISSING POLICY);
}

static const char *words(const struct page_truth *truth)
{
	static char text[DESCRIBE_SIZE];

	truth_text(truth, text, sizeof(text));
	return text;
}

/* A page whose kpageflags differ by these. */
static void report_flags(const void *arg)
{
	static const struct difference cases[] = {
		{ 0x1800, 1 << 20 }, { 1ULL << 62, 0 }, { 0, 1 << 3 }, { 0, 0 },
	};
	const struct ptwalk_kernel kernel = test_kernel(6, 12);
	const struct env env = { .kernel = &kernel };
	const struct renderer *r = arg;
	struct report_finding finding = {
		.pid = 1, .comm = "init", .pages = 1, .has_data = true, .env = &env,
		.truth = test_page(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, 0, 0, 9, NULL),
		.verdict = VERDICT_MISMATCH, .source = &source_kpageflags,
	};

	r->begin(false, 1);
	for (int i = 0; i < 4; i++) {
		finding.seen = cases[i].excess;
		finding.differs = cases[i];
		r->finding(&finding);
	}
	finding.seen = KPAGE_END;
	finding.differs.excess = KPAGE_END;
	r->finding(&finding);
}

/* Those that it must have, and those that it must not have. */
static void flags(void **state)
{
	const char *text = printed(report_flags, &render_text);

	assert_non_null(strstr(text, "  kpageflags nopage\n"
			       "  differs   must have mmap anon; must not have nopage\n"));
	assert_non_null(strstr(text, "  differs   must have bit_62\n"));
	assert_non_null(strstr(text, "  differs   must not have uptodate\n"));
	assert_non_null(strstr(text, "  kpageflags ends before this frame\n"));
	assert_int_equal(times(text, "  differs "), 3);
	text = printed(report_flags, &render_json);
	assert_non_null(strstr(text, "\"lacks\":[\"mmap\",\"anon\"],\"excess\":[\"nopage\"]"));
	assert_non_null(strstr(text, "\"lacks\":[],\"excess\":[\"uptodate\"]"));
	assert_int_equal(times(text, "\"lacks\""), 3);
	assert_int_equal(times(printed(report_flags, &render_ktap), "#   differs: must have"), 2);
}

/* No cgroup has inode 0. */
static void cgroups(void **state)
{
	const uint64_t none = 0, some = 7 | KPAGE_CHARGED;
	struct page_truth page = test_page(PTWALK_KIND_NONE, PTWALK_LEVEL_PTE, 0, 0, 0, NULL);
	const struct env env = { 0 };
	char text[SOURCE_TEXT_SIZE];

	page.has_cgroup = true;
	assert_string_equal(words(&page), "none, charged to none");
	page = test_page(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, 0, 0, 0x99, NULL);
	assert_string_equal(words(&page), "present pte pfn 0x99");
	page.has_cgroup = true;
	assert_string_equal(words(&page), "present pte pfn 0x99, charged to none");
	page.cgroup = 7;
	assert_string_equal(words(&page), "present pte pfn 0x99, charged to inode 7");

	source_kpagecgroup.text(&env, 0, none, text, sizeof(text));
	assert_string_equal(text, "none");
	source_kpagecgroup.text(&env, 0, some, text, sizeof(text));
	assert_string_equal(text, "inode 7");
}

/* So many findings of a figure of the process, the first one at @from. */
static void figures(const struct renderer *r, pid_t pid, const char *field,
		    bool too_much, uint64_t from, unsigned int nr)
{
	struct remark remark = {
		.verdict = VERDICT_MISMATCH, .field = field,
		.function = "show_smap()", .lacks = !too_much, .excess = too_much,
	};
	const struct report_finding finding = {
		.pid = pid, .comm = "init", .verdict = VERDICT_MISMATCH,
		.examination = "smaps", .remark = &remark,
	};

	for (uint64_t i = from; i < from + nr; i++) {
		sprintf(remark.truth, "%s of %d: 4 kB", field, (int)i);
		sprintf(remark.seen, "%s of %d: 8 kB", field, (int)i);
		r->finding(&finding);
	}
}

struct alike_run {
	const struct renderer *renderer;
	bool verbose;
};

static void many_alike(const void *arg)
{
	const struct alike_run *run = arg;
	static const uint64_t of_rules[RULES_MAX];
	const struct ptwalk_kernel kernel = test_kernel(6, 12);
	const struct report_source smaps = { "smaps", true, NULL, NULL };
	struct report_summary summary = {
		.processes.checked = 3, .rules = of_rules, .kernel = &kernel,
		.sources = &smaps, .nr_sources = 1, .status = 1,
	};
	const struct renderer *r = run->renderer;

	summary.counts.verdict[VERDICT_MISMATCH] = 31;
	r->begin(run->verbose, 1);
	figures(r, 1, "Rss", true, 0, 20);
	figures(r, 1, "Rss", false, 20, 2);
	r->process(1, "init", &summary.counts, NULL);
	figures(r, 2, "Rss", true, 22, 5);
	figures(r, 2, "Pss", true, 27, 1);
	r->process(2, "init", &summary.counts, NULL);
	figures(r, 3, "Rss", true, 28, 3);
	r->process(3, "init", &summary.counts, NULL);
	r->summary(&summary);
}

/* One bug is one block, which says how often it shows; all of it with -v. */
static void alike(void **state)
{
	struct alike_run run = { &render_text, false };
	const char *text = printed(many_alike, &run);

	assert_int_equal(times(text, "mismatch: 1 (init)\n"), 2);
	assert_int_equal(times(text, "mismatch: 2 (init)\n"), 1);
	assert_int_equal(times(text, "mismatch: 3"), 0);
	assert_int_equal(times(text, "  truth "), 3 + 2 + 1);
	assert_non_null(strstr(text, "  smaps     Rss of 2: 8 kB\n"
		"  alike     17 more of this process (-v prints all)\n"
		"mismatch: 1 (init)\n  truth     Rss of 20: 4 kB\n"));
	assert_non_null(strstr(text, "\nmismatch: Rss of smaps differs alike 8 more times, "
		"in 2 other processes such as 2 (init): show_smap() (-v prints all)\n"));
	assert_int_equal(times(text, "31 mismatch"), 4);
	assert_int_equal(times(text, "31 mismatch; 3 findings\n"), 1);

	run.verbose = true;
	text = printed(many_alike, &run);
	assert_int_equal(times(text, "mismatch: "), 31);
	assert_int_equal(times(text, "  truth "), 31);
	assert_int_equal(times(text, "alike"), 0);
	assert_int_equal(times(text, "31 mismatch; 3 findings\n"), 1);

	run = (struct alike_run){ &render_json, false };
	text = printed(many_alike, &run);
	assert_int_equal(times(text, "\"type\":\"finding\""), 31);
	assert_int_equal(times(text, "\"field\":\"Rss\",\"function\":\"show_smap()\""), 30);
	assert_int_equal(times(text, "\"alike\":true"), 31 - 3);
	assert_int_equal(times(text, "\"findings\":3,"), 1);

	run.renderer = &render_ktap;
	text = printed(many_alike, &run);
	assert_int_equal(times(text, "# mismatch: 1 (init)\n"), 2);
	assert_int_equal(times(text, "#   truth: "), 3 + 2 + 1);
	assert_int_equal(times(text, "#   alike: 17 more of this process"), 1);
	assert_int_equal(times(text, "# mismatch: Rss of smaps differs alike 8 more times"), 1);
	assert_int_equal(times(text, "# ptwalk.check.smaps: 3 findings\n"), 1);
	assert_int_equal(times(text, " findings:3\n"), 1);
	run.verbose = true;
	assert_int_equal(times(printed(many_alike, &run), "#   truth: "), 31);

	run = (struct alike_run){ &render_junit, false };
	text = printed(many_alike, &run);
	assert_int_equal(times(text, "truth: "), 2 * (3 + 2 + 1));
	assert_int_equal(times(text, "\n25 more alike\n"), 2);
	assert_int_equal(times(text, "\"3 findings\""), 1);
}

/* A request that two ways to read pagemap answer wrongly, of whatever process. */
static void wrong_requests(const void *arg)
{
	const struct renderer *r = ((const struct alike_run *)arg)->renderer;
	static const uint64_t of_rules[RULES_MAX];
	const struct ptwalk_kernel kernel = test_kernel(6, 12);
	const struct report_source asked[] = {
		{ "pagemap", true, NULL, NULL }, { "pagemap-scan", true, NULL, NULL },
	};
	const struct remark remark = {
		.verdict = VERDICT_MISMATCH, .field = "request", .function = "pagemap_read()",
		.truth = "the end", .seen = "an entry; 8411 times so", .times = 8411,
	};
	struct report_finding finding = {
		.comm = "init", .verdict = VERDICT_MISMATCH, .examination = "pagemap",
		.remark = &remark, .also = { &test_scan },
		.request = { .source = &test_pagemap, .start = 0x5000, .last = 0x8fff },
	};
	struct report_summary summary = {
		.processes.checked = 3, .rules = of_rules, .kernel = &kernel,
		.sources = asked, .nr_sources = 2, .status = 1,
	};

	summary.counts.verdict[VERDICT_MISMATCH] = 3;
	r->begin(false, 2);
	for (finding.pid = 1; finding.pid <= 3; finding.pid++) {
		r->finding(&finding);
		r->process(finding.pid, "init", &summary.counts, NULL);
	}
	r->summary(&summary);
}

/* It is one finding, in all formats. */
static void requests(void **state)
{
	struct alike_run run = { &render_text, false };
	const char *text = printed(wrong_requests, &run);

	assert_int_equal(times(text, "mismatch: 1 (init)\n  truth     the end\n"
			       "  pagemap   an entry; 8411 times so\n"
			       "  also      pagemap-scan\n"
			       "  again     ptwalk check --request pagemap:0x5000-0x9000 1\n"), 1);
	assert_int_equal(times(text, "  truth "), 1);
	assert_int_equal(times(text, "mismatch; 1 finding\n"), 1);
	run.renderer = &render_json;
	text = printed(wrong_requests, &run);
	assert_int_equal(times(text, "\"also\":[\"pagemap-scan\"],\"times\":8411"), 3);
	assert_int_equal(times(text, "\"request\":\"pagemap:0x5000-0x9000\""), 3);
	assert_int_equal(times(text, "\"alike\":true"), 2);
	assert_int_equal(times(text, "\"findings\":1,"), 1);
	run.renderer = &render_ktap;
	text = printed(wrong_requests, &run);
	assert_int_equal(times(text, "#   truth: "), 1);
	assert_int_equal(times(text, "# ptwalk.check.pagemap: 1 finding\n"), 1);
	assert_int_equal(times(text, "# ptwalk.check.pagemap-scan: 1 finding\n"), 1);
	assert_int_equal(times(text, " findings:1\n"), 1);
	run.renderer = &render_junit;
	text = printed(wrong_requests, &run);
	/* In the case of the run, and in those of both interfaces. */
	assert_int_equal(times(text, "truth: "), 3);
	assert_int_equal(times(text, "\"1 finding\""), 2);
	run.renderer = &render_kcidb;
	text = printed(wrong_requests, &run);
	assert_int_equal(times(text, "\"comment\":\"1 finding\""), 2);
}

/* One zero page again and again, or several, which are mapped by the address. */
static void scattered_extents(void **state)
{
	const uint64_t zero = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE,
					  0, PTWALK_FLAG_ZERO);
	const uint64_t huge = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD,
					  0, PTWALK_FLAG_ZERO);
	const uint64_t plain = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, 0, 0);
	const struct {
		uint64_t bits;
		size_t nr;
		uint64_t pages, value[5];
		const char *text;
	} cases[] = {
		{ zero, 1, 1, { 7 }, NULL },
		{ zero, 3, 1, { 7, 7, 7 }, "the zero page, 0x7000" },
		{ zero, 3, 1, { 7, 9, 7 }, "zero pages, in 3 pieces" },
		{ zero, 3, 8, { 8, 8, 8 }, "zero pages, in 3 pieces" },
		{ huge, 2, 512, { 512, 512 }, "the zero page, 0x200000" },
		{ plain, 4, 1, { 7, 9, 7, 9 }, NULL },
		{ plain, 5, 1, { 7, 9, 7, 9, 7 }, "scattered: in 5 pieces" },
	};
	const struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct ptwalk_extent e = { 0 };
	char text[SCATTERED_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scattered s = { 0 };

		for (size_t j = 0; j < cases[i].nr; j++) {
			e = (struct ptwalk_extent){
				.addr = (j * cases[i].pages) << 12, .bits = cases[i].bits,
				.pages = cases[i].pages, .value = cases[i].value[j],
			};
			assert_true(scattered_add(&s, &kernel, &e));
		}
		/* Not behind the last one. */
		assert_false(scattered_add(&s, &kernel, &e));
		assert_int_equal(scattered_text(&s, &kernel, text), !!cases[i].text);
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
	}
}

SUITE(suite_report, cmocka_unit_test(limits), cmocka_unit_test(alike),
      cmocka_unit_test(requests), cmocka_unit_test(cgroups),
      cmocka_unit_test(scattered_extents),
      cmocka_unit_test(flags));
