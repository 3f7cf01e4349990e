// SPDX-License-Identifier: GPL-2.0
#include "source.h"

const struct source *const sources[] = {
	&source_pagemap,
	NULL
};
