// SPDX-License-Identifier: GPL-2.0
/* Explanations of findings that no rule is about. */
#include "cmd/topics.h"

const struct topic topics[] = {
	{
		.name = "two-memory-types",
		.source = "lint",
		.what = "The same frame is mapped twice, and the processor treats the two mappings differently: one cached and one not, or writes gathered in one and not in the other. What is written through one may never be seen through the other, and on some processors the machine stops. Map it everywhere with the same pgprot. Compared are the processes that are checked together; on x86 the kernel's own mapping with those of pages that vm_insert_page() has mapped; and, where the module ptwalk_kernel is loaded, what the kernel has from vmap(), ioremap(), memremap() or dma_alloc_coherent() with what drivers have mapped. The direct mapping of RAM is not: memory from dma_alloc_coherent() may have another type there, and whoever maps that to processes takes dma_mmap_coherent().",
		.decided_by = "x86: Documentation/arch/x86/pat.rst, and memtype_reserve(), which refuses it for memory of devices; vm_insert_page() asks nobody. ARM: DDI 0487, mismatched memory attributes",
	}, {
		.name = "ram-uncached",
		.source = "lint",
		.what = "A process has RAM uncached, which the kernel has cached in its own mapping: a frame with two memory types. On x86, tell the kernel first (set_memory_wc(), set_memory_uc()) or leave vm_page_prot alone: DMA memory is coherent there. Elsewhere, take dma_mmap_coherent() or dma_mmap_attrs(), which choose what fits the device, and never pgprot_noncached(): that is for registers, and RAM mapped so faults on unaligned access, too.",
		.decided_by = "x86: reserve_pfn_range() or pfnmap_setup_cachemode() give special entries the type that lookup_memtype() knows; insert_page() does not. ARM: dma_pgprot() gives pgprot_dmacoherent(), that is Normal-NC, so that is not reported",
	}, {
		.name = "device-cached",
		.source = "lint",
		.what = "A process has a device's memory cached, as if it were RAM: what it reads may be old, and what it writes may reach the device late, in another order, or more than once. Set vm_page_prot to pgprot_noncached() or pgprot_writecombine() before io_remap_pfn_range(). On x86 the MTRRs can make it uncached all the same; then the kernel says so in the entry, and nothing is found.",
		.decided_by = "the driver, by vm_page_prot; x86: pat_x_mtrr_type(). The device is that of /sys/bus/pci/devices/*/resource, or of /proc/iomem",
	}, {
		.name = "past-resource",
		.source = "lint",
		.what = "The mapping goes on behind the end of the resource in which it begins, so that the process reaches what belongs to another device, or to nobody. The driver doesn't compare the length and the offset of mmap() with those of the resource: vm_iomap_memory() does. Whoever maps /dev/mem means addresses, not resources, and is left out.",
		.decided_by = "the driver, before remap_pfn_range(), which maps what it is told. The resource is a BAR of /sys/bus/pci/devices/*/resource, or one of /proc/iomem",
	}, {
		.name = "special-outside",
		.source = "lint",
		.what = "An entry is marked special, as those are that no struct page belongs to, in a mapping that is neither VM_PFNMAP nor VM_MIXEDMAP. The kernel takes it for a broken page table (\"Bad page map\") when it unmaps it. Whoever makes entries by hand must set one of the two flags.",
		.decided_by = "vm_normal_page(): only the zero page, and memory of ZONE_DEVICE on older kernels, may be special elsewhere",
	}, {
		.name = "more-than-vma",
		.source = "lint",
		.what = "The entry lets the process write or execute, and the VMA, and with it /proc/PID/maps, says that it can't. A driver does that which sets vm_page_prot by hand, or which clears VM_WRITE in vm_flags after it has mapped something; it should refuse the mapping, or clear VM_MAYWRITE, too, and only then call vm_get_page_prot(). If it is all of the memory of all processes, it is the kernel: on 32-bit x86 with PAE, vm_get_page_prot() of Linux 6.1 to 7.3 holds the protection in an unsigned long, which has no bit 63, so that nothing is protected from execution. Left out are PROT_NONE entries and the writing to shadow stacks; and execution where the processor may be unable to deny it: x86 without nx in /proc/cpuinfo or without PAE, and s390, which doesn't tell for sure.",
		.decided_by = "vm_get_page_prot(), which makes vm_page_prot of vm_flags; maybe_mkwrite(), which adds writing only with VM_WRITE; change_protection(), by which mprotect() takes rights away from what is mapped already",
	}, {
		.name = "no-resource",
		.source = "lint",
		.what = "The mapping is of physical addresses at which there is nothing: no RAM, and no resource of /proc/iomem but at most a window to a PCI bus on which no device has them. A process that touches it gets ones, a bus error, or brings the machine down. virt_to_phys() and __pa() are right for kmalloc() and alloc_pages() only: of memory from vmalloc() or ioremap() they make such an address, and of a module's variables one of RAM that is somebody else's. Nor is a bus address (dma_addr_t) a physical one: dma_mmap_coherent() maps DMA memory. Outside x86, where not all devices are listed, only what is mapped cached, or beyond the width of a physical address, is told.",
		.decided_by = "the driver, before remap_pfn_range(), which maps what it is told. Whoever maps /dev/mem means these addresses, and is left out",
	}, {
		.name = "frame-of-others",
		.source = "lint",
		.what = "A driver has mapped RAM by its frame number, and /proc/kpageflags says that the frame is somebody else's: it belongs to the slab allocator, is free, is a page table, or is memory of a process or of a file; or it is the kernel's own code or data, by /proc/iomem. So is mapped what lies behind the first page of a vmalloc() buffer, which is no block, or where a bus address (dma_addr_t) would be if it were a physical one; or the driver has freed its buffer while it is mapped. Of vmalloc() memory map each page: remap_vmalloc_range(); of DMA memory: dma_mmap_coherent(); and never kmalloc() memory, whose pages have other objects, too. Shared memory (shmem), which graphics drivers map so, is left out, as are frames that the kernel marks as nobody's.",
		.decided_by = "the driver: remap_pfn_range() and vmf_insert_pfn() take a frame number and ask nobody; vm_insert_page() refuses slab and anonymous pages (validate_page_before_insert())",
	}, {
		.name = "outside-vma",
		.source = "lint",
		.what = "The page tables have an entry at an address that is in no mapping of /proc/PID/maps. The process reaches the frame all the same, and goes on to do so whoever gets that next: the kernel takes no entry away that is outside of all VMAs, nor does it count them. A driver does that which maps more than the VMA has, as with remap_pfn_range() of all of its buffer, whatever vma->vm_end - vma->vm_start says; or else the kernel has lost a VMA, or left entries behind when it unmapped one. Who has the frame now is told if /proc/kpageflags knows it.",
		.decided_by = "remap_pfn_range(), which doesn't compare its size with the VMA; unmap_vmas() and free_pgtables(), which go through VMAs only",
	}, {
		.name = "shared-writable",
		.source = "lint",
		.what = "A process can write to an anonymous page without a fault though the page is mapped more than once. What it writes, the others read: a write protection got lost that fork() or the merging of memory had set, or a copy on write wasn't made.",
		.decided_by = "wp_can_reuse_anon_folio() and PageAnonExclusive(): from Linux 5.19 on, only a page that is marked exclusive is mapped writable, and that has one mapping",
	}, {
		.name = "common-writable",
		.source = "lint",
		.what = "A process can write to the zero page, or to a page that KSM has merged, without a fault. The memory of all others changes with it.",
		.decided_by = "do_anonymous_page(), which maps the zero page with pte_mkspecial() and without writing; replace_page() of mm/ksm.c",
	}, {
		.name = "soft-dirty-untracked",
		.source = "lint",
		.what = "Since /proc/PID/clear_refs was written to, neither the entry nor the VMA is soft-dirty, and yet the process can write to the page without a fault. The next write isn't noticed: a checkpoint (CRIU) that saves what is soft-dirty loses it. By design that goes for pages that are pinned: clear_refs passes over them (pte_is_pinned()).",
		.decided_by = "vma_wants_writenotify() and pte_needs_soft_dirty_wp(), by which such entries are write-protected",
	}, {
		.name = "uffd-wp-writable",
		.source = "lint",
		.what = "A userfaultfd has write-protected the page (UFFDIO_WRITEPROTECT), and the process can write to it without a fault all the same. A snapshot that is made so loses what is written.",
		.decided_by = "pte_mkuffd_wp() and huge_pte_mkuffd_wp(), which take the right to write away; whoever gives it back must ask userfaultfd_pte_wp()",
	}, {
		.name = "other-pkey",
		.source = "lint",
		.what = "The entry has another protection key than its VMA: what pkey_mprotect() was to protect isn't, or the process gets a SIGSEGV that smaps (ProtectionKey) doesn't explain.",
		.decided_by = "vm_get_page_prot(), which puts the key of vm_flags into vm_page_prot; change_protection(), which changes the entries",
	}, {
		.name = "freed-while-mapped",
		.source = "lint",
		.what = "A page that a driver has inserted with vm_insert_page() or the like, or that its fault handler has returned, has fewer references than mappings: it was freed once too often, is free already or will be while processes map it, and whoever gets it next shares it with them. An allocation has one reference and each mapping one more; the driver gives back its own, once, and the kernel those of the mappings.",
		.decided_by = "the driver: vm_insert_page() takes a reference, a fault handler must, and unmapping gives it back (zap_pte_range()); __free_page() and put_page() ask nobody",
	}, {
		.name = "pinned-replaced",
		.source = "lint",
		.what = "A ring of io_uring has a registered buffer, and the process has another page at its address now, or none. The ring goes on with the page that was there: what a device writes arrives where the process doesn't see it, and what the process writes is never sent. MADV_DONTNEED does that, and mmap(MAP_FIXED), munmap(), mremap() and the truncation of a file; an allocator that gives memory back does it behind one's back. Register the buffer anew, or leave its memory alone. Told is only what is certain: a page that is there and that nobody pins, or memory of the process's own with no page. A buffer without any page that is pinned is judged only if no other process has the ring, as a child has its parent's. ptwalk pins lists all of them. ptwalk pins DEVICE tells the same of memory that a device has through VFIO: no page table of those who have the device has the page any more.",
		.decided_by = "io_sqe_buffer_register(), which pins the pages once (pin_user_pages(), FOLL_LONGTERM) and never looks at the addresses again; io_uring_show_fdinfo(), which lists them; vfio_pin_pages_remote() for a device",
	}, {
		.name = "pinned-orphan",
		.source = "pins --orphans",
		.what = "A page of a process's memory is pinned, and no page table has it any more: whoever pins it (RDMA, io_uring, AF_XDP, VFIO, a driver) goes on to use memory that nobody sees. The process has unmapped or replaced it, or has ended. Told is what is so in three looks. Of a large folio, no page may be mapped.",
		.decided_by = "pin_user_pages(), whose pins outlive the mapping; folio_maybe_dma_pinned(), by which they are told",
	}, {
		.name = "iova-free",
		.source = "iova",
		.what = "A bus address of the device leads to a frame that the kernel has as free: the driver gave the memory back before it unmapped it for the device. What the device writes there lands in the memory of whoever gets the frame next. Unmap first, dma_unmap_single() or dma_free_coherent(), and free then; with a lazy domain (dma-lazy), what was unmapped works a moment longer, which four looks leave out.",
		.decided_by = "the driver; /proc/kpageflags (BUDDY), and the lists of free pages of a CPU, which the module tells",
	}, {
		.name = "iova-page-table",
		.source = "iova",
		.what = "A bus address of the device leads to a page table: the device can give itself any memory. The frame was freed while it was mapped for the device, and the kernel has made a page table of it.",
		.decided_by = "the driver; /proc/kpageflags (PGTABLE)",
	}, {
		.name = "iova-slab",
		.source = "iova",
		.what = "A bus address in a domain that a driver such as VFIO fills for user space leads to kmalloc() memory: a process has the device reach objects of the kernel. What user space maps is pinned pages of its own, so the pages were freed, unpinned, while they were mapped for the device.",
		.decided_by = "vfio_iommu_type1's vfio_pin_pages_remote(), or iommufd's pfn_reader; /proc/kpageflags (SLAB)",
	}, {
		.name = "iova-unpinned",
		.source = "iova",
		.what = "A bus address leads to a page of a process or a file that nobody has pinned: the kernel may move it away, swap it out or give it to somebody else, and the device goes on with the frame. In a domain that VFIO or the like fills, that is wrong; in others a driver may hold references instead, so it is to be looked at. Pin what a device uses with pin_user_pages(), with FOLL_LONGTERM if it is for long.",
		.decided_by = "GUP_PIN_COUNTING_BIAS in the references of the page, or folio_maybe_dma_pinned(); a page that is locked or written back is under I/O, and needs none",
		.kind = "a mismatch, or to be looked at",
	}, {
		.name = "iova-gone",
		.source = "iova",
		.what = "A bus address leads to anonymous memory that no process maps any more: a process has unmapped it, or has other memory there, while the device has it. What the device writes is lost. It may be right for a moment, when a request is under way.",
		.decided_by = "the page's map count, 0, and no entry in the swap cache",
		.kind = "to be looked at",
	}, {
		.name = "vmalloc-pages",
		.source = "kernel",
		.what = "An area of vmallocinfo has other pages mapped than its line says: too few, too many, or not from its beginning on.",
		.decided_by = "vmap_pages_range() and vunmap_range(), against struct vm_struct, as s_show() of mm/vmalloc.c prints it",
	}, {
		.name = "vmalloc-phys",
		.source = "kernel",
		.what = "An area of ioremap() isn't mapped to the physical address that vmallocinfo has for it.",
		.decided_by = "ioremap_page_range(), against phys_addr of struct vm_struct",
	}, {
		.name = "vmalloc-nobody",
		.source = "kernel",
		.what = "Pages are mapped at addresses of vmalloc() or of modules that no area of vmallocinfo has: somebody has unmapped an area and left entries behind, or has made entries by hand.",
		.decided_by = "free_vmap_area() and vunmap_range(); apply_to_page_range(), which asks for no area",
	}, {
		.name = "vmalloc-used",
		.source = "kernel",
		.what = "VmallocUsed of meminfo isn't the size of what vmalloc() has made, by the areas of vmallocinfo, as far as its counter is exact.",
		.decided_by = "nr_vmalloc_pages in mm/vmalloc.c; newer kernels keep a part of it on each processor",
	}, {
		.name = "iomem",
		.source = "kernel",
		.what = "An area of ioremap() goes beyond an outermost resource of hardware in /proc/iomem, of which it maps some: what lies behind may be another device, or nothing. Give ioremap() the size of the resource.",
		.decided_by = "the driver: ioremap() compares with RAM only (__ioremap_check_ram())",
	}, {
		.name = "kcore",
		.source = "kernel",
		.what = "Memory is mapped to another physical address than the program headers of /proc/kcore say, by which debuggers find it.",
		.decided_by = "kcore_update_ram() and get_kcore_size(), fs/proc/kcore.c",
	}, {
		.name = "memtype",
		.source = "kernel",
		.what = "A device's memory that ioremap() has mapped has another memory type than was given out for it, or nobody has asked for one: what the processor does with reads and writes there isn't what the driver asked for.",
		.decided_by = "memtype_reserve(), as debugfs shows it in x86/pat_memtype_list; ioremap_change_attr()",
	}, {
		.name = "ptdump",
		.source = "kernel",
		.what = "The kernel's own dump of its tables has another level, other rights or another memory type than the module has read.",
		.decided_by = "ptdump_walk_pgd(), mm/ptdump.c",
	}, {
		.name = "module-rights",
		.source = "kernel",
		.what = "Code of a module can't be executed or can be written to, constants can be either, or data can be executed or not be written to, by the sections that /sys/module names.",
		.decided_by = "module_enable_text_rox(), module_enable_rodata_ro() and module_enable_data_nx(), kernel/module/strict_rwx.c",
	}, {
		.name = "directmap",
		.source = "kernel",
		.what = "DirectMap4k, 2M or 1G of meminfo isn't what leaves of that size map of RAM. Two bugs of Linux do that on x86-64, and are named behind the finding: directmap-image (split huge pages of the kernel's image are counted, too) and directmap-boot (each step of mapping RAM at boot counted what it met). With --known-bugs, these are no mismatch.",
		.decided_by = "update_page_count() and split_page_count(), arch/x86/mm; kernel_physical_mapping_init()",
	}, {
		.name = "write-exec",
		.source = "kernel",
		.what = "A page of the kernel can be written to and executed: whoever can have the kernel write there has code run with its rights. Modules and BPF programs are made writable first and executable then (execmem, set_memory_rox()). At the boot the kernel looks for the same: Found insecure W+X mapping.",
		.decided_by = "set_memory_x() and set_memory_rw(), which compare nothing; note_wx() of ptdump, with CONFIG_DEBUG_WX",
	}, {
		.name = "writable-alias",
		.source = "kernel",
		.what = "A page that the kernel executes at one address can be written to at another, in the direct mapping of RAM: the write protection of the code is worth nothing.",
		.decided_by = "set_direct_map_ro() and __vmalloc()'s VM_FLUSH_RESET_PERMS, which take care of both",
	}, {
		.name = "user",
		.source = "kernel",
		.what = "Processes can reach an address of the kernel: the entry has the bit for user space at each level.",
		.decided_by = "pgprot of the mapping; x86: _PAGE_USER, which the kernel has for vsyscall and its like alone",
	}, {
		.name = "two-types",
		.source = "kernel",
		.what = "The kernel itself has a frame twice, with memory types that differ in what they mean: at this address, and in the direct mapping of RAM. What is written through one may never be seen through the other. Coherent DMA memory may be so by design.",
		.decided_by = "vmap() and memremap(), which ask nobody outside x86; on x86 set_memory_uc() and the like change both",
	}, {
		.name = "freed-page",
		.source = "kernel",
		.what = "An area of vmap(), vmalloc() or the like maps pages that are free, page tables or offline: they were freed before the area was. Whoever uses the area writes into the memory of others. vunmap() first, and __free_page() then.",
		.decided_by = "the driver; /proc/kpageflags. A page that was freed alone waits in a list of its processor, and is not seen until it leaves that",
	}, {
		.name = "ioremap-ram",
		.source = "kernel",
		.what = "An area of ioremap() maps RAM that isn't reserved: memory of the kernel, which has it cached in the direct mapping.",
		.decided_by = "__ioremap_check_ram(), which lets pass what is reserved; memremap() is for RAM",
	}, {
		.name = "module-leftover",
		.source = "kernel",
		.what = "An area was made by a module that is unloaded, and that hasn't given it back: its memory is lost until the next boot. vfree(), vunmap() or iounmap() belong into the exit function, and into each way out of the start-up code.",
		.decided_by = "the caller in struct vm_struct, and where modules were while ptwalk_kernel was loaded",
	}, {
		.name = "second-stage-stale",
		.source = "guest",
		.what = "A virtual machine of KVM has an address of its guest mapped to another frame than the process has there, or may write where the process may not. The guest goes on with a page that the process has given back: what it writes arrives in memory that may be somebody else's by now, and isn't seen by a device model, a snapshot or a migration. Told is what is so in six readings of both tables. An entry that the second stage lacks is right: the guest faults, and gets it.",
		.decided_by = "kvm_mmu_notifier_invalidate_range_start(), which takes the entries of the second stage away before the process's change; whoever changes page tables must call mmu_notifier_invalidate_range_start()",
	}, {
		.name = "expect-address",
		.source = "expect",
		.what = "All pages of a piece are somewhere else than expected, by the same distance. If that is the offset of the mapping in the file, the driver has ignored vm_pgoff, or added it where the kernel does, too.",
		.decided_by = "the driver: remap_pfn_range() takes a PFN and knows nothing of vm_pgoff; vm_map_pages(), dma_mmap_coherent() and vm_iomap_memory() add it by themselves",
	}, {
		.name = "expect-offset",
		.source = "expect",
		.what = "With --map at another offset than 0, and with any:LENGTH: the file was mapped once more, one page before, and all pages of the two mappings have the same frames. The driver ignores vm_pgoff, and the process gets the beginning of the buffer wherever it asks. A driver that gives other frames at each mmap() is not found so, nor one that refuses the second mapping; nor can it be told of a process that runs already, whose mapping is all that there is.",
		.decided_by = "the driver: remap_pfn_range() takes a PFN and knows nothing of vm_pgoff; vm_map_pages(), dma_mmap_coherent() and vm_iomap_memory() add it by themselves",
	}, {
		.name = "expect-contiguous",
		.source = "expect",
		.what = "Pages that should be one block of physical memory don't follow those before them. What vmalloc() or alloc_page() in a loop give is not one block; a device that takes one address needs dma_alloc_coherent(), or an IOMMU.",
		.decided_by = "the driver's allocation",
	}, {
		.name = "expect-hole",
		.source = "expect",
		.what = "Nothing is mapped there, with something behind it. A driver with a fault handler maps a page when it is touched first; --map with --touch does that.",
		.decided_by = "the driver",
	}, {
		.name = "expect-short",
		.source = "expect",
		.what = "The mapping ends before what is expected does: the driver has mapped too little, or the range that was asked about is too small. An access there raises SIGBUS or SIGSEGV.",
		.decided_by = "the driver: remap_pfn_range() maps the size that it is given, which should be vma->vm_end - vma->vm_start",
	}, {
		.name = "expect-end",
		.source = "expect",
		.what = "Something is mapped behind the end of what is expected: the process sees memory that isn't meant for it.",
		.decided_by = "the driver, which should refuse a mapping longer than its buffer",
	}, {
		.name = "expect-memory-type",
		.source = "expect",
		.what = "The pages have another memory type (cache attribute) than expected. On x86 the kernel may have changed what the driver asked for: RAM keeps the type that the kernel has noted for it, and a device's memory that of the first who mapped it, or what the MTRRs allow. The kernel's log then has a line from \"x86/PAT\".",
		.decided_by = "the driver, by vm_page_prot; x86: reserve_pfn_range(), pfnmap_setup_cachemode(), pat_x_mtrr_type()",
	}, {
		.name = "expect-flags",
		.source = "expect",
		.what = "The entries allow writing and should not, or the other way round; or what they map is RAM with a struct page and should not be, or the other way round.",
		.decided_by = "PROT_WRITE of mmap() and mprotect(), by vm_get_page_prot(); what is RAM, by pfn_to_online_page()",
	}, {
		.name = "expect-level",
		.source = "expect",
		.what = "The entries stand at another level of the page tables than expected: small pages for large ones, or the other way round. A driver gets large ones only from its huge_fault(), if address, offset and memory are aligned alike.",
		.decided_by = "vmf_insert_pfn_pmd(), vmf_insert_pfn_pud(), and what a driver's huge_fault() returns",
	}, {
		.name = "pinning",
		.source = "translate",
		.kind = "what I/O may do with a page",
		.what = "The line of translate -v says whether get_user_pages() and pin_user_pages() (GUP) take the page, on which O_DIRECT, vmsplice(), RDMA, VFIO and the buffers of io_uring stand. They don't take memory of a VM_IO or VM_PFNMAP mapping (remap_pfn_range(), vmf_insert_pfn()), nor of memfd_secret(): EFAULT; nor special entries of VM_MIXEDMAP (vmf_insert_mixed()): EEXIST. A driver whose memory is to be pinned maps pages with vm_insert_page() or vm_insert_pages(), or hands it out as a dma-buf, which an importer attaches instead. Reading needs VM_READ, writing VM_WRITE. What isn't present is faulted in first; a private page that is mapped read-only is copied first if it is to be written to, and the zero page if it is pinned for long (FOLL_LONGTERM, as RDMA, VFIO and io_uring do). Pages in ZONE_MOVABLE or CMA are moved away before they are pinned for long. Pages of files that track what is dirty can't be pinned for long and writing (EFAULT, since Linux 6.5), and those of fsdax not for long at all (EOPNOTSUPP). Failed memory gives EHWPOISON, a guard region EFAULT.",
		.decided_by = "check_vma_flags(), follow_page_pte() and check_and_migrate_movable_pages() in mm/gup.c",
	}, {
		.name = "claims",
		.source = "claims",
		.what = "The line of the file names another physical address than the page tables do, or a page where nothing is mapped, or nothing where a page is. Where a known mistake leads from the truth to the claim, the finding has a hint: a PFN that isn't shifted by the page size, or twice; an offset in the page or in a huge leaf that is missing; an address or a PFN that was cut off; another byte order; flags that belong to the entry; a swap entry taken for a frame; absent given as 0, where the file should have -; or the zeros that pagemap shows without CAP_SYS_ADMIN.",
		.decided_by = "the maker of the claims",
	}, {
		.name = "unclaimed",
		.source = "claims",
		.what = "The page is present, and the file of --claims has no line for it: whoever made it has left the page out. Decoders do that which pass over errors, or over what they take for a hole: addresses above 2 GiB or 4 GiB in a number of 32 bits, all pages of a huge leaf but the first, PROT_NONE memory, mappings without a file. Those who decode pagemap can't see VM_PFNMAP memory, such as [vvar] (see pfnmap-hidden): with --partial=pagemap that is explained. A process that runs may have got the page after the claims were made: stop it first (SIGSTOP). With --partial no page need be claimed.",
		.decided_by = "the maker of the claims",
	}, {
		.name = "bytes-differ",
		.source = "prove",
		.what = "The bytes at the virtual address, as /proc/PID/mem reads them, are not those at the physical address, as /proc/kcore reads them, though neither the page tables nor the bytes moved meanwhile. The physical address is wrong: that of a claim, with --claims, or else ours. Or the caches hide what is in memory, where a frame is mapped with two memory types (see two-memory-types).",
		.decided_by = "the memory itself. access_remote_vm() reads the one, read_kcore_iter() the other",
	}, {
		.name = "bytes-move",
		.source = "prove",
		.what = "In no round of --retries did the page and its bytes hold still long enough to be read in both ways. --freeze stops the process; what is shared with others, or with a device, may move all the same.",
		.decided_by = "whoever writes to it",
	},
};

const unsigned int nr_topics = sizeof(topics) / sizeof(topics[0]);
