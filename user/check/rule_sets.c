// SPDX-License-Identifier: GPL-2.0
/* Which of the rules hold: for a page, on this kernel, as an interface is read. */
#include <string.h>
#include "check/rules.h"
#include "sources/source.h"

static bool version_in(const struct rule *rule, const struct ptwalk_kernel *kernel)
{
	unsigned int version = kernel_version(kernel);

	return version >= rule->since &&
	       (!rule->before || version < rule->before);
}

/* Whether a mask has a kind or a level, which a broken reply can make as large as it likes. */
static bool mask_has(uint32_t mask, unsigned int nr)
{
	return nr < 32 && mask >> nr & 1;
}

static bool rule_pages_have(const struct rule_pages *pages, const struct page_truth *truth)
{
	const uint64_t vma = truth->vma ? truth->vma->flags : 0;
	const uint32_t flags = page_flags(truth);

	return mask_has(pages->kinds, page_kind(truth)) &&
	       (!pages->levels || mask_has(pages->levels, ptwalk_bits_level(truth->bits))) &&
	       (truth->vma || !(pages->vma | pages->not_vma)) &&
	       (vma & pages->vma) == pages->vma && !(vma & pages->not_vma) &&
	       (flags & pages->has) == pages->has && !(flags & pages->lacks) &&
	       (!pages->any || flags & pages->any) &&
	       (truth->value & pages->value) == pages->value;
}

static bool rule_holds(const struct rule *rule, const struct env *env,
		       const struct page_truth *truth)
{
	return rule_pages_have(&rule->about, truth) && (!rule->holds || rule->holds(env, truth));
}

const struct rule *rules_bug_of(const struct env *env,
				const struct source *source)
{
	const char *name = source_interface(source);

	for (unsigned int i = 0; i < nr_rules; i++)
		if (rules[i].bug && rules[i].about.kinds && !strcmp(rules[i].source, name) &&
		    version_in(&rules[i], env->kernel))
			return &rules[i];
	return NULL;
}

/* The rules of an interface, as this kernel has it and as it is read. */
static uint64_t rules_of(const struct env *env, const struct source *source)
{
	const char *name = source_interface(source);
	uint64_t set = 0;

	for (unsigned int i = 0; i < nr_rules; i++)
		if (!strcmp(rules[i].source, name) && rules[i].about.kinds &&
		    version_in(&rules[i], env->kernel) &&
		    (!rules[i].way || !strcmp(rules[i].way, source->name)))
			set |= 1ULL << i;
	return set;
}

/* Asked of each page: the rules of each interface are kept. */
uint64_t rules_for(const struct env *env, const struct source *source,
		   const struct page_truth *truth)
{
	static struct kept {
		const struct source *source;
		unsigned int version;
		uint64_t rules;
	} kept[64];
	struct kept *of = &kept[(uintptr_t)source * 0x9e3779b97f4a7c15ULL >> 58];
	unsigned int version = kernel_version(env->kernel);
	uint64_t left, set = 0;

	if (of->source != source || of->version != version) {
		of->rules = rules_of(env, source);
		of->source = source;
		of->version = version;
	}
	for (left = of->rules; left; left &= left - 1)
		if (rule_holds(&rules[__builtin_ctzll(left)], env, truth))
			set |= left & -left;
	return set;
}

uint64_t rules_blind(const struct env *env, const struct source *source,
		     const struct page_truth *truth)
{
	uint64_t set, blind = 0;

	/* Asked of each part of a request, of which few are such. */
	if (page_kind(truth) != PTWALK_KIND_NONE || !truth->vma ||
	    !(truth->vma->flags & PTWALK_VMA_FLAG_PFNMAP))
		return 0;
	for (set = rules_for(env, source, truth); set; set &= set - 1)
		if (rules[__builtin_ctzll(set)].blind)
			blind |= set & -set;
	return blind;
}

uint64_t rules_required(const struct env *env, const struct page_truth *truth,
			uint64_t set)
{
	const struct rule *rule;
	uint64_t required = 0;

	for (; set; set &= set - 1) {
		rule = &rules[__builtin_ctzll(set)];
		if (!rule->bug && !rule->before &&
		    !(rule->may && rule->may(env, truth)))
			required |= set & -set;
	}
	return required;
}

bool rules_have_bug(uint64_t set)
{
	for (; set; set &= set - 1)
		if (rules[__builtin_ctzll(set)].bug)
			return true;
	return false;
}

const struct rule *rules_crash(const struct env *env,
			       const struct page_truth *truth)
{
	for (unsigned int i = 0; i < nr_rules; i++)
		if (version_in(&rules[i], env->kernel) && rule_pages_have(&rules[i].crashes, truth))
			return &rules[i];
	return NULL;
}

const struct rule *rule_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_rules; i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}
