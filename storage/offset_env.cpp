// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/offset_env.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "storage/wrapped.h"

namespace dgfs::storage {
namespace {

// File offsets are signed 64-bit numbers.
constexpr std::uint64_t kOffsetMax = std::numeric_limits<std::int64_t>::max();

class OffsetFile final : public File {
 public:
  OffsetFile(std::unique_ptr<File> file, std::uint64_t offset_bytes)
      : file_(std::move(file)), offset_bytes_(offset_bytes) {}

  Result<std::size_t> read_at(std::uint64_t offset_bytes, MutableBytes out) const override {
    if (offset_bytes > kOffsetMax - offset_bytes_) return std::size_t{0};
    return moved(file_->read_at(offset_bytes_ + offset_bytes, out));
  }
  Result<std::size_t> read_at(std::uint64_t offset_bytes,
                              std::span<const MutableBytes> outs) const override {
    if (offset_bytes > kOffsetMax - offset_bytes_) return std::size_t{0};
    return moved(file_->read_at(offset_bytes_ + offset_bytes, outs));
  }
  Result<std::uint64_t> size() const override {
    DGFS_TRY(size_bytes, file_->size());
    return size_bytes - std::min(size_bytes, offset_bytes_);
  }
  Result<FileStatus> status() const override {
    DGFS_TRY(status, file_->status());
    status.size_bytes -= std::min(status.size_bytes, offset_bytes_);
    return status;
  }
  Result<DataSegment> next_data(std::uint64_t offset_bytes) const override {
    DGFS_TRY(segment,
             file_->next_data(offset_bytes_ + std::min(offset_bytes, kOffsetMax - offset_bytes_)));
    return DataSegment{segment.begin - std::min(segment.begin, offset_bytes_),
                       segment.end - std::min(segment.end, offset_bytes_)};
  }
  void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) override {
    file_->advise(access, offset_bytes_ + offset_bytes, length_bytes);
  }
  Result<std::vector<Xattr>> xattrs() const override { return file_->xattrs(); }
  const std::string& path() const override { return file_->path(); }

  Status write_at(std::uint64_t, Bytes) override { return refusal(); }
  Status truncate(std::uint64_t) override { return refusal(); }
  Status preallocate(std::uint64_t, std::uint64_t) override { return refusal(); }
  Status punch(std::uint64_t, std::uint64_t) override { return refusal(); }
  Result<std::uint64_t> free_bytes() const override { return file_->free_bytes(); }
  Status sync() override { return ok(); }
  Status lock() override { return file_->lock(); }
  Status lock_shared() override { return file_->lock_shared(); }

 private:
  [[nodiscard]] Error refusal() const {
    return Error(ErrorKind::kPermission, 1150, "a part of a file can only be read").in_file(path());
  }
  // Converts the offset of an error to the caller's count.
  [[nodiscard]] Result<std::size_t> moved(Result<std::size_t> read) const {
    if (read) return read;
    const Error& error = read.assume_error();
    Error told(error.kind(), error.code(), error.text());
    if (error.offset()) {
      told = std::move(told).at_offset(*error.offset() - std::min(*error.offset(), offset_bytes_));
    }
    return std::move(told).in_file(error.file()).with_errno(error.os_errno());
  }

  std::unique_ptr<File> file_;
  std::uint64_t offset_bytes_;
};

class OffsetEnv final : public WrappedEnv<Env> {
 public:
  OffsetEnv(Env& base, std::string path, std::uint64_t offset_bytes)
      : WrappedEnv(base), base_(base), path_(std::move(path)), offset_bytes_(offset_bytes) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenOptions options) override {
    if (path != path_) return base_.open(path, options);
    DGFS_TRY(file, base_.open(path, options));
    DGFS_TRY(size_bytes, file->size());
    if (offset_bytes_ >= size_bytes) {
      return Error(ErrorKind::kInvalidArgument, 1151,
                   "offset " + std::to_string(offset_bytes_) + " is beyond its end")
          .in_file(path);
    }
    return std::unique_ptr<File>(std::make_unique<OffsetFile>(std::move(file), offset_bytes_));
  }

 private:
  [[nodiscard]] CallObserver& observer() const override { return bystander_; }

  Env& base_;
  std::string path_;
  std::uint64_t offset_bytes_;
  mutable CallObserver bystander_;
};

}  // namespace

std::unique_ptr<Env> make_offset_env(Env& base, std::string path, std::uint64_t offset_bytes) {
  return std::make_unique<OffsetEnv>(base, std::move(path), offset_bytes);
}

}  // namespace dgfs::storage
