// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bench/store/record_target.h"

namespace dgfs::bench {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kLogBytes = std::uint64_t{64} << 20;

Error log_failed() { return {ErrorKind::kIo, 9018, std::strerror(errno)}; }

// Knows no keys and writes nothing twice: the work that any log of whole pages has for these
// records.
class FloorTarget final : public RecordTarget {
 public:
  explicit FloorTarget(int fd) : fd_(fd) {}
  ~FloorTarget() override { close(fd_); }

  // Allocates the whole file first, as a log would.
  Status prepare() {
    const std::string zeros(std::size_t{1} << 20, '\0');
    for (std::uint64_t at = 0; at < kLogBytes; at += zeros.size()) {
      DGFS_CHECK(write_at(at, zeros));
    }
    return fsync(fd_) == 0 ? Status(ok()) : log_failed();
  }

  Status write(std::uint64_t offset_bytes, std::string_view record) override {
    const auto at = static_cast<std::size_t>(offset_bytes);
    contents_.resize(std::max(contents_.size(), at + record.size()));
    contents_.replace(at, record.size(), record);
    group_ += record;
    return ok();
  }

  Status sync() override {
    group_.resize((group_.size() + kPageBytes - 1) / kPageBytes * kPageBytes);
    if (end_bytes_ + group_.size() > kLogBytes) end_bytes_ = 0;
    DGFS_CHECK(write_at(end_bytes_, group_));
    end_bytes_ += group_.size();
    group_.clear();
    return fdatasync(fd_) == 0 ? Status(ok()) : log_failed();
  }

  Status settle() override { return ok(); }

  Status read(std::uint64_t offset_bytes, std::string& record) override {
    record = contents_.substr(static_cast<std::size_t>(offset_bytes), record.size());
    return ok();
  }

 private:
  Status write_at(std::uint64_t at, std::string_view bytes) {
    const auto done = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    return done >= 0 && static_cast<std::size_t>(done) == bytes.size() ? Status(ok())
                                                                       : log_failed();
  }

  int fd_;
  std::string contents_;
  std::string group_;
  std::uint64_t end_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordTarget>> make_floor_target(const std::string& directory) {
  const int fd = open((directory + "/records").c_str(), O_RDWR | O_CREAT | O_EXCL, 0666);
  if (fd < 0) return log_failed();
  auto target = std::make_unique<FloorTarget>(fd);
  DGFS_CHECK(target->prepare());
  return std::unique_ptr<RecordTarget>(std::move(target));
}

}  // namespace dgfs::bench
