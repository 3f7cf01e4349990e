# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Look-ups in the tables of kernels and architectures.

kernel_names()
{
	awk '!/^#/ && NF { print $1 }' "$SCRIPTS/kernels"
}

# base_kernel ARCH: the first of an architecture, whose suite's programs a guest
# has on a kernel that isn't in the table
base_kernel()
{
	awk -v arch="$1" '!/^#/ && $2 == arch { print $1; exit }' "$SCRIPTS/kernels"
}

# source_suite: where Debian has the source of what kernel() has set
source_suite()
{
	awk -v version="$K_VERSION" -v suite="$K_SUITE" '
		!/^#/ && $4 == version && $5 !~ /^(debug|mutants|races|unfixed|fixed|series)/ {
			if ($3 == suite || !found)
				found = $3
		}
		END { print found }' "$SCRIPTS/kernels"
}

# What a list of modules is kept under, so that another list is another file.
MODULES=modules-$(sha256sum <"$SCRIPTS/guest/modules" | cut -c 1-8)

# Sets K_NAME, K_ARCH, K_SUITE, K_VERSION, K_FLAVOUR, K_QEMU, K_IMAGE, K_COMPILED
# (not empty if lib/compile.sh makes it), and K_MODULES, a file's name without
# .cpio (the modules) or .dep (depmod's), and what architecture() sets.
kernel()
{
	local line
	line=$(awk -v name="$1" '$1 == name' "$SCRIPTS/kernels")
	[ -n "$line" ] || usage_error "no kernel is called '$1' (--kernel list names them)"
	read -r K_NAME K_ARCH K_SUITE K_VERSION K_FLAVOUR K_QEMU <<<"$line"
	architecture "$K_ARCH"
	K_DIR=$CACHE/kernels/$K_NAME
	# Names of the same kernel, called differently, have one module.
	K_BUILD=$BUILD/$(awk -v like="$K_ARCH $K_SUITE $K_VERSION $K_FLAVOUR" \
		'!/^#/ && $2 " " $3 " " $4 " " $5 == like { print $1; exit }' "$SCRIPTS/kernels")
	K_IMAGE=$K_DIR/vmlinuz
	K_MODULES=$K_DIR/$MODULES
	K_COMPILED=
	case $K_FLAVOUR in
	debug* | mutants | races | unfixed | fixed | series) K_COMPILED=1 ;;
	esac
	# That is another one in another tree, with other tables, and has no other
	# modules than its configuration.
	if [ -n "$K_COMPILED" ]; then
		K_DIR=$BUILD/.kernel-$K_NAME
		K_IMAGE=$K_DIR/vmlinuz
		K_MODULES=$K_DIR/modules
	fi
	# That one has our source in it, so it is no more to be shared than a
	# module is.
	[ "$K_FLAVOUR" != debug-builtin ] || K_IMAGE=$K_BUILD/vmlinuz
	U_BUILD=$BUILD/$K_SUITE-$K_ARCH
}

# Sets A_ARCH, A_KBUILD, A_TRIPLET, A_PACKAGE, A_QEMU, A_CONSOLE, A_ARGS.
architecture()
{
	local line
	line=$(awk -v name="$1" '$1 == name' "$SCRIPTS/architectures")
	[ -n "$line" ] || usage_error "no architecture is called '$1'"
	read -r A_ARCH A_KBUILD A_TRIPLET A_PACKAGE A_QEMU A_CONSOLE A_ARGS <<<"$line"
	A_CROSS=
	[ "$A_ARCH" = "$(host_arch)" ] || A_CROSS=$A_TRIPLET-
}

host_arch()
{
	dpkg --print-architecture 2>/dev/null || echo amd64
}
