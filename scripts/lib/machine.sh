# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# The machine on which all selftests of a kernel find what they need.

# Adds an IOMMU: another on each kernel that is tested by default, and none on the oldest.
# Remapped interrupts a busy machine can be too slow for: the kernel panics when its timer
# seems not to work.
iommu()
{
	case $K_NAME in
	6.12 | debug | debug-builtin | races | 7.3-series) MACHINE+=(--qemu "-device intel-iommu,intremap=off" --append intel_iommu=on) ;;
	7.2) MACHINE+=(--qemu "-device amd-iommu,intremap=off") ;;
	6.12-4level) MACHINE+=(--qemu "-device virtio-iommu-pci") ;;
	7.2-arm64 | 7.3-arm64-series) MACHINE+=(--qemu "-machine iommu=smmuv3") ;;
	esac
}

# Sets MACHINE, options of scripts/vm, for what kernel() has set.
machine()
{
	local memory=4G main=3G
	MACHINE=(--append "ptwalk_fixture.unsafe=1 ptwalk_device.iommu_walk=1")
	# Between 2 and 4 GiB an x86 machine has its devices.
	[ "$K_ARCH" != amd64 ] || memory=5G main=4G
	iommu
	# Distributions have no [vsyscall] by default.
	[ "$K_NAME" != 6.1 ] || MACHINE+=(--append vsyscall=xonly)
	# Persistent memory out of RAM, for files of DAX.
	[[ $K_NAME != 6.12 && $K_NAME != 7.2 ]] || MACHINE+=(--append 'memmap=64M!256M')
	case $K_ARCH in
	amd64 | arm64 | riscv64)
		# Only at boot is 1 GiB in one piece to be had, and of less
		# memory the kernel itself has taken a part of every one. A debug
		# kernel takes minutes for the 262144 pages of it, each several
		# times; there the tests of it are skipped.
		case $K_FLAVOUR in
		debug* | races) MACHINE+=(--memory 2G) main=1G ;;
		*) MACHINE+=(--memory "$memory" --append "hugepagesz=1G hugepages=1") ;;
		esac
		# In a BAR of 2 GiB there is room for a huge PUD.
		MACHINE+=(--qemu "-object memory-backend-ram,id=bar,size=2G"
			--qemu "-device ivshmem-plain,memdev=bar,addr=11"
			--qemu "-device edu,dma_mask=0xffffffff,addr=12"
			--qemu "-device bochs-display"
			--append "ptwalk_fixture.pci=0000:00:11.0"
			--append "ptwalk_fixture.edu=0000:00:12.0 ptwalk_fixture.edu_bits=32")
		;;
	armhf) MACHINE+=(--qemu "-device bochs-display") ;;
	# Without high memory, which /proc/kcore doesn't have.
	i386) MACHINE+=(--memory 768M) ;;
	esac
	case $K_ARCH in
	amd64 | arm64)
		# Two nodes, for pages to be moved from one to the other. In one
		# of 2 GiB, arm64 finds no room for a page of 1 GiB.
		MACHINE+=(--qemu "-object memory-backend-ram,id=node0,size=$main"
			--qemu "-object memory-backend-ram,id=node1,size=1G"
			--qemu "-numa node,memdev=node0,cpus=0-1"
			--qemu "-numa node,memdev=node1")
		# Nothing but a test turns entries into hints.
		MACHINE+=(--append numa_balancing=disable)
		;;
	esac
}
