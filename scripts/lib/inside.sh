#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of scripts/build that runs inside a build root, where the source is
# at /src, build/ at /build and the cache at /cache.
#
#   inside.sh user SUITE ARCH TRIPLET CROSS KSFT
#   inside.sh kernel TREE ARCH(kbuild) CROSS LOCALVERSION
#   inside.sh builtin TREE ARCH(kbuild) CROSS LOCALVERSION IMAGE
#   inside.sh module NAME RELEASE ARCH(kbuild) CROSS
#   inside.sh mm_selftests TREE ARCH(kbuild) CROSS PROGRAM...
#   inside.sh intree_builtin|intree_module|intree_selftests|intree_remove TREE ARCH(kbuild)
#   inside.sh series_kernel|series_docs|kselftest TREE ARCH(kbuild) CROSS
#   inside.sh series_arch TREE ARCH(kbuild) CROSS OBJECTS DEFCONFIG OPTION...
# shellcheck disable=SC2317
set -euo pipefail

jobs=-j$(nproc)

same_text()
{
	sed -u -e "s,/build/[^ ]*/kmod/,kmod/,g" -e "s,\(^\|[ '\"(:]\)/src/,\1,g"
}

build_user()
{
	local suite=$1 arch=$2 triplet=$3 cross=$4 ksft=$5
	local out=/build/$suite-$arch
	local stage=$out/stage
	cross_libraries "$cross"
	mkdir -p "$out"
	rm -rf "$stage"
	mkdir -p "$stage"/usr/{bin,sbin,lib,lib64} "$stage"/{dev,proc,sys,run,tmp,root,etc,job}
	local d
	for d in bin sbin lib lib64; do
		ln -s "usr/$d" "$stage/$d"
	done
	printf '%s\n' root:x:0:0:root:/root:/bin/sh nobody:x:65534:65534:nobody:/:/bin/sh >"$stage/etc/passwd"
	printf '%s\n' root:x:0: nogroup:x:65534: >"$stage/etc/group"
	echo 127.0.0.1 localhost >"$stage/etc/hosts"

	local cc=${cross}gcc flags="-std=gnu11 -O2 -Wall -Wextra -Wno-unused-result -static"
	# shellcheck disable=SC2086
	$cc $flags -o "$stage/init" /src/scripts/guest/init.c
	# shellcheck disable=SC2086
	[ -n "$cross" ] || gcc $flags -o "$out/console" /src/scripts/guest/console.c
	# shellcheck disable=SC2086
	[ -n "$cross" ] || gcc $flags -o "$out/oracle" /src/scripts/oracle-host/*.c

	if [ -n "$cross" ]; then
		cp "/usr/lib/busybox/$arch" "$stage/usr/bin/busybox"
	else
		cp -L /bin/busybox "$stage/usr/bin/busybox"
	fi
	local applet
	for applet in $(/bin/busybox --list); do
		[ "$applet" = busybox ] || ln -s busybox "$stage/usr/bin/$applet"
	done

	if [ -e /src/user/Makefile ]; then
		make -s -C /src/user "$jobs" --no-print-directory O="$out/user" CC="$cc" \
			PKG_CONFIG=pkg-config WERROR=1 all "$out/user/tests/example" "$out/user/tests/example_runs"
		cp "$out/user/ptwalk" "$stage/usr/bin/"
		cp "$out/user/tests/example" "$stage/usr/bin/libptwalk-example"
		cp "$out/user/tests/example_runs" "$stage/usr/bin/libptwalk-example-runs"
		# For a Python that is put into the guest.
		install -D -t "$stage/usr/lib/$(multiarch "$triplet")" "$out/user/libptwalk.so.1"
		install -D -m 644 -t "$stage/usr/lib/python3/dist-packages" /src/user/python/ptwalk.py
	fi
	cp /src/scripts/guest/man.sh "$stage/usr/bin/man"
	# For 32 bits, the compiler warns of kselftest_harness.h itself.
	local tests strict=
	[ -n "$cross" ] || strict=-Werror
	mkdir -p "$out/selftests" "$stage/selftests"
	for tests in selftests user/tests/guest; do
		[ -e "/src/$tests/Makefile" ] || continue
		make -s -C "/src/$tests" "$jobs" --no-print-directory OUTPUT="$out/selftests" \
			CC="$cc" KSFT_DIR="$ksft" PKG_CONFIG=pkg-config USERCFLAGS="$strict"
		find "/src/$tests" -maxdepth 1 -type f \
			\( -perm -u+x -o -name '*.sh' -o -name config -o -name settings -o -name programs \) \
			-exec cp -n {} "$stage/selftests/" \;
	done
	rsync -a --exclude '*.o' --exclude '*.d' "$out/selftests/" "$stage/selftests/"
	libraries "$triplet" "$stage"
	(cd "$stage" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >"$out/guest.cpio.new"
	mv "$out/guest.cpio.new" "$out/guest.cpio"
}

# libraries TRIPLET STAGE: adds the shared libraries that the programs there
# need, and what those need.
libraries()
{
	local triplet=$1 stage=$2 before=-1 now name dir
	while :; do
		now=$(find "$stage" -type f | wc -l)
		[ "$now" != "$before" ] || break
		before=$now
		find "$stage" -type f \( -perm -u+x -o -name '*.so*' \) -print0 |
			{ xargs -0 readelf -dl 2>/dev/null || :; } |
			sed -nE -e 's/.*\(NEEDED\).*\[(.*)\]/\1/p' -e 's/.*program interpreter: (.*)\]/\1/p' |
			sort -u |
		while read -r name; do
			case $name in
			/*) # the dynamic loader, at the place that the programs name
				dir=${name%/*}
				dir=${dir#/usr}
				[ -e "$stage/usr$dir/${name##*/}" ] || {
					mkdir -p "$stage/usr$dir"
					cp -L "$(find_library "$triplet" "${name##*/}")" "$stage/usr$dir/${name##*/}"
				}
				;;
			*)
				dir=/usr/lib/$(multiarch "$triplet")
				[ -e "$stage$dir/$name" ] || {
					mkdir -p "$stage$dir"
					cp -L "$(find_library "$triplet" "$name")" "$stage$dir/$name"
				}
				;;
			esac
		done
	done
}

