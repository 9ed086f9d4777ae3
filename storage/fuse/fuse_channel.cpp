// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/fuse/fuse_channel.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "storage/posix/os_error.h"

namespace dgfs::storage {

FuseChannel FuseChannel::further(int device) {
  UniqueFd own(retry_interrupted([] { return ::open("/dev/fuse", O_RDWR | O_CLOEXEC); }));
  auto connection = static_cast<std::uint32_t>(device);
  if (own && ::ioctl(own.get(), FUSE_DEV_IOC_CLONE, &connection) == 0) {
    const int clone = own.get();
    return {clone, std::move(own)};
  }
  return {device, UniqueFd()};
}

// ENOENT: the client was killed before the kernel handed the request over. ENODEV: unmounted.
// EAGAIN cannot happen: the device blocks.
Result<std::size_t> FuseChannel::receive(MutableBytes buffer) const {
  for (;;) {
    const ssize_t length = ::read(device_, buffer.data(), buffer.size());
    if (length > 0) return static_cast<std::size_t>(length);
    if (length == 0 || errno == ENODEV) return std::size_t{0};
    if (errno == ENOENT) continue;
    if (errno == EINTR) return Error(ErrorKind::kInterrupted, 1090, "a signal has come");
    return os_error(1091, errno, "read", "/dev/fuse");
  }
}

ssize_t FuseChannel::send(std::span<const iovec> parts) const {
  return send_to_fuse(device_, parts);
}

bool is_fuse_connected(int device) {
  pollfd polled{device, 0, 0};
  return ::poll(&polled, 1, 0) <= 0 || (polled.revents & (POLLERR | POLLNVAL)) == 0;
}

ssize_t send_to_fuse(int device, std::span<const iovec> parts) {
  return ::writev(device, parts.data(), static_cast<int>(parts.size()));
}

}  // namespace dgfs::storage
