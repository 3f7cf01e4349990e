// SPDX-License-Identifier: GPL-2.0
/* Explanations of findings that no rule is about. */
#include "cmd/topics.h"

const struct topic topics[] = {
	{
		.name = "two-memory-types",
		.source = "lint",
		.what = "A frame is mapped twice, with memory types that treat caches differently: cached and uncached, or write-combining and not. Writes through one mapping may never be seen through the other; on some processors the machine hangs. Map the frame with the same pgprot everywhere. Compared are the mappings of all processes that are checked together; on x86, the kernel's own type for pages that vm_insert_page() has mapped; and, with the module ptwalk_kernel, the kernel's mappings by vmap(), ioremap(), memremap() or dma_alloc_coherent(). The direct mapping isn't compared: memory from dma_alloc_coherent() may have another type there, and drivers map it to processes with dma_mmap_coherent().",
		.decided_by = "x86: Documentation/arch/x86/pat.rst, and memtype_reserve(), which refuses two types for device memory; vm_insert_page() checks nothing. ARM: DDI 0487, mismatched memory attributes",
	}, {
		.name = "ram-uncached",
		.source = "lint",
		.what = "A process maps RAM uncached that the kernel maps cached: the frame has two memory types. On x86, call set_memory_wc() or set_memory_uc() first, or leave vm_page_prot alone: DMA memory is coherent there. Elsewhere, use dma_mmap_coherent() or dma_mmap_attrs(), which choose the type that fits the device. pgprot_noncached() is for registers only: RAM that is mapped with it also faults on unaligned access. If the module ptwalk_kernel shows a mapping that the driver has of it in the kernel, with another type, two-memory-types tells that instead.",
		.decided_by = "x86: reserve_pfn_range() or pfnmap_setup_cachemode() give special entries the type that lookup_memtype() knows; insert_page() does not. ARM: dma_pgprot() gives pgprot_dmacoherent(), that is Normal-NC, so that is not reported",
	}, {
		.name = "device-cached",
		.source = "lint",
		.what = "A process maps a device's memory cached, as if it were RAM. Reads may return old values; writes may reach the device late, in another order, or more than once. Set vm_page_prot to pgprot_noncached() or pgprot_writecombine() before io_remap_pfn_range(). On x86, the MTRRs may make it uncached all the same; the kernel then shows that in the entry, and nothing is reported.",
		.decided_by = "the driver, by vm_page_prot; x86: pat_x_mtrr_type(). The device is that of /sys/bus/pci/devices/*/resource, or of /proc/iomem",
	}, {
		.name = "past-resource",
		.source = "lint",
		.what = "The mapping continues past the end of the resource in which it begins, so that the process reaches another device's memory, or nothing. The driver must compare offset and length of the mmap() with the resource, as vm_iomap_memory() does. Mappings of /dev/mem are left out.",
		.decided_by = "the driver, before remap_pfn_range(), which checks nothing. The resource is a BAR of /sys/bus/pci/devices/*/resource, or one of /proc/iomem",
	}, {
		.name = "special-outside",
		.source = "lint",
		.what = "An entry is marked special, that is without a struct page, in a mapping that is neither VM_PFNMAP nor VM_MIXEDMAP. When the kernel unmaps it, it reports a broken page table (\"Bad page map\"). Code that makes such entries must set one of the two flags.",
		.decided_by = "vm_normal_page(): only the zero page, and memory of ZONE_DEVICE on older kernels, may be special elsewhere",
	}, {
		.name = "more-than-vma",
		.source = "lint",
		.what = "The entry allows writing or execution, but the VMA, and so /proc/PID/maps, doesn't. The cause may be a driver that sets vm_page_prot by hand, or clears VM_WRITE in vm_flags after it has mapped pages. It should refuse the mapping, or clear VM_MAYWRITE as well and call vm_get_page_prot() after that. If all memory of all processes is executable, the cause is the kernel: on 32-bit x86 with PAE, vm_get_page_prot() of Linux 6.1 to 7.3 keeps the protection in an unsigned long, which lacks bit 63 (NX). Not reported are PROT_NONE entries, writing to shadow stacks, and execution where entries may be unable to forbid it: x86 without nx in /proc/cpuinfo or without PAE, and s390.",
		.decided_by = "vm_get_page_prot(), which derives vm_page_prot from vm_flags; maybe_mkwrite(), which allows writing only with VM_WRITE; change_protection(), by which mprotect() changes entries",
	}, {
		.name = "no-resource",
		.source = "lint",
		.what = "The mapping leads to physical addresses where nothing is: no RAM, and in /proc/iomem at most the window of a PCI bus without a device. An access returns all ones, raises a bus error, or crashes the machine. Common causes: virt_to_phys() or __pa() of memory from vmalloc() or ioremap() (they are right for kmalloc() and alloc_pages() only), and a bus address (dma_addr_t) taken for a physical one: map DMA memory with dma_mmap_coherent(). Outside x86, where not all devices are listed, only mappings that are cached, or beyond the width of a physical address, are reported.",
		.decided_by = "the driver, before remap_pfn_range(), which checks nothing. Mappings of /dev/mem are left out",
	}, {
		.name = "frame-of-others",
		.source = "lint",
		.what = "A driver has mapped RAM by its PFN, and the frame isn't the driver's: by /proc/kpageflags it is free, a page table, or belongs to the slab allocator, a process or a file; or by /proc/iomem it is the kernel's code or data. Or a page with a struct page that a driver mapped, with vm_insert_page() or by a fault handler that returns it, was freed while it was mapped, and is slab memory or a page table now (not looked for from Linux 5.18 to 6.1: see kpageflags-compound-bug); or a shared mapping of a file or a device has an anonymous page, which none can have. Common causes: pages behind the first one of a vmalloc() buffer, which isn't contiguous (use remap_vmalloc_range()); a bus address (dma_addr_t) taken for a physical one (use dma_mmap_coherent()); kmalloc() memory, whose pages hold other objects, too (never map it); and a buffer that was freed while it was mapped. Not reported are shared memory (shmem), which graphics drivers map in this way, and frames for which /proc/kpageflags has no owner.",
		.decided_by = "the driver: remap_pfn_range() and vmf_insert_pfn() take a PFN and check nothing; vm_insert_page() refuses slab and anonymous pages and page tables (validate_page_before_insert())",
	}, {
		.name = "outside-vma",
		.source = "lint",
		.what = "The page tables have an entry at an address that is in no mapping of /proc/PID/maps. The process can access the frame, also after somebody else has got it: the kernel neither counts nor unmaps entries outside of all VMAs. The cause may be a driver that maps more than the VMA, such as its whole buffer with remap_pfn_range() without regard to vma->vm_end - vma->vm_start; or the kernel has lost a VMA or left entries behind when it unmapped one. The finding says who has the frame now if /proc/kpageflags knows.",
		.decided_by = "remap_pfn_range(), which doesn't compare its size with the VMA; unmap_vmas() and free_pgtables(), which go through VMAs only",
	}, {
		.name = "shared-writable",
		.source = "lint",
		.what = "A process can write to an anonymous page without a fault, but the page is mapped more than once, and the other processes see the write. A write protection that fork() or KSM had set was lost, or a copy-on-write was skipped.",
		.decided_by = "wp_can_reuse_anon_folio() and PageAnonExclusive(): from Linux 5.19 on, only a page that is marked exclusive is mapped writable, and that has one mapping",
	}, {
		.name = "common-writable",
		.source = "lint",
		.what = "A process can write without a fault to the zero page, or to a page that KSM has merged. The write changes the memory of all others that map it.",
		.decided_by = "do_anonymous_page(), which maps the zero page with pte_mkspecial() and without writing; replace_page() of mm/ksm.c",
	}, {
		.name = "soft-dirty-untracked",
		.source = "lint",
		.what = "Neither the entry nor the VMA is soft-dirty since a write to /proc/PID/clear_refs, but the process can write to the page without a fault. The next write won't set soft-dirty, and a checkpoint (CRIU) that saves soft-dirty pages misses it. For pinned pages this is by design: clear_refs skips them (pte_is_pinned()).",
		.decided_by = "vma_wants_writenotify() and pte_needs_soft_dirty_wp(), by which such entries are write-protected",
	}, {
		.name = "uffd-wp-writable",
		.source = "lint",
		.what = "A userfaultfd has write-protected the page (UFFDIO_WRITEPROTECT), but the process can write to it without a fault. A snapshot that relies on the protection misses the write.",
		.decided_by = "pte_mkuffd_wp() and huge_pte_mkuffd_wp(), which write-protect the entry; code that allows writing again must check userfaultfd_pte_wp()",
	}, {
		.name = "other-pkey",
		.source = "lint",
		.what = "The entry has another protection key than its VMA. Memory that pkey_mprotect() was to protect is accessible, or the process gets a SIGSEGV that ProtectionKey in smaps doesn't explain.",
		.decided_by = "vm_get_page_prot(), which puts the key of vm_flags into vm_page_prot; change_protection(), which changes the entries",
	}, {
		.name = "freed-while-mapped",
		.source = "lint",
		.what = "A page that a driver has inserted with vm_insert_page() or the like, or that its fault handler has returned, has fewer references than mappings. It was freed once too often: it is free already, or will be while processes map it, and its next owner shares it with them. The allocation has one reference, and each mapping another. The driver gives back its own, once; the kernel gives back those of the mappings. With as many references as mappings, which the summary counts, the next unmapping frees the page: that is right if the driver has given it away, and the first sign of a fault handler without get_page() if it hasn't.",
		.decided_by = "the driver: vm_insert_page() takes a reference, a fault handler must, and unmapping gives it back (zap_pte_range()); __free_page() and put_page() check nothing",
	}, {
		.name = "contiguous-differs",
		.source = "lint",
		.what = "Entries that are marked as one contiguous block (arm64: the contiguous bit, 16 entries with 4K pages; riscv: Svnapot, 64K) aren't alike. The processor may keep the block as one entry of its TLB, made of any of them, so it is a matter of chance which rights, memory type or frame an access gets; some processors raise a TLB conflict abort. All entries of a block must be present, marked, of frames that follow each other from a multiple of the block's size on, and equal in all other bits but accessed and dirty, which the processor sets in any of them. On arm64, the kernel itself reads such a block without a lock until it is alike (contpte_ptep_get_lockless()): O_DIRECT, io_uring or a page fault there may never return. The kernel unfolds a block (contpte_try_unfold()) before a part of it changes; code that writes entries by itself must do so, too. Blocks of hugetlb are compared as well; entries without access (PROT_NONE) are not.",
		.decided_by = "arm64: contpte_convert() and __contpte_try_fold() in arch/arm64/mm/contpte.c (Linux 6.9), set_huge_pte_at(); ARM: DDI 0487, the contiguous bit. riscv: set_huge_pte_at() in arch/riscv/mm/hugetlbpage.c; privileged specification, Svnapot",
	}, {
		.name = "pinned-replaced",
		.source = "lint",
		.what = "The process has another page, or none, at an address of a buffer that a ring of io_uring has registered. The ring still uses the old page: the process doesn't see what a device writes, and what the process writes is never sent. MADV_DONTNEED, mmap(MAP_FIXED), munmap(), mremap() and the truncation of a file replace pages; allocators call these when they free memory. Register the buffer anew, or leave its memory alone. Only certain cases are reported: a present page that isn't pinned, or private memory without a page. A buffer without any pinned page is judged only if no other process has the ring, as a child has its parent's. ptwalk pins lists all buffers; ptwalk pins DEVICE finds the same for memory that a device has through VFIO.",
		.decided_by = "io_sqe_buffer_register(), which pins the pages once (pin_user_pages(), FOLL_LONGTERM) and never looks at the addresses again; io_uring_show_fdinfo(), which lists them; vfio_pin_pages_remote() for a device",
	}, {
		.name = "pinned-orphan",
		.source = "pins --orphans",
		.what = "A page of a process is pinned, but no process maps it any more, nor is it in a file (a hole in shared memory): whoever pins it (RDMA, io_uring, AF_XDP, VFIO, a driver) uses memory that nobody sees. The process has unmapped or replaced it, or has ended. It is reported if this is so in six looks, and, for a page of a large folio, if no page of the folio is mapped.",
		.decided_by = "pin_user_pages(), whose pins outlive the mapping; folio_maybe_dma_pinned(), which tells whether a page has any",
	}, {
		.name = "iova-free",
		.source = "iova",
		.what = "A bus address of the device leads to a free frame: the driver freed the memory before it unmapped it for the device. What the device writes there overwrites the frame's next owner. Call dma_unmap_single() or dma_free_coherent() first. In a lazy domain (dma-lazy), unmapped addresses work for a moment longer; four looks leave these out.",
		.decided_by = "the driver; /proc/kpageflags (BUDDY), and the per-CPU lists of free pages, which the module reports",
	}, {
		.name = "iova-page-table",
		.source = "iova",
		.what = "A bus address of the device leads to a page table, so the device can map any memory. The frame was freed while it was mapped for the device, and then became a page table.",
		.decided_by = "the driver; /proc/kpageflags (PGTABLE)",
	}, {
		.name = "iova-slab",
		.source = "iova",
		.what = "A bus address leads to kmalloc() memory, in a domain that a driver such as VFIO fills for user space: the process can have the device access the kernel's objects. VFIO maps pinned pages of user space only, so the pages were unpinned and freed while they were mapped for the device.",
		.decided_by = "vfio_iommu_type1's vfio_pin_pages_remote(), or iommufd's pfn_reader; /proc/kpageflags (SLAB)",
	}, {
		.name = "iova-unpinned",
		.source = "iova",
		.what = "A bus address leads to a page of a process or a file that isn't pinned. The kernel may migrate it, swap it out or free it, and the device still uses the frame. In a domain that VFIO or the like fills, this is a mismatch; in others, the driver may hold references instead, so it is only to be looked at. Pin pages for devices with pin_user_pages(), with FOLL_LONGTERM if they stay pinned for long.",
		.decided_by = "GUP_PIN_COUNTING_BIAS in the references of the page, or folio_maybe_dma_pinned(); a page that is locked or written back is under I/O, and needs none",
		.kind = "a mismatch, or to be looked at",
	}, {
		.name = "iova-gone",
		.source = "iova",
		.what = "A bus address leads to anonymous memory that no process maps any more: the process has unmapped or replaced it while the device had it. What the device writes is lost. This may be right for the moment of a running request.",
		.decided_by = "the page's map count, 0, and no entry in the swap cache",
		.kind = "to be looked at",
	}, {
		.name = "vmalloc-pages",
		.source = "kernel",
		.what = "The pages that are mapped in an area differ from its line in vmallocinfo: too few, too many, or not from its beginning on.",
		.decided_by = "vmap_pages_range() and vunmap_range(), against struct vm_struct, as s_show() of mm/vmalloc.c prints it",
	}, {
		.name = "vmalloc-phys",
		.source = "kernel",
		.what = "An area of ioremap() isn't mapped to the physical address that vmallocinfo has for it.",
		.decided_by = "ioremap_page_range(), against phys_addr of struct vm_struct",
	}, {
		.name = "vmalloc-nobody",
		.source = "kernel",
		.what = "Pages are mapped at addresses of vmalloc() or of modules where vmallocinfo has no area: an area was unmapped and entries were left behind, or somebody has made entries by hand.",
		.decided_by = "free_vmap_area() and vunmap_range(); apply_to_page_range(), which needs no area",
	}, {
		.name = "vmalloc-used",
		.source = "kernel",
		.what = "VmallocUsed of meminfo differs from the size of all areas of vmalloc() in vmallocinfo, by more than its counters on each processor allow.",
		.decided_by = "nr_vmalloc_pages in mm/vmalloc.c; newer kernels keep parts of it on each processor",
	}, {
		.name = "iomem",
		.source = "kernel",
		.what = "An area of ioremap() maps a part of a hardware resource of /proc/iomem, and memory outside of it, where there may be another device, or nothing. Give ioremap() the size of the resource.",
		.decided_by = "the driver: ioremap() compares with RAM only (__ioremap_check_ram())",
	}, {
		.name = "kcore",
		.source = "kernel",
		.what = "Memory is mapped to another physical address than the program headers of /proc/kcore say. Debuggers rely on these.",
		.decided_by = "kcore_update_ram() and get_kcore_size(), fs/proc/kcore.c",
	}, {
		.name = "memtype",
		.source = "kernel",
		.what = "A device's memory that ioremap() has mapped has another memory type than the kernel has reserved for it, or none is reserved. Reads and writes don't behave as the driver asked.",
		.decided_by = "memtype_reserve(), as debugfs shows it in x86/pat_memtype_list; ioremap_change_attr()",
	}, {
		.name = "ptdump",
		.source = "kernel",
		.what = "The kernel's own dump of its tables has another level, other rights or another memory type than the module has read.",
		.decided_by = "ptdump_walk_pgd(), mm/ptdump.c",
	}, {
		.name = "module-rights",
		.source = "kernel",
		.what = "By the sections in /sys/module, code of a module is writable or not executable, its constants are writable or executable, or its data is executable or not writable.",
		.decided_by = "module_enable_text_rox(), module_enable_rodata_ro() and module_enable_data_nx(), kernel/module/strict_rwx.c",
	}, {
		.name = "directmap",
		.source = "kernel",
		.what = "DirectMap4k, 2M or 1G (on s390 1M or 2G) of meminfo differs from the RAM that leaves of that size map. Two bugs of Linux cause this; the finding names them: directmap-image (x86-64, and s390 since 6.10: split huge pages of the kernel's image are counted, too) and directmap-boot (x86-64: memory that is mapped in several steps at boot is counted in each). With --known-bugs, these aren't counted.",
		.decided_by = "update_page_count() and split_page_count(), arch/x86/mm; kernel_physical_mapping_init(); split_pmd_page(), arch/s390/mm/pageattr.c",
	}, {
		.name = "write-exec",
		.source = "kernel",
		.what = "A page of the kernel is both writable and executable: who can make the kernel write there can make it execute that. Modules and BPF programs must be writable first and executable then (execmem, set_memory_rox()). The kernel looks for such pages at boot: Found insecure W+X mapping.",
		.decided_by = "set_memory_x() and set_memory_rw(), which check nothing; note_wx() of ptdump, with CONFIG_DEBUG_WX",
	}, {
		.name = "writable-alias",
		.source = "kernel",
		.what = "A page that the kernel executes at one address is writable at another, in the direct mapping of RAM, which defeats the write protection of the code. On s390, Linux has mapped its own code so since 6.10; with --known-bugs, this isn't counted.",
		.decided_by = "set_direct_map_ro() and VM_FLUSH_RESET_PERMS of __vmalloc(), which change both",
	}, {
		.name = "user",
		.source = "kernel",
		.what = "User space can access an address of the kernel: the entries at all levels have the user bit.",
		.decided_by = "pgprot of the mapping; x86: _PAGE_USER, which the kernel sets for vsyscall and the like only",
	}, {
		.name = "two-types",
		.source = "kernel",
		.what = "The kernel itself maps a frame twice, at this address and in the direct mapping of RAM, with memory types that treat caches differently. Writes through one mapping may never be seen through the other. For coherent DMA memory this may be by design.",
		.decided_by = "vmap() and memremap(), which check nothing outside x86; on x86 set_memory_uc() and the like change both",
	}, {
		.name = "freed-page",
		.source = "kernel",
		.what = "An area of vmap(), vmalloc() or the like maps pages that are free, page tables or offline: they were freed before the area was. Writes to the area overwrite other memory. Call vunmap() before __free_page().",
		.decided_by = "the driver; /proc/kpageflags. A single freed page is not found while it is in a list of its processor",
	}, {
		.name = "ioremap-ram",
		.source = "kernel",
		.what = "An area of ioremap() maps RAM that isn't reserved, and that the direct mapping of the kernel has cached.",
		.decided_by = "__ioremap_check_ram(), which accepts reserved RAM; memremap() is for RAM",
	}, {
		.name = "module-leftover",
		.source = "kernel",
		.what = "A module was unloaded without freeing this area, whose memory is lost until the next boot. Call vfree(), vunmap() or iounmap() in the exit function, and on each error path of the init function.",
		.decided_by = "the caller in struct vm_struct, and where modules were while ptwalk_kernel was loaded",
	}, {
		.name = "second-stage-stale",
		.source = "guest",
		.what = "A KVM guest's address leads to another frame than the process has there, or the guest may write where the process may not, or to a slot that is read-only, or no slot is there. The guest still uses a page that the process has freed: its writes may overwrite somebody else's memory, and a device model, a snapshot or a migration doesn't see them. Reported is what shows in six readings of both tables. A missing entry of the second stage is right: the guest faults, and gets the page.",
		.decided_by = "kvm_mmu_notifier_invalidate_range_start(), which removes entries of the second stage before the page table changes, and kvm_arch_flush_shadow_memslot(), before a slot goes; code that changes page tables must call mmu_notifier_invalidate_range_start()",
	}, {
		.name = "expect-address",
		.source = "expect",
		.what = "All pages of a piece are elsewhere than expected, at the same distance. If the distance is the offset of the mapping in the file, the driver has ignored vm_pgoff, or has added it to a function that adds it, too.",
		.decided_by = "the driver: remap_pfn_range() takes a PFN and ignores vm_pgoff; vm_map_pages(), dma_mmap_coherent() and vm_iomap_memory() add it",
	}, {
		.name = "expect-offset",
		.source = "expect",
		.what = "The file was mapped at the offset of --map and again one page before it, and both mappings have the same frames: the driver ignores vm_pgoff, so the process gets the beginning of the buffer at any offset. This is tested with --map at an offset other than 0 and with any:LENGTH. It can't be tested if the driver returns other frames at each mmap(), if it refuses the second mapping, or for a running process.",
		.decided_by = "the driver: remap_pfn_range() takes a PFN and ignores vm_pgoff; vm_map_pages(), dma_mmap_coherent() and vm_iomap_memory() add it",
	}, {
		.name = "expect-contiguous",
		.source = "expect",
		.what = "Pages that should be contiguous in physical memory don't follow the pages before them. Memory from vmalloc(), or from alloc_page() in a loop, isn't contiguous; a device that takes one address needs dma_alloc_coherent(), or an IOMMU.",
		.decided_by = "the driver's allocation",
	}, {
		.name = "expect-hole",
		.source = "expect",
		.what = "An entry is empty, and entries behind it are not. A driver with a fault handler maps a page when it is first touched; --touch with --map does that.",
		.decided_by = "the driver",
	}, {
		.name = "expect-short",
		.source = "expect",
		.what = "The mapping ends before the expected length: the driver has mapped too little, or the given range is too small. An access behind it raises SIGBUS or SIGSEGV.",
		.decided_by = "the driver: remap_pfn_range() maps the size that it is given, which should be vma->vm_end - vma->vm_start",
	}, {
		.name = "expect-end",
		.source = "expect",
		.what = "Something is mapped behind the expected end: the process sees memory that isn't meant for it.",
		.decided_by = "the driver, which should refuse a mapping longer than its buffer",
	}, {
		.name = "expect-memory-type",
		.source = "expect",
		.what = "The pages have another memory type (cache attribute) than expected. On x86, the kernel may change the type that the driver asked for: RAM keeps the type that the kernel has for it, and a device's memory the type of its first mapping, or the one that the MTRRs allow. The kernel's log then has a line from \"x86/PAT\".",
		.decided_by = "the driver, by vm_page_prot; x86: reserve_pfn_range(), pfnmap_setup_cachemode(), pat_x_mtrr_type()",
	}, {
		.name = "expect-flags",
		.source = "expect",
		.what = "The entries allow writing but should not, or should but don't; or they map RAM with a struct page but should not, or should but don't.",
		.decided_by = "PROT_WRITE of mmap() and mprotect(), by vm_get_page_prot(); what is RAM, by pfn_to_online_page()",
	}, {
		.name = "expect-level",
		.source = "expect",
		.what = "The entries are at another level of the page tables than expected: small pages instead of large ones, or large ones instead of small ones. A driver gets large ones only from its huge_fault(), if address, offset and memory are aligned to their size.",
		.decided_by = "vmf_insert_pfn_pmd(), vmf_insert_pfn_pud(), and what a driver's huge_fault() returns",
	}, {
		.name = "pinning",
		.source = "translate",
		.kind = "what I/O may do with a page",
		.what = "This line of translate -v says whether get_user_pages() and pin_user_pages() (GUP) accept the page; O_DIRECT, vmsplice(), RDMA, VFIO and the buffers of io_uring use these. They refuse VM_IO and VM_PFNMAP mappings (remap_pfn_range(), vmf_insert_pfn()) and memfd_secret() with EFAULT, and special entries of VM_MIXEDMAP (vmf_insert_mixed()) with EEXIST. A driver whose memory shall be pinned maps pages with vm_insert_page() or vm_insert_pages(), or exports a dma-buf, which importers attach instead. Reading needs VM_READ, writing VM_WRITE. Absent pages are faulted in first; behind the end of a file there is none (EFAULT). A private page that is mapped read-only is copied first for writing; so is the zero page for a long-term pin (FOLL_LONGTERM: RDMA, VFIO, io_uring). Pages in ZONE_MOVABLE or CMA are migrated before a long-term pin. Pages of files with dirty tracking refuse a long-term pin for writing (EFAULT, since Linux 6.5), pages of fsdax any long-term pin (EOPNOTSUPP); but get_user_pages_fast() checks no VMA, and accepts shmem pages, such as those of a frame buffer, and private copies, while their entries are writable. Poisoned memory and a guard region give EFAULT, the former EHWPOISON to those who ask with FOLL_HWPOISON, such as KVM.",
		.decided_by = "check_vma_flags(), follow_page_pte(), gup_fast_folio_allowed() and check_and_migrate_movable_pages() in mm/gup.c",
	}, {
		.name = "claims",
		.source = "claims",
		.what = "The line of the file has another physical address than the page tables, or a page where nothing is mapped, or nothing where a page is. The finding has a hint if a known mistake explains the claim: a PFN that isn't shifted by the page size, or is shifted twice; a missing offset in the page or in a huge leaf, or one that was added twice; the frame of a page beside it, or the one behind that; an address or a PFN that was cut off; another byte order; flags of the entry; a swap entry taken for a frame; 0 instead of - for an absent page; or the zeros that pagemap shows without CAP_SYS_ADMIN.",
		.decided_by = "the maker of the claims",
	}, {
		.name = "unclaimed",
		.source = "claims",
		.what = "The page is present, but the file of --claims has no line for it. Common causes are decoders that skip errors, or that skip what they take for a hole: addresses above 2 GiB or 4 GiB in a 32-bit number, all pages of a huge leaf but the first, PROT_NONE memory, mappings without a file. pagemap hides VM_PFNMAP memory, such as [vvar] (see pfnmap-hidden): --partial=pagemap explains these pages; with --partial, no page need be claimed. A running process may have got the page after the claims were made: stop it first (SIGSTOP).",
		.decided_by = "the maker of the claims",
	}, {
		.name = "bytes-differ",
		.source = "prove",
		.what = "The bytes at the virtual address, from /proc/PID/mem, differ from those at the physical address, from /proc/kcore, though neither the page tables nor the bytes changed meanwhile. Either the physical address is wrong (with --claims, the one of the claim), or caches hide the contents of memory, as for a frame with two memory types (see two-memory-types).",
		.decided_by = "the memory itself, which access_remote_vm() and read_kcore_iter() read",
	}, {
		.name = "bytes-move",
		.source = "prove",
		.what = "In no round of --retries did the page and its bytes stay the same long enough to be read in both ways. --freeze stops the process; memory that others or a device write to may change all the same.",
		.decided_by = "whoever writes to it",
	},
};

const unsigned int nr_topics = sizeof(topics) / sizeof(topics[0]);
