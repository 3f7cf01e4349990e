# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# gdb for a guest. The variables are those of scripts/vm.

# Prints the kernel's own file with symbols, if it is here.
find_vmlinux()
{
	local file tree
	if [ "$image" != "$K_IMAGE" ]; then
		for file in ${headers:+"$headers/vmlinux"} "${image%/arch/*/boot/*}/vmlinux"; do
			[ ! -f "$file" ] || { realpath "$file"; return; }
		done
		return
	fi
	case $K_FLAVOUR in
	debug* | mutants)
		# The tree has that of the kernel that was linked last.
		tree=$CACHE/roots/$K_SUITE/usr/src/$(cat "$K_DIR/tree")
		file=$(grep -cx CONFIG_PTWALK=y "$tree/.config") || :
		case $K_FLAVOUR:$file in
		debug-builtin:1 | debug:0 | mutants:0) echo "$tree/vmlinux" ;;
		esac
		;;
	*)
		for file in "/usr/lib/debug/boot/vmlinux-$release" "/usr/lib/debug/lib/modules/$release/vmlinux"; do
			[ ! -f "$file" ] || { echo "$file"; return; }
		done
		;;
	esac
}

# prepare_gdb FOLDER: what gdb is to read is in FOLDER/gdb, which the console adds
# the modules to. Sets GDB, how it is to be called, and gdb_args.
prepare_gdb()
{
	local dir=$1 vmlinux
	GDB="gdb -x $dir/gdb"
	[ "$K_ARCH" = "$(host_arch)" ] || GDB="gdb-multiarch -x $dir/gdb"
	vmlinux=$(find_vmlinux)
	{
		[ -z "$vmlinux" ] || echo "file $vmlinux"
		# The modules were built where build/ is /build.
		echo "set substitute-path /build $BUILD"
		echo "target remote $dir/gdb-socket"
	} >"$dir/gdb"
	mkfifo "$dir/qmp.in" "$dir/qmp.out"
	gdb_args=(-gdb "unix:$dir/gdb-socket,server=on,wait=off"
		-chardev "pipe,id=qmp,path=$dir/qmp" -mon "chardev=qmp,mode=control")
	[ -n "$vmlinux" ] || [ "$image" != "$K_IMAGE" ] ||
		say "gdb gets no symbols but those of the modules: the kernel's are in Debian's package linux-image-$release-dbg, as /usr/lib/debug/boot/vmlinux-$release"
	[ -n "$vmlinux" ] || [ "$image" = "$K_IMAGE" ] ||
		say "gdb gets no symbols but those of the modules: there is no vmlinux in ${headers:-${image%/arch/*/boot/*}}"
}
