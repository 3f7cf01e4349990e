// SPDX-License-Identifier: GPL-2.0
/* What the kernel says about a request that it refused. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <netlink/msg.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include "lib/extack.h"
#include "lib/protocol_names.h"

static void name_attribute(struct extack *extack, uint8_t cmd, unsigned int type)
{
	const struct request_names *names = cmd <= PTWALK_DEVICE_CMD_MAX ?
					    &request_names[cmd] : NULL;

	if (names && type < names->nr && names->attribute[type])
		snprintf(extack->attribute, sizeof(extack->attribute), "%s",
			 names->attribute[type]);
	else
		snprintf(extack->attribute, sizeof(extack->attribute),
			 "number %u", type);
}

/* Requests have no nests: the attribute at fault stands at the top. */
static void find_attribute(struct extack *extack,
			   const struct nlmsghdr *request, uint32_t offset)
{
	const char *base = (const char *)request;
	struct genlmsghdr *genl = nlmsg_data(request);
	struct nlattr *attr;
	int left;

	nla_for_each_attr(attr, genlmsg_attrdata(genl, 0),
			  genlmsg_attrlen(genl, 0), left) {
		uint32_t start = (const char *)attr - base;

		if (offset >= start && offset < start + nla_len(attr) + NLA_HDRLEN) {
			name_attribute(extack, genl->cmd, nla_type(attr));
			return;
		}
	}
}

/* The kernel's message, on one line whatever it holds. */
static void take_message(struct extack *extack, const struct nlattr *attr)
{
	size_t len = strnlen(nla_data(attr), nla_len(attr));

	if (len >= sizeof(extack->message))
		len = sizeof(extack->message) - 1;
	memcpy(extack->message, nla_data(attr), len);
	extack->message[len] = '\0';
	for (char *c = extack->message; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

static struct nlattr *tlvs_at(const struct nlmsghdr *reply, size_t offset,
			      int *len)
{
	size_t payload = nlmsg_datalen(reply);

	if (!(reply->nlmsg_flags & NLM_F_ACK_TLVS) || offset >= payload)
		return NULL;
	*len = payload - offset;
	return (struct nlattr *)((char *)nlmsg_data(reply) + offset);
}

int extack_parse(const struct nlmsghdr *reply, const struct nlmsghdr *request,
		 struct extack *extack)
{
	struct genlmsghdr *genl = nlmsg_data(request);
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	struct nlattr *tlvs;
	size_t offset;
	int32_t error = 0;
	int len;

	memset(extack, 0, sizeof(*extack));
	if (reply->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *err = nlmsg_data(reply);

		if (nlmsg_datalen(reply) < (int)sizeof(*err))
			return -EBADMSG;
		error = err->error;
		offset = sizeof(*err);
		/* Without NLM_F_CAPPED the whole request comes back. */
		if (!(reply->nlmsg_flags & NLM_F_CAPPED))
			offset += NLMSG_ALIGN(err->msg.nlmsg_len) -
				  sizeof(err->msg);
	} else {
		/* The end of a dump may come without a word. */
		if (nlmsg_datalen(reply) >= (int)sizeof(error))
			memcpy(&error, nlmsg_data(reply), sizeof(error));
		offset = NLMSG_ALIGN(sizeof(error));
	}
	extack->error = error < 0 ? -error : 0;

	tlvs = tlvs_at(reply, offset, &len);
	if (!tlvs || nla_parse(tb, NLMSGERR_ATTR_MAX, tlvs, len, NULL) < 0)
		return 0;

	if (tb[NLMSGERR_ATTR_MSG])
		take_message(extack, tb[NLMSGERR_ATTR_MSG]);
	if (tb[NLMSGERR_ATTR_OFFS] &&
	    nla_len(tb[NLMSGERR_ATTR_OFFS]) >= (int)sizeof(uint32_t)) {
		find_attribute(extack, request,
			       nla_get_u32(tb[NLMSGERR_ATTR_OFFS]));
	} else if (tb[NLMSGERR_ATTR_MISS_TYPE] &&
		   nla_len(tb[NLMSGERR_ATTR_MISS_TYPE]) >= (int)sizeof(uint32_t)) {
		name_attribute(extack, genl->cmd,
			       nla_get_u32(tb[NLMSGERR_ATTR_MISS_TYPE]));
		extack->missing = 1;
	}
	return 0;
}
