// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/generated_env.h"

#include <algorithm>
#include <utility>

#include "bench/hundred_million/generated_directory.h"
#include "format/limits.h"

namespace dgfs::bench {
namespace {

/// The space reserved in it is for contents and stays a hole, except for the header page.
class HollowFile final : public storage::ForwardingFile {
 public:
  HollowFile(std::unique_ptr<storage::File> file, std::atomic<std::uint64_t>& written_bytes)
      : storage::ForwardingFile(std::move(file)), written_bytes_(written_bytes) {}

  Status preallocate(std::uint64_t /*begin_bytes*/, std::uint64_t end_bytes) override {
    hole_end_ = end_bytes;
    return ok();
  }

  Status write_at(std::uint64_t offset_bytes, Bytes data) override {
    if (offset_bytes >= format::kPageBytes && offset_bytes < hole_end_) {
      const auto skipped = std::min<std::uint64_t>(data.size(), hole_end_ - offset_bytes);
      offset_bytes += skipped;
      data = data.subspan(static_cast<std::size_t>(skipped));
    }
    if (data.empty()) return ok();
    written_bytes_ += data.size();
    return inner().write_at(offset_bytes, data);
  }

 private:
  std::atomic<std::uint64_t>& written_bytes_;
  std::uint64_t hole_end_ = 0;
};

}  // namespace

Result<std::unique_ptr<storage::Directory>> GeneratedEnv::open_directory(const std::string& path) {
  if (path == source_) return std::make_unique<GeneratedDirectory>(tree_, Place{}, path);
  return base().open_directory(path);
}

Result<std::unique_ptr<storage::File>> GeneratedEnv::create_unnamed(const std::string& directory) {
  DGFS_TRY(file, base().create_unnamed(directory));
  return std::make_unique<HollowFile>(std::move(file), written_bytes_);
}

Status GeneratedEnv::publish(storage::File& file, const std::string& path, std::uint32_t mode) {
  auto* const hollow = dynamic_cast<HollowFile*>(&file);
  return base().publish(hollow == nullptr ? file : hollow->inner(), path, mode);
}

}  // namespace dgfs::bench
