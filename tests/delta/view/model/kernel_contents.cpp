// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents of files of a KernelTree.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "format/limits.h"
#include "tests/delta/view/model/kernel_tree.h"

namespace dgfs::test {
namespace {

// Opens an object that is known by an O_PATH descriptor for its contents.
class OpenedFile {
 public:
  explicit OpenedFile(const std::string& link, int flags = 0)
      : fd_(::open(link.c_str(), O_RDWR | O_CLOEXEC | flags)) {}
  ~OpenedFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

// The kernel removes capabilities of a file before it passes a write to the file system.
class KeptCapability {
 public:
  explicit KeptCapability(std::string link)
      : link_(std::move(link)),
        length_(::getxattr(link_.c_str(), kName, value_.data(), value_.size())) {}
  ~KeptCapability() {
    if (length_ < 0 || ::getxattr(link_.c_str(), kName, nullptr, 0) >= 0) return;
    static_cast<void>(
        ::setxattr(link_.c_str(), kName, value_.data(), static_cast<std::size_t>(length_), 0));
  }
  KeptCapability(const KeptCapability&) = delete;
  KeptCapability& operator=(const KeptCapability&) = delete;

 private:
  static constexpr const char* kName = "security.capability";

  const std::string link_;
  std::array<char, 256> value_{};
  ssize_t length_;
};

OperationResult length_or_failed(ssize_t length) {
  OperationResult result;
  if (length < 0) {
    result.error = errno == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kIo;
  } else {
    result.length_bytes = static_cast<std::uint64_t>(length);
  }
  return result;
}

off_t offset_of(std::uint64_t bytes) { return static_cast<off_t>(bytes); }

}  // namespace

std::optional<ErrorKind> KernelTree::refusal_of_no_file(ModelId id) const {
  struct stat status {};
  if (::fstat(fd(id), &status) < 0) return ErrorKind::kIo;
  if (format::is_regular(status.st_mode)) return std::nullopt;
  return format::is_directory(status.st_mode) ? ErrorKind::kIsDirectory
                                              : ErrorKind::kInvalidArgument;
}

OperationResult KernelTree::content_operation(const Operation& operation) const {
  OperationResult result;
  result.error = refusal_of_no_file(operation.object);
  if (!result.error && operation.verb == Verb::kCopy)
    result.error = refusal_of_no_file(operation.to);
  if (result.error) return result;
  const OpenedFile file(link_to(operation.object));
  switch (operation.verb) {
    case Verb::kRead: {
      std::string bytes(static_cast<std::size_t>(operation.length_bytes), '\0');
      const auto read =
          ::pread(file.fd(), bytes.data(), bytes.size(), offset_of(operation.offset_bytes));
      if (read < 0) return length_or_failed(read);
      bytes.resize(static_cast<std::size_t>(read));
      result.texts = {bytes};
      return result;
    }
    case Verb::kCopy: {
      const KeptCapability kept(link_to(operation.to));
      const OpenedFile to(link_to(operation.to));
      auto from_at = offset_of(operation.offset_bytes);
      auto to_at = offset_of(operation.to_bytes);
      return length_or_failed(
          ::copy_file_range(file.fd(), &from_at, to.fd(), &to_at, operation.length_bytes, 0));
    }
    default:
      return change_content(operation, file.fd());
  }
}

OperationResult KernelTree::change_content(const Operation& operation, int file) const {
  const KeptCapability kept(link_to(operation.object));
  const auto& bytes = operation.value;
  if (operation.verb == Verb::kWrite) {
    return length_or_failed(
        ::pwrite(file, bytes.data(), bytes.size(), offset_of(operation.offset_bytes)));
  }
  if (operation.verb == Verb::kAppend) {
    const OpenedFile end(link_to(operation.object), O_APPEND);
    auto result = length_or_failed(::write(end.fd(), bytes.data(), bytes.size()));
    const auto behind = ::lseek(end.fd(), 0, SEEK_CUR);
    if (!result.error) result.offset_bytes = static_cast<std::uint64_t>(behind) - bytes.size();
    return result;
  }
  const int mode = operation.zero_mode == view::ZeroMode::kGrow
                       ? FALLOC_FL_ZERO_RANGE
                       : FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  return length_or_failed(::fallocate(file, mode, offset_of(operation.offset_bytes),
                                      offset_of(operation.length_bytes)));
}

OperationResult KernelTree::set_size(const Operation& operation) const {
  OperationResult result;
  result.error = refusal_of_no_file(operation.object);
  if (result.error) return result;
  const KeptCapability kept(link_to(operation.object));
  return length_or_failed(
      ::truncate(link_to(operation.object).c_str(), offset_of(*operation.change.size_bytes)));
}

std::string KernelTree::content(ModelId id) const {
  struct stat status {};
  const OpenedFile file(link_to(id));
  if (::fstat(file.fd(), &status) < 0) return {};
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const auto read = ::pread(file.fd(), bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
  return bytes;
}

}  // namespace dgfs::test
