// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bench/store/record_target.h"

namespace dgfs::bench {
namespace {

Error failed() { return {ErrorKind::kIo, 9015, std::strerror(errno)}; }

class FileTarget final : public RecordTarget {
 public:
  explicit FileTarget(int fd) : fd_(fd) {}
  ~FileTarget() override { close(fd_); }

  Status write(std::uint64_t offset_bytes, std::string_view record) override {
    const auto done = pwrite(fd_, record.data(), record.size(), static_cast<off_t>(offset_bytes));
    return is_all(done, record.size()) ? Status(ok()) : failed();
  }
  Status sync() override { return fsync(fd_) == 0 ? Status(ok()) : failed(); }
  Status settle() override { return ok(); }
  Status read(std::uint64_t offset_bytes, std::string& record) override {
    const auto done = pread(fd_, record.data(), record.size(), static_cast<off_t>(offset_bytes));
    return is_all(done, record.size()) ? Status(ok()) : failed();
  }

 private:
  static bool is_all(ssize_t done, std::size_t bytes) {
    return done >= 0 && static_cast<std::size_t>(done) == bytes;
  }

  int fd_;
};

}  // namespace

Result<std::unique_ptr<RecordTarget>> make_file_target(const std::string& directory) {
  const int fd = open((directory + "/records").c_str(), O_RDWR | O_CREAT | O_EXCL, 0666);
  if (fd < 0) return failed();
  return std::unique_ptr<RecordTarget>(std::make_unique<FileTarget>(fd));
}

}  // namespace dgfs::bench
