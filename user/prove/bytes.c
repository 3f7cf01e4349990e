// SPDX-License-Identifier: GPL-2.0
/* Memory read in two ways, compared. */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "prove/bytes.h"

const char *const bytes_rule[] = {
	[BYTES_SAME] = NULL,
	[BYTES_MOVING] = "bytes-move",
	[BYTES_APART] = "bytes-differ",
};

static bool any_same(const struct bytes_pair *pair, size_t size)
{
	return !memcmp(pair->virt[0], pair->phys[0], size) ||
	       !memcmp(pair->virt[1], pair->phys[0], size) ||
	       !memcmp(pair->virt[1], pair->phys[1], size);
}

enum bytes bytes_judge(const struct bytes_pair *pair, size_t size,
		       struct bytes_words *words)
{
	const uint64_t *virt[2] = { pair->virt[0], pair->virt[1] };
	const uint64_t *phys[2] = { pair->phys[0], pair->phys[1] };
	size_t i, same = 0, one_sided = 0;

	*words = (struct bytes_words){ .words = size / sizeof(**virt) };
	if (any_same(pair, size))
		return BYTES_SAME;
	for (i = 0; i < words->words; i++) {
		bool virt_moved = virt[0][i] != virt[1][i];
		bool phys_moved = phys[0][i] != phys[1][i];

		if (virt[0][i] == phys[0][i] || virt[1][i] == phys[0][i] ||
		    virt[1][i] == phys[1][i]) {
			same++;
		} else if (!virt_moved && !phys_moved) {
			if (!words->apart++)
				words->first = i * sizeof(**virt);
		} else if (virt_moved != phys_moved) {
			one_sided++;
		}
	}
	if (words->apart)
		return BYTES_APART;
	return !one_sided && same >= words->words / 2 ? BYTES_SAME :
							BYTES_MOVING;
}

static bool is_apart(const struct bytes_pair *pair, size_t i)
{
	const uint64_t *virt[2] = { pair->virt[0], pair->virt[1] };
	const uint64_t *phys[2] = { pair->phys[0], pair->phys[1] };

	return virt[0][i] == virt[1][i] && phys[0][i] == phys[1][i] &&
	       virt[0][i] != phys[0][i];
}

static void begin_streak(struct bytes_streak *streak, const struct bytes_pair *pair,
			 size_t nr)
{
	const uint64_t *virt = pair->virt[0], *phys = pair->phys[0];

	for (size_t i = 0; i < nr; i++) {
		streak->word[i] = virt[i];
		streak->word[nr + i] = is_apart(pair, i) ? phys[i] : virt[i];
	}
}

/* Takes out the words that aren't what they were; returns how many are left. */
static size_t continue_streak(struct bytes_streak *streak, const struct bytes_pair *pair,
			      size_t nr)
{
	const uint64_t *virt = pair->virt[0], *phys = pair->phys[0];
	size_t left = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!is_apart(pair, i) || streak->word[i] != virt[i] ||
		    streak->word[nr + i] != phys[i])
			streak->word[nr + i] = streak->word[i];
		left += streak->word[i] != streak->word[nr + i];
	}
	return left;
}

bool bytes_again(struct bytes_streak *streak, const struct bytes_pair *pair,
		 size_t size, struct bytes_words *words)
{
	const size_t nr = size / sizeof(*streak->word);

	if (!streak->word)
		streak->word = calloc(2 * nr, sizeof(*streak->word));
	if (!streak->word)
		return false;
	if (streak->rounds && !continue_streak(streak, pair, nr))
		streak->rounds = 0;
	if (!streak->rounds++)
		begin_streak(streak, pair, nr);
	words->apart = 0;
	for (size_t i = nr; i--;) {
		if (streak->word[i] == streak->word[nr + i])
			continue;
		words->apart++;
		words->first = i * sizeof(*streak->word);
	}
	return true;
}

void bytes_streak_free(struct bytes_streak *streak)
{
	free(streak->word);
	*streak = (struct bytes_streak){ 0 };
}

/**
 * struct bytes_slot - a frame
 * @frame: Its number + 1; 0: a free slot.
 * @hash: Of its contents; 0 of zeros only.
 */
struct bytes_slot {
	uint64_t frame, hash;
};

static uint64_t mix(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15ULL;	/* 2^64 over the golden ratio */
	return h ^ h >> 29;
}

bool bytes_zero(const void *page, size_t size)
{
	const uint64_t *word = page;
	size_t i;

	for (i = 0; i < size / sizeof(*word); i++)
		if (word[i])
			return false;
	return true;
}

static uint64_t hash_of(const void *page, size_t size)
{
	const uint64_t *word = page;
	uint64_t hash = 0;
	size_t i;

	if (bytes_zero(page, size))
		return 0;
	for (i = 0; i < size / sizeof(*word); i++)
		hash = mix(hash ^ word[i]) + i;
	return hash | 1;
}

/* Its slot, or the free one where it belongs. There always is a free one. */
static struct bytes_slot *slot_of(const struct bytes_seen *seen,
				  uint64_t frame)
{
	size_t i = mix(frame) >> 8 & (seen->max - 1);

	while (seen->slot[i].frame && seen->slot[i].frame != frame + 1)
		i = (i + 1) & (seen->max - 1);
	return &seen->slot[i];
}

static bool grow_seen(struct bytes_seen *seen)
{
	struct bytes_seen bigger = { .max = seen->max ? seen->max * 2 : 1024 };
	size_t i;

	if (seen->nr + 1 <= seen->max / 2)
		return true;
	bigger.slot = calloc(bigger.max, sizeof(*bigger.slot));
	if (!bigger.slot)
		return false;
	for (i = 0; i < seen->max; i++)
		if (seen->slot[i].frame)
			*slot_of(&bigger, seen->slot[i].frame - 1) =
				seen->slot[i];
	free(seen->slot);
	seen->slot = bigger.slot;
	seen->max = bigger.max;
	return true;
}

bool bytes_see(struct bytes_seen *seen, uint64_t frame, const void *page,
	       size_t size)
{
	struct bytes_slot *slot;

	if (seen->nr < BYTES_SEEN_MAX && !grow_seen(seen))
		return false;
	slot = slot_of(seen, frame);
	if (slot->frame)
		return true;
	if (seen->nr == BYTES_SEEN_MAX) {
		seen->left_out++;
		return true;
	}
	slot->frame = frame + 1;
	slot->hash = hash_of(page, size);
	seen->nr++;
	return true;
}

struct bytes_sum bytes_sum(const struct bytes_seen *seen)
{
	struct bytes_sum sum = { .frames = seen->nr };
	uint64_t *hash = calloc(seen->nr + 1, sizeof(*hash));
	size_t i, nr = 0;

	for (i = 0; i < seen->max; i++) {
		if (!seen->slot[i].frame)
			continue;
		if (!seen->slot[i].hash)
			sum.zero++;
		else if (hash)
			hash[nr++] = seen->slot[i].hash;
	}
	if (nr)
		qsort(hash, nr, sizeof(*hash), array_order);
	for (i = 0; i < nr; i++)
		sum.alone += (!i || hash[i] != hash[i - 1]) &&
			     (i + 1 == nr || hash[i] != hash[i + 1]);
	free(hash);
	return sum;
}

void bytes_free(struct bytes_seen *seen)
{
	free(seen->slot);
	memset(seen, 0, sizeof(*seen));
}
