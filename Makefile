# SPDX-License-Identifier: GPL-2.0
#
# make help says what there is.

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
PREFIX ?= /usr/local
MODDIR ?= /lib/modules/$(KVER)/updates
O ?= build/local

all: modules command

help:
	@echo 'make               build the modules and the command for the running kernel'
	@echo '                   (KDIR=DIR for the kernel whose headers or tree are there)'
	@echo 'make install       install both (DESTDIR=, PREFIX=$(PREFIX), MODDIR=)'
	@echo 'make dkms          register the modules with DKMS, for every kernel to come'
	@echo 'make demo          check every process of a distribution kernel in a VM'
	@echo 'make check         all tests, in VMs (KERNELS="6.1 6.12", see scripts/vm --kernel list)'
	@echo 'make check-debug   the tests on a kernel with KASAN, lockdep and the rest'
	@echo 'make check-intree  inside kernel source trees: built in, as a module, the selftests'
	@echo 'make oracle        from outside: are the pages where ptwalk says? (KERNELS=, one or more)'
	@echo 'make check-mutants the command on a kernel with bugs planted in its interfaces'
	@echo 'make bench         what the truth costs'
	@echo 'make clean         remove build/'

modules:
	@test -e $(KDIR)/Makefile || { \
		echo 'ptwalk: no kernel headers in $(KDIR).' >&2; \
		echo 'Install those of the running kernel (Debian: apt install linux-headers-$(KVER)),' >&2; \
		echo 'or name a build tree with KDIR=DIR. make demo needs neither: it uses a VM.' >&2; \
		exit 1; }
	mkdir -p $(O)/kmod
	cp -ru kmod/. $(O)/kmod/
	$(MAKE) -C $(KDIR) M=$(abspath $(O))/kmod modules

command:
	@pkg-config --exists libnl-genl-3.0 jansson || { \
		echo 'ptwalk: the command needs libnl-genl-3 and jansson' >&2; \
		echo '(Debian: apt install gcc make pkg-config libnl-genl-3-dev libjansson-dev).' >&2; \
		exit 1; }
	$(MAKE) -C user O=$(abspath $(O))/user

install: all
	$(MAKE) -C user O=$(abspath $(O))/user DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) install
	install -D -m 0644 -t $(DESTDIR)$(MODDIR) $(O)/kmod/ptwalk.ko $(O)/kmod/ptwalk_fixture.ko
	test -n '$(DESTDIR)' || depmod -a $(KVER)

dkms:
	@scripts/dkms

demo:
	@scripts/demo

check:
	@scripts/check $(KERNELS)

check-debug:
	@scripts/check-debug

check-intree:
	@scripts/check-intree

oracle:
	@for kernel in $(or $(KERNELS),6.12); do scripts/oracle $$kernel || exit 1; done

check-mutants:
	@scripts/check-mutants

bench:
	@scripts/bench

clean:
	rm -rf build

.PHONY: all help modules command install dkms demo check check-debug check-intree check-mutants oracle bench clean
