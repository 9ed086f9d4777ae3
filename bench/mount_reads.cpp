// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mounts an image as `dgfs mount` does, but with a choice of how contents are read: the mount of
// bench/residency.
//
//   dgfs_mount_reads WAYS IMAGE MOUNT_POINT
//
// WAYS, separated by commas:
//   buffered         through the page cache
//   random           the same, without read-ahead (POSIX_FADV_RANDOM)
//   dont-need=BYTES  the same, and drops pages that were read (POSIX_FADV_DONTNEED) once reads are
//                    that far beyond them; 0: at once
//   direct=BYTES     reads of at least so many bytes bypass the page cache (O_DIRECT)
//   ahead=BYTES      announces sequential reads to the system that far ahead
//                    (POSIX_FADV_WILLNEED)
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>

#include "fuse/logger.h"
#include "fuse/mount.h"
#include "storage/forwarding_env.h"
#include "storage/posix/env.h"

namespace {

using dgfs::MutableBytes;
using dgfs::Result;
using dgfs::storage::Access;
using dgfs::storage::Env;
using dgfs::storage::File;
using dgfs::storage::ForwardingEnv;
using dgfs::storage::ForwardingFile;
using dgfs::storage::OpenOptions;

struct Ways {
  bool random = false;
  std::optional<std::uint64_t> kept_bytes;
  std::optional<std::uint64_t> direct_bytes_min;
  std::uint64_t ahead_bytes = 0;
};

std::optional<Ways> parse(std::string_view text) {
  Ways ways;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto value = equals == word.npos ? std::string() : std::string(word.substr(equals + 1));
    if (name == "random") {
      ways.random = true;
    } else if (name == "dont-need" && !value.empty()) {
      ways.kept_bytes = std::stoull(value);
    } else if (name == "direct" && !value.empty()) {
      ways.direct_bytes_min = std::stoull(value);
    } else if (name == "ahead" && !value.empty()) {
      ways.ahead_bytes = std::stoull(value);
    } else if (name != "buffered") {
      return std::nullopt;
    }
  }
  return ways;
}

// Decides from earlier reads which part of the file to announce.
class Window {
 public:
  struct Part {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;  // 0: nothing
  };

  Part after_read(std::uint64_t begin, std::uint64_t end, std::uint64_t ahead_bytes) {
    const std::lock_guard lock(mutex_);
    const bool follows = begin + kGapMax >= end_ && begin <= end_ + kGapMax;
    end_ = follows ? std::max(end_, end) : end;
    if (!follows) announced_ = in_order_ = 0;
    if (++in_order_ < kInOrderMin || announced_ >= end_ + ahead_bytes / 2) return {};
    const auto from = std::max(announced_, end_);
    announced_ = end_ + ahead_bytes;
    return {from, announced_ - from};
  }

 private:
  static constexpr std::uint64_t kGapMax = 256 << 10;
  static constexpr std::uint64_t kInOrderMin = 4;
  std::mutex mutex_;
  std::uint64_t end_ = 0;
  std::uint64_t announced_ = 0;
  std::uint64_t in_order_ = 0;
};

class ImageFile : public ForwardingFile {
 public:
  ImageFile(std::unique_ptr<File> buffered, std::unique_ptr<File> direct, const Ways& ways)
      : ForwardingFile(std::move(buffered)),
        buffered_(inner()),
        direct_(std::move(direct)),
        ways_(ways) {
    if (ways_.random) buffered_.advise(Access::kRandom, 0, 0);
  }

  using ForwardingFile::read_at;
  Result<std::size_t> read_at(std::uint64_t offset_bytes,
                              std::span<const MutableBytes> outs) const override {
    std::uint64_t length = 0;
    for (const auto& out : outs) length += out.size();
    if (direct_ && length >= *ways_.direct_bytes_min) return direct_->read_at(offset_bytes, outs);
    auto count = buffered_.read_at(offset_bytes, outs);
    if (ways_.kept_bytes) give_back(offset_bytes, length);
    if (ways_.ahead_bytes > 0) announce_after(offset_bytes, length);
    return count;
  }
  void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) override {
    // Direct reads do not use the page cache, so advice would read the same bytes a second time.
    if (direct_ && length_bytes >= *ways_.direct_bytes_min) return;
    buffered_.advise(access, offset_bytes, length_bytes);
  }

 private:
  void announce_after(std::uint64_t offset_bytes, std::uint64_t length) const {
    const auto part = window_.after_read(offset_bytes, offset_bytes + length, ways_.ahead_bytes);
    if (part.length > 0) buffered_.advise(Access::kWillNeed, part.begin, part.length);
  }

  // Drops the last but one piece, whenever a read enters another piece.
  void give_back(std::uint64_t offset_bytes, std::uint64_t length) const {
    const auto piece_bytes = *ways_.kept_bytes;
    if (piece_bytes == 0) return buffered_.advise(Access::kDontNeed, offset_bytes, length);
    const auto piece = offset_bytes / piece_bytes;
    if (piece_.exchange(piece) == piece || piece < 2) return;
    buffered_.advise(Access::kDontNeed, (piece - 2) * piece_bytes, piece_bytes);
  }

  File& buffered_;
  std::unique_ptr<File> direct_;
  Ways ways_;
  mutable Window window_;
  mutable std::atomic<std::uint64_t> piece_{0};
};

class ImageEnv : public ForwardingEnv {
 public:
  ImageEnv(Env& base, std::string image_path, const Ways& ways)
      : ForwardingEnv(base), image_path_(std::move(image_path)), ways_(ways) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenOptions options) override {
    DGFS_TRY(file, base().open(path, options));
    if (path != image_path_) return std::move(file);
    std::unique_ptr<File> direct;
    if (ways_.direct_bytes_min) {
      options.direct = true;
      DGFS_TRY(opened, base().open(path, options));
      direct = std::move(opened);
    }
    return std::unique_ptr<File>(new ImageFile(std::move(file), std::move(direct), ways_));
  }

 private:
  std::string image_path_;
  Ways ways_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto ways = argc == 4 ? parse(argv[1]) : std::nullopt;
  if (!ways || argv[2][0] != '/') {
    fmt::print(stderr, "usage: {} WAYS /PATH/OF/IMAGE MOUNT_POINT\n", argv[0]);
    return 2;
  }
  const auto posix = dgfs::storage::make_posix_env();
  ImageEnv env(*posix, argv[2], *ways);
  dgfs::fuse::MountOptions options;
  options.image_path = argv[2];
  options.mount_point = argv[3];
  const auto status = dgfs::fuse::mount(env, options, dgfs::fuse::make_terminal_logger());
  if (!status) fmt::print(stderr, "{}\n", status.error().message());
  return status ? 0 : 1;
}
