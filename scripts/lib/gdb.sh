# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# gdb for a guest. The variables are those of scripts/vm.

# Prints the kernel's own file with symbols, if it is here.
find_vmlinux()
{
	local file built
	if [ "$image" != "$K_IMAGE" ]; then
		for file in ${headers:+"$headers/vmlinux"} "${image%/arch/*/boot/*}/vmlinux"; do
			[ ! -f "$file" ] || { realpath "$file"; return; }
		done
		return
	fi
	case $K_COMPILED in
	1)
		# In the tree is that of the kernel that was linked last, which
		# may be debug-builtin.
		built=$(head -c 64K "$image" | grep -aoE -m 1 '#[0-9]+ SMP[ -~]+ [0-9]{4}') || return 0
		for file in "$K_DIR/vmlinux" "$CACHE/roots/$K_SUITE/usr/src/$(cat "$K_DIR/tree")/vmlinux"; do
			! grep -qaF -e "$built" "$file" 2>/dev/null || { echo "$file"; return; }
		done
		;;
	*)
		for file in "/usr/lib/debug/boot/vmlinux-$release" "/usr/lib/debug/lib/modules/$release/vmlinux"; do
			[ ! -f "$file" ] || { echo "$file"; return; }
		done
		;;
	esac
}

where_vmlinux_is()
{
	case $image:$K_COMPILED in
	"$K_IMAGE":1) echo "the kernel's tree has been linked anew since" ;;
	"$K_IMAGE":*) echo "the kernel's are in Debian's package linux-image-$release-dbg, as /usr/lib/debug/boot/vmlinux-$release" ;;
	*) echo "there is no vmlinux in ${headers:-${image%/arch/*/boot/*}}" ;;
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
	[ -n "$vmlinux" ] ||
		say "gdb gets no symbols but those of the modules: $(where_vmlinux_is)"
}
