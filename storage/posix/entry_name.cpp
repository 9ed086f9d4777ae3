// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/entry_name.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "storage/names.h"

namespace dgfs::storage {
namespace {

// Numbers of the calls, the same on all architectures. Older headers do not have them.
constexpr long kSetxattrat = 463;
constexpr long kGetxattrat = 464;
constexpr long kListxattrat = 465;
constexpr long kRemovexattrat = 466;

// struct xattr_args of linux/xattr.h.
struct XattrArguments {
  alignas(8) std::uint64_t value;
  std::uint32_t size;
  std::uint32_t flags;
};
static_assert(sizeof(XattrArguments) == 16);

XattrArguments arguments(const void* value, std::size_t size) {
  return {reinterpret_cast<std::uintptr_t>(value), static_cast<std::uint32_t>(size), 0};
}

}  // namespace

std::string EntryName::path() const {
  return join_path("/proc/self/fd/" + std::to_string(directory_fd), name);
}

ssize_t EntryName::list_xattrs(std::uint8_t* out, std::size_t size) const {
  const auto count =
      ::syscall(kListxattrat, directory_fd, name.c_str(), AT_SYMLINK_NOFOLLOW, out, size);
  if (count >= 0 || !is_missing_call(errno)) return count;
  return fall_back(
      errno, [&] { return ::llistxattr(path().c_str(), reinterpret_cast<char*>(out), size); });
}

ssize_t EntryName::get_xattr(const char* key, std::uint8_t* out, std::size_t size) const {
  auto where = arguments(out, size);
  const auto count = ::syscall(kGetxattrat, directory_fd, name.c_str(), AT_SYMLINK_NOFOLLOW, key,
                               &where, sizeof where);
  if (count >= 0 || !is_missing_call(errno)) return count;
  return fall_back(errno, [&] { return ::lgetxattr(path().c_str(), key, out, size); });
}

int EntryName::set_xattr(const char* key, Bytes value) const {
  auto from = arguments(value.data(), value.size());
  const auto failed = ::syscall(kSetxattrat, directory_fd, name.c_str(), AT_SYMLINK_NOFOLLOW, key,
                                &from, sizeof from);
  if (failed == 0 || !is_missing_call(errno)) return static_cast<int>(failed);
  return fall_back(errno,
                   [&] { return ::lsetxattr(path().c_str(), key, value.data(), value.size(), 0); });
}

int EntryName::remove_xattr(const char* key) const {
  const auto failed =
      ::syscall(kRemovexattrat, directory_fd, name.c_str(), AT_SYMLINK_NOFOLLOW, key);
  if (failed == 0 || !is_missing_call(errno)) return static_cast<int>(failed);
  return fall_back(errno, [&] { return ::lremovexattr(path().c_str(), key); });
}

}  // namespace dgfs::storage