# cross_libraries CROSS: what pkg-config is to tell of
cross_libraries()
{
	[ -n "$1" ] || return 0
	PKG_CONFIG_LIBDIR=/usr/lib/$(multiarch "${1%-}")/pkgconfig:/usr/share/pkgconfig
	export PKG_CONFIG_LIBDIR
}

# The folder of an architecture's libraries has the compiler's name of it, but
# for one.
multiarch()
{
	echo "${1/#i686-/i386-}"
}

find_library()
{
	local d
	for d in "/usr/lib/$(multiarch "$1")" "/lib/$(multiarch "$1")" "/usr/$1/lib" /lib64 /lib; do
		if [ -e "$d/$2" ]; then
			echo "$d/$2"
			return
		fi
	done
	echo "no library $2 for $1" >&2
	return 1
}

build_module()
{
	local name=$1 release=$2 kbuild=$3 cross=$4 frame=2048
	local out=/build/$name/kmod
	# Some kernels allow no larger frame. KASAN makes each larger.
	[[ $kbuild != x86 || $name == debug* ]] || frame=1024
	# The headers of another kernel may be older than what was built for this one; for
	# which that was isn't told at first.
	echo "$release" | cmp -s - "$out/.release" || rm -rf "$out"
	mkdir -p "$out"
	echo "$release" >"$out/.release"
	# What is gone from the source shall not be found by an include.
	rsync -a --delete --filter='P *.o' --filter='P .*' --filter='P *.ko' \
		--filter='P *.mod' --filter='P *.mod.c' --filter='P modules.order' \
		--filter='P Module.symvers' /src/kmod/ "$out/"
	make -C "/usr/src/linux-headers-$release" "$jobs" M="$out" ARCH="$kbuild" \
		CROSS_COMPILE="$cross" W=1 KCFLAGS="-Werror -Wframe-larger-than=$frame" modules
}

# kernel_make ARGUMENT...: in the tree of build_kernel. Another command line
# would compile everything anew.
kernel_make()
{
	make "$jobs" ARCH="$kbuild" CROSS_COMPILE="$cross" LOCALVERSION="$version" \
		KBUILD_BUILD_USER=ptwalk KBUILD_BUILD_HOST=ptwalk "$@"
}

# A kernel from source, in a tree of its own. The objects stay there for
# build_builtin; what modules are built against is copied to headers/.
build_kernel()
{
	local tree=$1 kbuild=$2 cross=$3 version=$4 option
	cd "$tree"
	kernel_make tinyconfig
	scripts/kconfig/merge_config.sh -m .config debug.config
	kernel_make olddefconfig
	# What was asked for and isn't there would be missed by nobody.
	grep '^CONFIG_.*=[ym]' debug.config | while read -r option; do
		grep -qxF "$option" .config || echo "not to be had in this kernel: $option"
	done >missing.config
	cat missing.config
	[ ! -s missing.config ]
	kernel_make -s image_name >image
	kernel_make "$(basename "$(cat image)")" modules
	kernel_make INSTALL_MOD_PATH=installed INSTALL_MOD_STRIP=1 modules_install
	rm -f installed/lib/modules/*/build installed/lib/modules/*/source
	# For modules, which are built for kernels of this machine's architecture; 6.1
	# can't copy its headers.
	# shellcheck disable=SC2016
	[ -n "$cross" ] || [ ! -e scripts/package/install-extmod-build ] || kernel_make run-command \
		KBUILD_RUN_COMMAND='$(srctree)/scripts/package/install-extmod-build headers'
}

