# SPDX-License-Identifier: GPL-2.0
#
# make help says what there is.

# Either of the two names the kernel: KVER is what KDIR was made for.
ifeq ($(origin KDIR),undefined)
KVER ?= $(shell uname -r)
endif
KVER ?= $(shell sed -n 's/^.define UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
KDIR ?= /lib/modules/$(KVER)/build
PREFIX ?= /usr/local
MODDIR ?= /lib/modules/$(KVER)/updates
O ?= build/local
# Where kselftest_harness.h is.
KSFT_DIR ?= $(firstword $(wildcard $(KDIR)/tools/testing/selftests \
	$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ptwalk/source/6.12/tools/testing/selftests))

ifneq ($(words $(CURDIR) $(O)),2)
  $(error ptwalk: make can't do with blanks in the names of folders: '$(CURDIR)', O='$(O)')
endif
# Kbuild and the folders have outputs of their own.
MAKEOVERRIDES := $(filter-out O=%,$(MAKEOVERRIDES))
unexport O

all: modules command

help:
	@echo 'make               build the modules and the command for the running kernel'
	@echo '                   (KDIR=DIR for the kernel whose headers or tree are there)'
	@echo 'make install       install the modules and the command (DESTDIR=, PREFIX=$(PREFIX), MODDIR=)'
	@echo 'make uninstall     remove them again'
	@echo 'make install-fixture  install the driver that the tests map, too: not for a machine in use'
	@echo 'make dkms          register the module with DKMS, for every kernel to come'
	@echo 'make deb           the Debian packages, into build/deb-bookworm (SUITE=trixie)'
	@echo 'make kmod, make user, make selftests  build that part alone'
	@echo 'make demo          check every process of a distribution kernel in a VM'
	@echo 'make check         all tests, in VMs (KERNELS="6.1 6.12", see scripts/vm --kernel list)'
	@echo 'make check-debug   the tests on a kernel with KASAN, lockdep and the rest'
	@echo 'make check-deb     the Debian packages in a clean root: installed, upgraded, purged'
	@echo 'make check-intree  inside kernel source trees: built in, as a module, the selftests'
	@echo 'make check-kselftest  the installed selftests: the same results as make check? (KERNELS=)'
	@echo 'make check-series  the patches for the kernel: each builds and boots; their selftests (KERNELS=)'
	@echo 'make oracle        from outside: are the pages where ptwalk says? (KERNELS=, one or more)'
	@echo 'make stress        the command while all memory changes (SECONDS=60, SEED=, KERNELS=);'
	@echo '                   KERNEL_TABLES=1: ptwalk kernel while the kernel changes its own'
	@echo 'make hunt          drawn operations on memory against a model (SECONDS=60, SEED=, KERNELS=)'
	@echo 'make check-mutants the command and laws on a kernel with bugs planted'
	@echo 'make check-tests   whether each test of scripts/tests finds what it is for (TESTS=)'
	@echo 'make check-beside  ptwalk check beside the selftests of mm of the kernel (KERNELS=)'
	@echo 'make check-reports the reproducers of kernel bugs, on kernels without and with fixes'
	@echo 'make check-long    all that takes hours, what was not run at this commit; a table of it'
	@echo 'make bench         what it costs, in instructions, against goals (NATIVE=1: in nanoseconds)'
	@echo 'make clean         remove build/'

modules:
	@test -e $(KDIR)/Makefile || { \
		echo 'ptwalk: no kernel headers in $(KDIR).' >&2; \
		echo 'Install those of the running kernel (Debian: apt install linux-headers-$(or $(KVER),RELEASE)),' >&2; \
		echo 'or name a build tree with KDIR=DIR. make demo needs neither: it uses a VM.' >&2; \
		exit 1; }
	@# What was built for another kernel looks up to date to kbuild.
	@test "$$(cat $(O)/kmod.of 2>/dev/null)" = '$(KDIR) $(KVER)' || rm -rf $(O)/kmod
	mkdir -p $(O)/kmod
	cp -ru --no-preserve=mode kmod/. $(O)/kmod/
	@echo '$(KDIR) $(KVER)' >$(O)/kmod.of
	$(MAKE) -C $(KDIR) M=$(abspath $(O))/kmod modules

command:
	@pkg-config --exists libnl-genl-3.0 || { \
		echo 'ptwalk: the command needs libnl-genl-3' >&2; \
		echo '(Debian: apt install gcc libc6-dev make pkg-config libnl-genl-3-dev).' >&2; \
		exit 1; }
	$(MAKE) -C user O=$(abspath $(O))/user

selftests:
	mkdir -p $(O)/selftests
	$(MAKE) -C selftests OUTPUT=$(abspath $(O))/selftests KSFT_DIR=$(abspath $(KSFT_DIR))

# The folders of the same names.
kmod: modules
user: command

# For people whose KDIR doesn't tell.
release:
	@test -n '$(KVER)' || { \
		echo 'ptwalk: $(KDIR) does not say which kernel it is of: name it with KVER=' >&2; \
		exit 1; }

install: all release
	$(MAKE) -C user O=$(abspath $(O))/user DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) install
	install -D -m 0644 -t $(DESTDIR)$(MODDIR) $(O)/kmod/ptwalk.ko $(O)/kmod/ptwalk_device.ko
	@# Not all architectures have these.
	for m in kernel guest; do \
		test ! -e $(O)/kmod/ptwalk_$$m.ko || \
			install -D -m 0644 -t $(DESTDIR)$(MODDIR) $(O)/kmod/ptwalk_$$m.ko || exit; \
	done
	test -n '$(DESTDIR)' || { depmod -a $(KVER) && ldconfig; }

install-fixture: modules release
	install -D -m 0644 -t $(DESTDIR)$(MODDIR) $(O)/kmod/ptwalk_fixture.ko
	test -n '$(DESTDIR)' || depmod -a $(KVER)

uninstall: release
	$(MAKE) -C user O=$(abspath $(O))/user DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) uninstall
	$(RM) $(addprefix $(DESTDIR)$(MODDIR)/ptwalk,.ko _device.ko _kernel.ko _guest.ko _fixture.ko)
	test -n '$(DESTDIR)' || { depmod -a $(KVER) && ldconfig; }

dkms:
	@scripts/dkms

deb:
	@scripts/deb $(if $(SUITE),--suite $(SUITE))

demo:
	@scripts/demo

check:
	@scripts/check $(KERNELS)

check-debug:
	@scripts/check-debug

check-deb:
	@scripts/check-deb $(SUITE)

check-intree:
	@scripts/check-intree

check-kselftest:
	@scripts/check-kselftest $(KERNELS)

check-series:
	@scripts/check-series $(KERNELS)

oracle:
	@for kernel in $(or $(KERNELS),6.12); do scripts/oracle $$kernel || exit 1; done

check-mutants:
	@scripts/check-mutants

check-tests:
	@scripts/check-tests $(TESTS)

check-beside:
	@scripts/check-beside $(KERNELS)

check-reports:
	@scripts/check-reports $(KERNELS)

check-long:
	@scripts/check-long $(TESTS)

stress:
	@scripts/stress $(if $(KERNEL_TABLES),--kernel-tables) $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) $(KERNELS)

hunt:
	@scripts/hunt $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) $(KERNELS)

bench:
	@scripts/bench $(if $(NATIVE),--native)

clean:
	rm -rf build

.PHONY: all help modules command kmod user selftests release install install-fixture uninstall dkms deb demo check check-debug check-beside check-deb check-intree check-kselftest check-series check-mutants check-tests check-reports check-long oracle stress hunt bench clean
