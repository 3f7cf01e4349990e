// SPDX-License-Identifier: GPL-2.0
/*
 * The file second_stage in the folder ptwalk_guest of debugfs. Whoever has opened it
 * writes "FD PID" in decimal, once: the file descriptor of a virtual machine of KVM, and
 * the process whose memory it has; then reads. What is read is text, and it only grows:
 * readers skip lines whose first word they don't know, and words at the end of a line.
 * All numbers are hexadecimal without 0x:
 *
 *	ptwalk-guest VERSION ARCH PAGE_SHIFT CPUS
 *	extent GPA BYTES HPA LEVEL RIGHTS HVA	"rw" or "r-", with another "-" if the slot
 *						is read-only; at the address HVA of the
 *						process
 *	private GPA BYTES HPA LEVEL RIGHTS	of a slot with a guest_memfd
 *	no-slot GPA BYTES HPA LEVEL RIGHTS	of a slot that goes away
 *	end EXTENTS ROOTS ROOTLESS SHADOW NESTED LOST
 *		the walk is complete; see struct s2_walk
 *
 * Extents ascend, and begin anew with each root: virtual CPUs mostly have one and the
 * same. They stand for the moment at which each table was read.
 */
#include <linux/file.h>
#include <linux/init.h>
#include <linux/kvm_host.h>
#include <linux/magic.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include "../kernel/listing.h"
#include "../memory.h"
#include "arch.h"
#include "walk.h"

/**
 * struct s2_reader - an open file
 * @listing: What all such files have.
 * @vm: The machine's file; NULL until it is written.
 * @walk: Where it is.
 * @extent: What was found last.
 */
struct s2_reader {
	struct listing listing;
	struct file *vm;
	struct s2_walk walk;
	struct s2_extent extent;
};

static int listing_begin(void *file)
{
	struct s2_reader *reader = file;

	if (!reader->vm)
		return -ENODATA;
	s2_walk_begin(&reader->walk, reader->vm->private_data);
	return 0;
}

static int listing_next(void *file)
{
	struct s2_reader *reader = file;

	return s2_walk_next(&reader->walk, &reader->extent);
}

static void listing_show_header(struct seq_file *m, const void *file)
{
	const struct s2_reader *reader = file;

	seq_printf(m, "ptwalk-guest 1 %s %x %x\n", utsname()->machine, PAGE_SHIFT,
		   atomic_read(&reader->walk.kvm->online_vcpus));
}

static void listing_show_extent(struct seq_file *m, const void *file)
{
	static const char *const word[] = {
		[GUEST_MAPPED] = "extent",
		[GUEST_PRIVATE] = "private",
		[GUEST_NO_SLOT] = "no-slot",
		[GUEST_DEVICE] = "device",
	};
	const struct s2_reader *reader = file;
	const struct s2_extent *e = &reader->extent;

	seq_printf(m, "%s %llx %llx %llx %x r%c%s", word[e->kind], e->gpa, e->bytes, e->hpa,
		   e->level, e->write ? 'w' : '-', e->read_only ? "-" : "");
	if (e->kind == GUEST_MAPPED)
		seq_printf(m, " %llx", e->hva);
	seq_putc(m, '\n');
}

static void listing_show_end(struct seq_file *m, const void *file)
{
	const struct s2_reader *reader = file;
	const struct s2_walk *walk = &reader->walk;

	seq_printf(m, "end %llx %llx %llx %llx %llx %llx\n", reader->listing.found - 1,
		   walk->roots, walk->rootless, walk->shadow, walk->nested, walk->lost);
}

/*
 * Whether the file is a virtual machine: its inode is an anonymous one, which no process
 * can name, and KVM releases it. Before Linux 6.7 its operations have no owner.
 */
static bool s2_is_vm(const struct file *file)
{
	const struct dentry *dentry = file->f_path.dentry;
	char by[64];

	snprintf(by, sizeof(by), "%ps", file->f_op->release);
	return dentry->d_sb->s_magic == ANON_INODE_FS_MAGIC &&
	       !strcmp(dentry->d_name.name, "kvm-vm") &&
	       !strcmp(by, IS_BUILTIN(CONFIG_KVM) ? "kvm_vm_release" : "kvm_vm_release [kvm]");
}

/*
 * Whether it has the memory of the process, rather than of one that has handed it on. The
 * group leader may have exited before other threads. The machine has a reference to its
 * mm, so no other mm can be at that address.
 */
static bool s2_is_of(const struct kvm *kvm, pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct task_struct *thread;
	bool same = false;

	put_pid(pid);
	if (!task)
		return false;
	rcu_read_lock();
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node)
		same |= READ_ONCE(thread->mm) == kvm->mm;
	rcu_read_unlock();
	/* A kernel thread may use the memory, and isn't the process. */
	same &= !(task->flags & PF_KTHREAD);
	put_task_struct(task);
	return same;
}

/* Returns the machine's file with a reference, or an error. */
static struct file *s2_get(int fd, pid_t pid)
{
	struct file *file = fget(fd);
	int err = 0;

	if (!file)
		return ERR_PTR(-EBADF);
	if (!s2_is_vm(file))
		err = -ENOTTY;
	else if (!s2_is_of(file->private_data, pid))
		err = -EXDEV;
	if (!err)
		return file;
	fput(file);
	return ERR_PTR(err);
}

/* Of whoever opened the file: else one could have a privileged program write for it. */
static ssize_t s2_write(struct file *file, const char __user *from, size_t bytes,
			loff_t *pos)
{
	struct seq_file *m = file->private_data;
	struct s2_reader *reader = m->private;
	char text[32] = "";
	struct file *vm;
	int fd, pid;

	if (file->f_cred != current_cred())
		return -EPERM;
	if (bytes >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, bytes))
		return -EFAULT;
	if (sscanf(text, "%d %d", &fd, &pid) != 2)
		return -EINVAL;
	vm = s2_get(fd, pid);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	mutex_lock(&m->lock);
	if (!reader->vm)
		swap(reader->vm, vm);
	mutex_unlock(&m->lock);
	if (!vm)
		return bytes;
	fput(vm);
	return -EBUSY;
}

static int s2_open(struct inode *inode, struct file *file)
{
	return listing_open(file, sizeof(struct s2_reader));
}

static int s2_release(struct inode *inode, struct file *file)
{
	struct s2_reader *reader = ((struct seq_file *)file->private_data)->private;

	if (reader->vm)
		fput(reader->vm);
	return seq_release_private(inode, file);
}

static const struct file_operations s2_fops = {
	.owner = THIS_MODULE,
	.open = s2_open,
	.read = seq_read,
	.write = s2_write,
	.release = s2_release,
};

static struct dentry *s2_folder;

static int __init s2_init(void)
{
	const char *why_not = s2_why_not();
	int err;

	if (!listing_fits())
		return -ENOEXEC;
	if (why_not) {
		pr_err("ptwalk_guest: no second stage can be read: %s\n", why_not);
		return -EOPNOTSUPP;
	}
	err = ptwalk_memory_init(NULL);
	if (err)
		return err;
	s2_folder = listing_create("ptwalk_guest", "second_stage", 0600, &s2_fops);
	err = PTR_ERR_OR_ZERO(s2_folder);
	if (err)
		ptwalk_memory_exit();
	return err;
}

/* Open files hold the module; whoever reads has come to an end in debugfs_remove(). */
static void __exit s2_exit(void)
{
	debugfs_remove(s2_folder);
	ptwalk_memory_exit();
}

module_init(s2_init);
module_exit(s2_exit);

MODULE_DESCRIPTION("Reader of the second stage of KVM");
MODULE_LICENSE("GPL");
