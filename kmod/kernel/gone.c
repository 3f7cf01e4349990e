// SPDX-License-Identifier: GPL-2.0
/* Where the code of modules was that are gone. */
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include "../compat/module.h"
#include "gone.h"

/* Modules that are remembered; a new one takes the place of the oldest. */
#define KTABLE_GONE	64

/**
 * struct ktable_gone_module - a module that is gone
 * @text: Its code; none: nobody.
 * @name: Of the module.
 */
struct ktable_gone_module {
	struct ptwalk_text text;
	char name[MODULE_NAME_LEN];
};

static struct ktable_gone_module gone[KTABLE_GONE];
static unsigned int next_gone;
static DEFINE_MUTEX(gone_lock);

/* Another module has code there now. */
static void forget(const struct ptwalk_text text)
{
	struct ptwalk_text *old;
	int i;

	for (i = 0; i < KTABLE_GONE; i++) {
		old = &gone[i].text;
		if (old->start < text.start + text.bytes && text.start < old->start + old->bytes)
			old->bytes = 0;
	}
}

static void remember(const struct module *mod)
{
	struct ktable_gone_module *g = &gone[next_gone++ % KTABLE_GONE];

	g->text = ptwalk_module_text(mod, false);
	strscpy(g->name, mod->name, sizeof(g->name));
}

/* What is at an address was made by the last module that had code there. */
static int module_event(struct notifier_block *block, unsigned long event, void *data)
{
	const struct module *mod = data;

	mutex_lock(&gone_lock);
	if (event == MODULE_STATE_COMING) {
		forget(ptwalk_module_text(mod, false));
		forget(ptwalk_module_text(mod, true));
	} else if (event == MODULE_STATE_GOING) {
		remember(mod);
	}
	mutex_unlock(&gone_lock);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call	= module_event,
};

void ktable_gone(ktable_take_gone take, void *arg)
{
	int i;

	mutex_lock(&gone_lock);
	for (i = 0; i < KTABLE_GONE; i++)
		if (gone[i].text.bytes)
			take(arg, gone[i].name, gone[i].text.start,
			     gone[i].text.start + gone[i].text.bytes - 1);
	mutex_unlock(&gone_lock);
}

int ktable_gone_init(void)
{
	return register_module_notifier(&module_block);
}

void ktable_gone_exit(void)
{
	unregister_module_notifier(&module_block);
}
