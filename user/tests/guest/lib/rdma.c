// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "rdma.h"
#include "system.h"

#define ACCESS	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE)

/* As "rdma link add ptwalk0 type rxe netdev lo" does. */
struct new_link {
	struct nlmsghdr head;
	struct nlattr name_head;
	char name[8];
	struct nlattr netdev_head;
	char netdev[4];
	struct nlattr type_head;
	char type[4];
};

static int make_device(void)
{
	const struct new_link link = {
		{ .nlmsg_len = sizeof(link), .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		  .nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK) },
		{ NLA_HDRLEN + sizeof(link.name), RDMA_NLDEV_ATTR_DEV_NAME }, "ptwalk0",
		{ NLA_HDRLEN + sizeof("lo"), RDMA_NLDEV_ATTR_NDEV_NAME }, "lo",
		{ NLA_HDRLEN + sizeof(link.type), RDMA_NLDEV_ATTR_LINK_TYPE }, "rxe",
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char more[512];
	} answer = { 0 };
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (send(fd, &link, sizeof(link), 0) < 0 || recv(fd, &answer, sizeof(answer), 0) < 0)
		err = -errno;
	else if (answer.head.nlmsg_type == NLMSG_ERROR)
		err = answer.error.error;
	close(fd);
	return err == -EEXIST ? 0 : err;
}

/* A command of the device: @head is filled in. */
static int command(int fd, unsigned int number, void *head, size_t size, size_t answer)
{
	*(struct ib_uverbs_cmd_hdr *)head = (struct ib_uverbs_cmd_hdr){
		.command = number, .in_words = size / 4, .out_words = answer / 4,
	};
	return write(fd, head, size) == (ssize_t)size ? 0 : -errno;
}

int rdma_open(struct rdma *r)
{
	static struct output out;
	struct ib_uverbs_get_context_resp context;
	struct ib_uverbs_alloc_pd_resp pd;
	struct {
		struct ib_uverbs_cmd_hdr head;
		uint64_t response;
	} get = { .response = (uintptr_t)&context }, alloc = { .response = (uintptr_t)&pd };
	int err;

	run(&out, "modprobe", "-q", "rdma_rxe");
	if (out.status)
		return -ENOSYS;
	run(&out, "modprobe", "-q", "ib_uverbs");
	run(&out, "modprobe", "-q", "crc32_generic");
	err = make_device();
	if (err)
		return err;
	r->fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	err = command(r->fd, IB_USER_VERBS_CMD_GET_CONTEXT, &get, sizeof(get), sizeof(context));
	if (!err)
		err = command(r->fd, IB_USER_VERBS_CMD_ALLOC_PD, &alloc, sizeof(alloc), sizeof(pd));
	if (err)
		close(r->fd);
	else
		r->pd = pd.pd_handle;
	return err;
}

int rdma_register(const struct rdma *r, void *at, size_t size)
{
	struct ib_uverbs_reg_mr_resp region;
	struct {
		struct ib_uverbs_cmd_hdr head;
		struct ib_uverbs_reg_mr reg;
	} reg = {
		.reg = {
			.response = (uintptr_t)&region, .start = (uintptr_t)at, .length = size,
			.hca_va = (uintptr_t)at, .pd_handle = r->pd, .access_flags = ACCESS,
		},
	};

	return command(r->fd, IB_USER_VERBS_CMD_REG_MR, &reg, sizeof(reg), sizeof(region));
}
