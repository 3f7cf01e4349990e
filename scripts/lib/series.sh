# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What the patches of scripts/series change in a kernel's tree; all else of them is new.
SERIES_CHANGED="MAINTAINERS mm/Kconfig mm/Makefile Documentation/admin-guide/mm/index.rst
	tools/testing/selftests/Makefile tools/testing/selftests/mm/Makefile
	tools/testing/selftests/mm/config
	tools/testing/selftests/mm/run_vmtests.sh"