# The same kernel with our module linked into it: what is compiled is that.
build_builtin()
{
	local tree=$1 kbuild=$2 cross=$3 version=$4 image=$5
	cd "$tree"
	/src/scripts/intree .
	echo 'ccflags-y += -Werror' >>mm/ptwalk/Kbuild
	scripts/config -e PTWALK -d PTWALK_DEVICE -d PTWALK_FIXTURE
	kernel_make olddefconfig
	grep -qx CONFIG_PTWALK=y .config
	kernel_make bzImage
	cp arch/x86/boot/bzImage "$image.new"
	mv "$image.new" "$image"
}

# What scripts/check-intree does in a tree: with the memory features of the debug
# kernel, and without its checks. Nothing is a module of the kernel's own, since
# the guest carries none.
intree_make()
{
	make "$jobs" ARCH="$kbuild" CROSS_COMPILE="${cross:-}" "$@"
}

build_intree_builtin()
{
	local tree=$1 kbuild=$2 edited=$1.edited file
	cd "$tree"
	# For build_intree_remove.
	[ -d "$edited" ] || for file in mm/Kconfig mm/Makefile tools/testing/selftests/Makefile; do
		mkdir -p "$edited/${file%/*}"
		cp "$file" "$edited/$file"
	done
	/src/scripts/intree .
	/src/scripts/intree .
	echo 'ccflags-y += -Werror' >>mm/ptwalk/Kbuild
	awk -v arch=amd64 -f /src/scripts/config.awk /src/scripts/debug.config |
		sed -e '/^# Checks/,$d' -e 's/=m$/=y/' >intree.config
	printf '%s\n' CONFIG_PTWALK{,_DEVICE,_FIXTURE}=y >>intree.config
	intree_make tinyconfig
	scripts/kconfig/merge_config.sh -m .config intree.config
	intree_make olddefconfig
	grep -qx CONFIG_PTWALK=y .config
	grep -qx CONFIG_PTWALK_DEVICE=y .config
	grep -qx CONFIG_PTWALK_FIXTURE=y .config
	intree_make bzImage
	cp "arch/$kbuild/boot/bzImage" ptwalk-builtin
}

