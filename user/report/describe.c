// SPDX-License-Identifier: GPL-2.0
/* A page as the page tables have it, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/jsonw.h"
#include "base/names.h"
#include "base/print.h"
#include "check/examine.h"
#include "check/rules.h"
#include "claims/claims.h"
#include "module/names.h"
#include "proc/maps.h"
#include "proc/pagemap_bits.h"
#include "report/describe.h"

void truth_text(const struct page_truth *truth, char *buf, size_t size)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);
	unsigned int aux = ptwalk_bits_aux(truth->bits);
	uint32_t flags = ptwalk_bits_flags(truth->bits);
	char name[NAME_SIZE], level[NAME_SIZE], bits[256];
	size_t len;

	if (kind == PTWALK_KIND_NO_VMA) {
		snprintf(buf, size, "no VMA");
		return;
	}
	len = snprintf(buf, size, "%s", name_of(&names_kind, kind, name));
	switch (kind) {
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_BAD:
		break;
	case PTWALK_KIND_PRESENT:
		len += snprintf(buf + len, size - len, " %s pfn 0x%" PRIx64,
				name_of(&names_level,
					ptwalk_bits_level(truth->bits), level),
				(uint64_t)truth->value);
		break;
	case PTWALK_KIND_MARKER:
		names_mask(&names_marker, truth->value, " ", bits,
			   sizeof(bits));
		len += snprintf(buf + len, size - len, " %s", bits);
		break;
	case PTWALK_KIND_SWAP:
	case PTWALK_KIND_UNKNOWN:
		len += snprintf(buf + len, size - len,
				" type %u offset 0x%" PRIx64, aux,
				(uint64_t)truth->value);
		break;
	default:
		len += snprintf(buf + len, size - len,
				" type %u pfn 0x%" PRIx64, aux,
				(uint64_t)truth->value);
	}
	if (flags && len < size) {
		names_mask(&names_flag, flags, " ", bits, sizeof(bits));
		len += snprintf(buf + len, size - len, " %s", bits);
	}
	if (!truth->has_cgroup || len >= size)
		return;
	if (truth->cgroup)
		snprintf(buf + len, size - len, ", charged to inode %" PRIu64,
			 truth->cgroup);
	else
		snprintf(buf + len, size - len, ", charged to none");
}

void truth_json(const struct ptwalk_kernel *kernel,
		const struct page_truth *truth)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);
	unsigned int level = ptwalk_bits_level(truth->bits);
	unsigned int aux = ptwalk_bits_aux(truth->bits);
	char name[NAME_SIZE];

	jsonw_text("kind", name_of(&names_kind, kind, name));
	if (kind == PTWALK_KIND_NO_VMA)
		return;
	jsonw_text("level", name_of(&names_level, level, name));
	switch (kind) {
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_BAD:
		break;
	case PTWALK_KIND_PRESENT:
		jsonw_hex("pfn", truth->value);
		jsonw_hex("paddr", truth->value << kernel->page_shift);
		break;
	case PTWALK_KIND_MARKER:
		jsonw_number("swap_type", aux);
		jsonw_mask("marker", &names_marker, truth->value);
		break;
	case PTWALK_KIND_SWAP:
	case PTWALK_KIND_UNKNOWN:
		jsonw_number("swap_type", aux);
		jsonw_hex("swap_offset", truth->value);
		break;
	default:
		jsonw_number("swap_type", aux);
		jsonw_hex("pfn", truth->value);
	}
	jsonw_mask("flags", &names_flag, ptwalk_bits_flags(truth->bits));
	if (truth->has_cgroup)
		jsonw_number("cgroup", truth->cgroup);
	if (truth->vma)
		jsonw_mask("vma_flags", &names_vma_flag, truth->vma->flags);
}

const char *request_text(const struct report_finding *finding,
			 char buf[DESCRIBE_SIZE])
{
	const struct read_request *request = &finding->request;
	char text[READ_REQUEST_TEXT];

	if (!request->source)
		return NULL;
	read_request_text(request, text);
	if (finding->pid == getpid()) {
		snprintf(buf, DESCRIBE_SIZE, "%s", text);
		return "request";
	}
	snprintf(buf, DESCRIBE_SIZE, "ptwalk check %s%s--request %s %d",
		 request->freeze ? "--freeze " : "",
		 request->known_bugs ? "--known-bugs " : "", text,
		 (int)finding->pid);
	return "again";
}

/* "pagemap-4k, pagemap-single": what shows the same; false: nothing. */
static bool also_text(const struct report_finding *finding,
		      char buf[DESCRIBE_SIZE])
{
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < FINDING_ALSO && finding->also[i]; i++)
		len += snprintf(buf + len, DESCRIBE_SIZE - len, "%s%s",
				len ? ", " : "", finding->also[i]->name);
	return len;
}

/* Of a recording, that there was a mapping is all that is known. */
const char *finding_place(const struct report_finding *f)
{
	if (!f->map)
		return f->truth.vma ? "a mapping" : "outside every mapping";
	return maps_title(f->map->name);
}

