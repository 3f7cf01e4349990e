# SPDX-License-Identifier: GPL-2.0
#
# Each page of a large folio is called exclusive if its first page is.
#
# kernel: 6.12
# file: kmod/page.c
# run: /selftests/parted
# fails: parted.small_entries
/^static u32 ptwalk_large_page_facts\(/,/^}/s/ptwalk_page_mapcount\(folio, page\)/ptwalk_page_mapcount(folio, \&folio->page)/
