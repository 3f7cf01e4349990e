// SPDX-License-Identifier: GPL-2.0
/* Short texts of the kernel; an error is not taken for their end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/text.h"

ssize_t text_read(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, buf + len, size - 1 - len);
		len += n > 0 ? n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		len = 0;
	buf[len] = '\0';
	return n < 0 ? -errno : (ssize_t)len;
}

ssize_t text_of(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	*buf = '\0';
	if (fd < 0)
		return -errno;
	len = text_read(fd, buf, size);
	close(fd);
	return len;
}

ssize_t text_read_stream(FILE *stream, char *buf, size_t size)
{
	size_t len;

	errno = 0;
	len = fread(buf, 1, size - 1, stream);
	if (!ferror(stream)) {
		buf[len] = '\0';
		return len;
	}
	*buf = '\0';
	return errno ? -errno : -EIO;
}

int text_take(FILE *stream, char **text)
{
	size_t size = 0;

	*text = NULL;
	errno = 0;
	if (getdelim(text, &size, '\0', stream) >= 0 && !ferror(stream))
		return 0;
	free(*text);
	*text = NULL;
	if (!feof(stream) || ferror(stream))
		return errno ? -errno : -EIO;
	*text = strdup("");
	return *text ? 0 : -ENOMEM;
}
