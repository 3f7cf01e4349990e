// SPDX-License-Identifier: GPL-2.0
/*
 * Where the code of modules was that are gone. An address names one of them if no other
 * module is known to have had code there, be it for its start only: what such code has
 * made may be in use.
 */
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include "../compat/module.h"
#include "gone.h"

/*
 * Places that are known: two of each module, so that some 120 may come and go. When there
 * is no room for another, no more are learnt, and what the code of further modules has made
 * isn't told as that of a module that is gone.
 */
#define KTABLE_PLACES	256

/**
 * struct ktable_place - addresses that had the code of modules
 * @start: First address.
 * @end: The address behind the last.
 * @text: Where the code began that was there until the module was unloaded; 0: it is
 *	start-up code.
 * @gone: The module is; it may be loaded again, elsewhere.
 * @name: Of the module; "": there were several.
 */
struct ktable_place {
	unsigned long start, end, text;
	bool gone;
	char name[MODULE_NAME_LEN];
};

/* Ascending, none overlaps another. */
static struct ktable_place places[KTABLE_PLACES];
static unsigned int nr_places;
static bool is_full;
static DEFINE_MUTEX(gone_lock);

/* Makes room for one before the place @i. */
static bool make_room(unsigned int i)
{
	is_full |= nr_places == KTABLE_PLACES;
	if (is_full)
		return false;
	memmove(&places[i + 1], &places[i], (nr_places - i) * sizeof(places[0]));
	nr_places++;
	return true;
}

/* Makes two places of one; without room for that, it stays one. */
static void split(unsigned int i, unsigned long addr)
{
	if (addr <= places[i].start || addr >= places[i].end || !make_room(i))
		return;
	places[i] = places[i + 1];
	places[i].end = addr;
	places[i + 1].start = addr;
}

static bool is_alike(const struct ktable_place *a, const struct ktable_place *b)
{
	return a->text == b->text && a->gone == b->gone && !strcmp(a->name, b->name);
}

static void join(void)
{
	unsigned int i, nr = 0;

	for (i = 1; i < nr_places; i++) {
		if (places[nr].end == places[i].start && is_alike(&places[nr], &places[i]))
			places[nr].end = places[i].end;
		else
			places[++nr] = places[i];
	}
	nr_places = nr_places ? nr + 1 : 0;
}

/* New code is where a place is already. */
static void meet(struct ktable_place *old, const struct ktable_place *new)
{
	if (strcmp(old->name, new->name)) {
		old->name[0] = '\0';
		old->text = 0;
		old->gone = false;
	} else {
		old->text = new->text;
		old->gone = new->gone;
	}
}

/* The module has code there: @init, that of its start, or @gone, what it had until now. */
static void learn(const struct module *mod, bool init, bool gone)
{
	const struct ptwalk_text text = ptwalk_module_text(mod, init);
	struct ktable_place new = { .text = init ? 0 : text.start, .gone = gone };
	unsigned long at = text.start, end = text.start + text.bytes;
	unsigned int i = 0;

	strscpy(new.name, mod->name, sizeof(new.name));
	while (at < end) {
		while (i < nr_places && places[i].end <= at)
			i++;
		if (i < nr_places && places[i].start <= at) {
			split(i, at);
			if (places[i].end <= at)
				i++;
			split(i, end);
			meet(&places[i], &new);
			at = places[i].end;
			continue;
		}
		new.start = at;
		new.end = i < nr_places ? min(end, places[i].start) : end;
		at = new.end;
		if (make_room(i))
			places[i] = new;
	}
	join();
}

static void leave(const struct module *mod)
{
	unsigned int i;

	learn(mod, false, true);
	for (i = 0; i < nr_places; i++)
		if (!strcmp(places[i].name, mod->name))
			places[i].gone = true;
	join();
}

static int module_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&gone_lock);
	if (event == MODULE_STATE_COMING)
		learn(data, true, false);
	else if (event == MODULE_STATE_GOING)
		leave(data);
	mutex_unlock(&gone_lock);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call	= module_event,
};

void ktable_gone(ktable_take_gone take, void *arg)
{
	const struct ktable_place *p;

	mutex_lock(&gone_lock);
	for (p = places; p < places + nr_places; p++)
		if (p->gone)
			take(arg, p->name, p->start, p->end - 1, p->text);
	mutex_unlock(&gone_lock);
}

/* Its own start-up code was there before it could be told. */
int ktable_gone_init(void)
{
	mutex_lock(&gone_lock);
	learn(THIS_MODULE, true, false);
	mutex_unlock(&gone_lock);
	return register_module_notifier(&module_block);
}

void ktable_gone_exit(void)
{
	unregister_module_notifier(&module_block);
}