/* Which bits differ; false if they have no names, or there is no value. */
static bool has_bits(const struct report_finding *finding)
{
	return finding->source->bits && finding->has_data && finding->seen != KPAGE_END &&
	       (finding->differs.lacks || finding->differs.excess);
}

/* "must have anon; must not have nopage" */
static void bits_text(const struct report_finding *finding, char buf[DESCRIBE_SIZE])
{
	const struct names *names = finding->source->bits;
	const struct difference *d = &finding->differs;
	size_t len = 0;

	if (d->lacks) {
		len = snprintf(buf, DESCRIBE_SIZE, "must have ");
		len += names_mask(names, d->lacks, " ", buf + len, DESCRIBE_SIZE - len);
	}
	if (d->excess && len < DESCRIBE_SIZE) {
		len += snprintf(buf + len, DESCRIBE_SIZE - len, "%smust not have ",
				len ? "; " : "");
		if (len < DESCRIBE_SIZE)
			names_mask(names, d->excess, " ", buf + len, DESCRIBE_SIZE - len);
	}
}

void bits_json(const struct report_finding *finding)
{
	if (!has_bits(finding))
		return;
	jsonw_mask("lacks", finding->source->bits, finding->differs.lacks);
	jsonw_mask("excess", finding->source->bits, finding->differs.excess);
}

const char *finding_hint(const struct report_finding *f, char buf[CLAIMS_HINT])
{
	return f->source == &source_claims ? claims_hint(f->env, &f->truth, &f->beside, f->seen,
							 buf) : NULL;
}

/* What explains why it is wrong, or why it is right: a rule, a lint... or NULL. */
static const char *explained_by(const struct report_finding *f)
{
	if (f->remark)
		return f->remark->rule;
	if (f->source == &source_claims)
		return "claims";
	return f->rules ? rules[__builtin_ctzll(f->rules)].name : NULL;
}

static void explain(const struct report_finding *f,
		    void (*line)(const char *label, const char *text))
{
	const char *name = explained_by(f);
	char text[96];

	if (!name)
		return;
	snprintf(text, sizeof(text), "ptwalk explain %s", name);
	line("explain", text);
}

/* The truth as a claim of it would say it. */
static void claim_text(const struct report_finding *f, char *buf, size_t size)
{
	const unsigned int shift = f->env->kernel->page_shift;
	const uint64_t offset = f->truth.addr & ((1ULL << shift) - 1);

	if (page_kind(&f->truth) == PTWALK_KIND_PRESENT)
		snprintf(buf, size, ", paddr 0x%" PRIx64,
			 (uint64_t)(f->truth.value << shift | offset));
}

static void describe_page(const struct report_finding *finding,
			  void (*line)(const char *label, const char *text))
{
	char text[DESCRIBE_SIZE], buf[CLAIMS_HINT];
	const char *hint;

	truth_text(&finding->truth, text, sizeof(text));
	if (finding->source == &source_claims)
		claim_text(finding, text + strlen(text), sizeof(text) - strlen(text));
	line("truth", text);
	snprintf(text, sizeof(text), "ends before this page");
	if (finding->has_data)
		finding->source->text(finding->env, finding->truth.addr,
				      finding->seen, text, sizeof(text));
	line(finding->source->name, text);
	hint = finding_hint(finding, buf);
	if (hint)
		line("hint", hint);
	if (has_bits(finding)) {
		bits_text(finding, text);
		line("differs", text);
	}
}

void describe_finding(const struct report_finding *finding,
		      void (*line)(const char *label, const char *text))
{
	char text[DESCRIBE_SIZE];
	const char *label;

	if (finding->remark) {
		line("truth", finding->remark->truth);
		line(finding->examination, finding->remark->seen);
	} else {
		describe_page(finding, line);
	}
	if (also_text(finding, text))
		line("also", text);
	label = request_text(finding, text);
	if (label)
		line(label, text);
	explain(finding, line);
}

void counts_json(const struct report_counts *counts)
{
	uint64_t pages = 0;
	int i;

	for (i = 0; i < NR_VERDICTS; i++)
		pages += counts->verdict[i];
	jsonw_number("pages", pages);
	for (i = 0; i < NR_VERDICTS; i++)
		jsonw_number(verdict_name[i], counts->verdict[i]);
	if (counts->of_claims)
		jsonw_number("unclaimed", counts->unclaimed);
	jsonw_number("comparisons", counts->comparisons);
	jsonw_number("sampled", counts->sampled);
	jsonw_number("spared", counts->left_out);
	if (counts->requests) {
		jsonw_number("requests_drawn", counts->requests);
		jsonw_number("instructions_drawn", counts->cost);
	}
	jsonw_number("figures", counts->figures);
	jsonw_number("unsettled", counts->unsettled);
}

bool report_sum_text(const struct report_source *source, char buf[REPORT_SUM])
{
	buf[0] = '\0';
	if (source->used && source->examination && source->examination->sum_text)
		source->examination->sum_text(buf, REPORT_SUM);
	return buf[0];
}