build_intree_module()
{
	local tree=$1 kbuild=$2 file
	cd "$tree"
	scripts/config -m PTWALK -m PTWALK_DEVICE -m PTWALK_FIXTURE
	intree_make olddefconfig
	rm -f mm/ptwalk/*.ko
	intree_make bzImage modules
	for file in mm/ptwalk/ptwalk{,_device,_fixture}.ko; do
		[ "$(modinfo -F intree "$file")" = Y ]
	done
}

build_intree_selftests()
{
	local tree=$1 kbuild=$2 program
	cd "$tree"
	intree_make headers
	make -C tools/testing/selftests TARGETS=ptwalk
	rm -rf installed
	make -C tools/testing/selftests TARGETS=ptwalk INSTALL_PATH="$tree/installed" install
	# shellcheck disable=SC2016
	for program in run $(make -s -C /src/selftests -f - names <<<'include Makefile
names: ; @echo $(notdir $(TEST_GEN_PROGS))'); do
		[ -x "installed/ptwalk/$program" ] || { echo "no $program was installed"; return 1; }
	done
	for program in ptwalk ptwalk_device ptwalk_fixture; do
		[ -e "installed/ptwalk/modules/$program.ko" ] || { echo "no $program.ko was installed"; return 1; }
	done
}

build_intree_remove()
{
	local tree=$1 edited=$1.edited
	cd "$tree"
	/src/scripts/intree --remove .
	/src/scripts/intree --remove .
	diff -r "$edited/mm/Kconfig" mm/Kconfig
	diff -r "$edited/mm/Makefile" mm/Makefile
	diff -r "$edited/tools/testing/selftests/Makefile" tools/testing/selftests/Makefile
	# The build's own files are not ours to remove.
	! find . -path ./installed -prune -o -path ./usr/include -prune -o \
		-name 'ptwalk*' ! -name ptwalk-builtin -print | grep .
}

# Programs of the kernel's own selftests, without libraries that a guest would lack.
# khugepaged.c of 6.12 has KSFT_SKIP from a header that it doesn't include.
build_mm_selftests()
{
	local tree=$1 kbuild=$2 cross=$3
	shift 3
	cd "$tree"
	intree_make headers
	mkdir -p programs
	# Their Makefile has rules for x86_64, which is x86 to the kernel's own.
	[ "$kbuild" != x86 ] || kbuild=x86_64
	make "$jobs" -C tools/testing/selftests/mm ARCH="$kbuild" CROSS_COMPILE="$cross" OUTPUT="$tree/programs" \
		EXTRA_CFLAGS="-static -DKSFT_SKIP=4" "${@/#/$tree/programs/}"
}

# What scripts/check-series does in a tree, which has been built without ptwalk:
# with it, the test driver as a module, and the new files as warnings see them.
build_series_kernel()
{
	local tree=$1 kbuild=$2 cross=$3 new=mm/ptwalk_test.o
	cd "$tree"
	scripts/config -e PTWALK_TEST -e PTWALK -m PTWALK_FIXTURE
	intree_make olddefconfig
	grep -qx CONFIG_PTWALK_TEST=y .config
	intree_make "$(basename "$(cat image)")" modules
	if [ -e mm/ptwalk ]; then
		grep -qx CONFIG_PTWALK=y .config
		# The commands of before, so that nothing is compiled anew behind it.
		cp -rp mm/ptwalk mm/ptwalk.built
		new+=" mm/ptwalk/"
	fi
	# Debian's sparse (0.6.4) is older than this operator, and than MODULE_INFO().
	# shellcheck disable=SC2086
	intree_make W=1 C=1 CHECK="sparse -D__typeof_unqual__=__typeof__" $new >series.warnings 2>&1 || {
		cat series.warnings
		return 1
	}
	grep -q 'CHECK.*mm/ptwalk_test.c' series.warnings
	if [ -e mm/ptwalk ]; then
		rm -rf mm/ptwalk
		mv mm/ptwalk.built mm/ptwalk
		[ ! -e mm/ptwalk/walk.c ] || grep -q 'CHECK.*mm/ptwalk/walk.c' series.warnings
	fi
	! grep -E 'ptwalk.*(warning|error):' series.warnings | grep -v 'error: bad constant expression'
}

# What the series brings, compiled for an architecture with a configuration of its
# own and all of memory management that this allows. Warnings are errors.
build_series_arch()
{
	local tree=$1 kbuild=$2 cross=$3 objects=$4 config=$5 option options
	shift 5
	options="PTWALK PTWALK_TEST DEBUG_FS TRANSPARENT_HUGEPAGE HUGETLBFS SWAP USERFAULTFD MEM_SOFT_DIRTY MEMCG"
	options+=" KSM NUMA MIGRATION COMPACTION MEMORY_FAILURE ZONE_DEVICE DEVICE_PRIVATE PROC_PAGE_MONITOR WERROR"
	cd "$tree"
	mkdir -p "$objects"
	# shellcheck disable=SC2086
	set -- $options "$@"
	intree_make -s O="$objects" "$config"
	for option; do
		scripts/config --file "$objects/.config" -e "$option"
	done
	scripts/config --file "$objects/.config" -m PTWALK_FIXTURE -d DEBUG_INFO_BTF
	intree_make -s O="$objects" olddefconfig prepare
	for option in PTWALK=y PTWALK_TEST=y PTWALK_FIXTURE=m WERROR=y; do
		grep -x "CONFIG_$option" "$objects/.config"
	done
	intree_make -s O="$objects" mm/ptwalk_test.o mm/ptwalk/ >"$objects.warnings" 2>&1 || {
		cat "$objects.warnings"
		return 1
	}
	cat "$objects.warnings"
	[ ! -s "$objects.warnings" ]
}

build_series_docs()
{
	local tree=$1
	cd "$tree"
	make SPHINXDIRS="admin-guide/mm netlink/specs" htmldocs >series.docs 2>&1 || {
		tail -n 30 series.docs
		return 1
	}
	grep -q 'ptwalk: the page tables' Documentation/output/admin-guide/mm/ptwalk.html
	! grep ptwalk series.docs | grep -iE 'warning|error'
}

# The tarball of our selftests, with the modules that are in mm/ptwalk of the tree.
build_kselftest()
{
	local tree=$1 kbuild=$2 cross=$3
	cd "$tree"
	cross_libraries "$cross"
	intree_make headers
	rm -rf installed
	set -- -C tools/testing/selftests TARGETS=ptwalk ARCH="$kbuild" CROSS_COMPILE="$cross"
	make "$@" clean
	make "$@" INSTALL_PATH="$tree/installed" gen_tar
	tar -tf installed/kselftest-packages/kselftest.tar.gz | grep 'ptwalk/modules/ptwalk_fixture.ko$'
}

# In a function, so that all of this is read before any of it runs: a kernel
# takes long enough to compile for somebody to edit this file.
main()
{
	local what=$1
	shift
	"build_$what" "$@" 2>&1 | same_text
	exit
}

main "$@"
