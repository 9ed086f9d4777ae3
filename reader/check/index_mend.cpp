// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/check/index_mend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "format/entry/mode.h"
#include "format/header/index_path.h"
#include "reader/check/index_pieces.h"
#include "reader/index/source.h"
#include "reader/index/tables.h"
#include "reader/opener.h"
#include "storage/name_lock.h"

namespace dgfs::reader {
namespace {

constexpr std::uint32_t kNewFileMode = 0666;

struct Stretch {
  std::uint64_t offset = 0;  // offset in the index
  std::size_t length = 0;
};

// Writes an intact piece at its offset in the index.
using Write = std::function<Status(std::uint64_t offset, Bytes bytes)>;

// Collects damaged pieces, and passes intact ones on to `write`.
class Patchwork final : public PieceVisitor {
 public:
  Patchwork(Write write, const std::function<void(const Error&)>& tell)
      : write_(std::move(write)), tell_(tell) {}

  Status intact(std::uint64_t offset, Bytes bytes) override {
    return write_ ? write_(offset, bytes) : Status(ok());
  }
  void damaged(std::size_t copy, std::uint64_t offset, std::size_t length,
               const Error& error) override {
    stretches_[copy].push_back({offset, length});
    if (tell_) tell_(error);
  }
  void lost(const Error& error) override {
    ++lost_count_;
    if (!first_lost_) first_lost_ = error;
    if (tell_) tell_(error);
  }

  [[nodiscard]] Status check_complete() const {
    if (!first_lost_) return ok();
    return Error(ErrorKind::kCorrupt, 3176,
                 fmt::format("damaged in all copies ({} such {}), so it cannot be mended; "
                             "nothing was changed",
                             lost_count_, lost_count_ == 1 ? "place" : "places"))
        .in_file(first_lost_->file())
        .in_section(first_lost_->section())
        .at_offset(first_lost_->offset().value_or(0));
  }
  /// Damaged pieces of a copy.
  [[nodiscard]] const std::vector<Stretch>& stretches(std::size_t copy) const {
    return stretches_[copy];
  }

 private:
  Write write_;
  const std::function<void(const Error&)>& tell_;
  std::array<std::vector<Stretch>, 2> stretches_;
  std::uint64_t lost_count_ = 0;
  std::optional<Error> first_lost_;
};

// Refuses a path with a device, pipe or link: the new index must not replace it.
Result<std::uint32_t> mode_of_output(storage::Env& env, const std::string& path) {
  DGFS_TRY(directory, env.open_directory(storage::parent_path(path)));
  const auto status = directory->status(storage::base_name(path));
  if (!status && status.error().kind() == ErrorKind::kNotFound) return kNewFileMode;
  if (!status) return status.error();
  if (format::is_regular(status.value().mode)) {
    return status.value().mode & format::kPermissionMask;
  }
  return Error(ErrorKind::kExists, 3177, "exists and is not a regular file").in_file(path);
}

// Whether a file is a damaged copy of the index: it holds at least one page of it or, at its end,
// the beginning of one. An empty file counts, since it holds nothing to lose.
Result<bool> holds_piece_of(const storage::File& file, const IndexCopy& index) {
  DGFS_TRY(file_bytes, file.size());
  const auto index_bytes = index.superblock().index_bytes;
  std::array<std::uint8_t, format::kPageBytes> there{};
  std::array<std::uint8_t, format::kPageBytes> page{};
  for (std::uint64_t at = 0; at < std::min(file_bytes, index_bytes); at += format::kPageBytes) {
    const auto count = std::min<std::uint64_t>(file_bytes - at, format::kPageBytes);
    const auto found = MutableBytes(there).first(static_cast<std::size_t>(count));
    const auto wanted = MutableBytes(page).first(static_cast<std::size_t>(count));
    // Skips a page that is unreadable in either file.
    if (!storage::read_exactly(file, at, found)) continue;
    if (!storage::read_exactly(index.file(), index.base_bytes() + at, wanted)) continue;
    if (std::ranges::equal(found, wanted)) return true;
  }
  return file_bytes == 0;
}

class Mender {
 public:
  Mender(storage::Env& env, const OpenOptions& options, const MendOptions& mending)
      : env_(env), options_(options), mending_(mending) {}

  Result<MendReport> run(const std::string& path) {
    DGFS_CHECK(open(path));
    DGFS_CHECK(check_features());
    find_copies();
    Patchwork found({}, mending_.damaged);
    DGFS_CHECK(visit_pieces(copies_, *tables_, found, mending_.stop));
    DGFS_CHECK(found.check_complete());
    report_.was_missing = !index_number_;
    report_.index_pieces = index_number_ ? found.stretches(*index_number_).size() : 0;
    const bool is_index_wrong = report_.was_missing || report_.index_pieces != 0;
    const bool is_image_wrong = image_number_ && !found.stretches(*image_number_).empty();
    DGFS_CHECK(lock_outputs(is_index_wrong, is_image_wrong));
    if (is_index_wrong) {
      DGFS_CHECK(check_replaced());
      DGFS_CHECK(write_index());
    }
    if (is_image_wrong) {
      const auto mended = mend_image(found.stretches(*image_number_));
      report_.image_pieces = found.stretches(*image_number_).size();
      if (!mended) report_.image_error = mended.assume_error();
    }
    return report_;
  }

 private:
  Status open(const std::string& path) {
    DGFS_TRY(files, open_files(env_, path, options_));
    files_.emplace(std::move(files));
    source_.emplace(files_->first, files_->open_second, IndexSource::Warn());
    DGFS_TRY(tables, IndexTables::load(*source_, counters_));
    tables_.emplace(std::move(tables));
    return ok();
  }

  // F-014. This version cannot check pieces that a newer version wrote.
  Status check_features() {
    const auto& superblock = source_->first().superblock();
    const auto unknown = superblock.ro_compat & ~format::feature::kRoCompatKnown;
    if (unknown == 0 && superblock.version_minor <= format::kVersionMinor) return ok();
    return Error(ErrorKind::kUnsupported, 3178,
                 "made by a newer version; mend it with that version")
        .in_file(source_->first().path());
  }

  // A copy with an offset in its file is the one in the image.
  void find_copies() {
    copies_.push_back(&source_->first());
    const auto error = source_->second_error();
    if (const auto* second = source_->second()) {
      copies_.push_back(second);
    } else if (error) {
      if (mending_.damaged) mending_.damaged(*error);
      if (source_->first().base_bytes() == 0) report_.image_error = error;
    }
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      (copies_[i]->base_bytes() == 0 ? index_number_ : image_number_) = i;
    }
    if (image_number_) report_.image_path = copies_[*image_number_]->path();
    report_.index_path = files_->index_path;
    if (report_.index_path.empty()) {  // there was no separate index
      const auto beside = format::default_index_path(files_->volume_zero->file->path());
      report_.index_path = options_.index_path.value_or(beside);
    }
  }

  // Locks the outputs against builds, and checks that no build has replaced index or image
  // meanwhile.
  Status lock_outputs(bool index, bool image) {
    std::vector<std::string> paths;
    if (index) paths.push_back(report_.index_path);
    if (image) paths.push_back(report_.image_path);
    if (paths.empty()) return ok();
    DGFS_TRY(locks, storage::lock_names(env_, paths));
    locks_ = std::move(locks);
    for (const auto* copy : copies_) {
      DGFS_TRY(there, env_.status(copy->path()));
      DGFS_TRY(read, copy->file().status());
      if (there.device == read.device && there.inode == read.inode) continue;
      return Error(ErrorKind::kChanged, 3291, "was replaced meanwhile; nothing was changed")
          .in_file(copy->path());
    }
    return ok();
  }

  // A file in place of the index that holds no piece of it may belong to something else, so it is
  // not replaced.
  Status check_replaced() {
    if (index_number_ || copies_.empty()) return ok();
    const auto there = env_.open(report_.index_path);
    if (!there && there.error().kind() == ErrorKind::kNotFound) return ok();
    if (!there) return there.error();
    DGFS_TRY(is_own, holds_piece_of(*there.assume_value(), *copies_.front()));
    if (is_own) return ok();
    return Error(ErrorKind::kExists, 3292,
                 "exists, but holds nothing of this index; move it away, and a new one is made")
        .in_file(report_.index_path);
  }

  Status write_index() {
    const auto& target = report_.index_path;
    DGFS_TRY(mode, mode_of_output(env_, target));
    DGFS_TRY(file, env_.create_unnamed(storage::parent_path(target)));
    DGFS_CHECK(file->preallocate(0, source_->first().superblock().index_bytes));
    DGFS_CHECK(write_pieces(
        [&](std::uint64_t offset, Bytes bytes) { return file->write_at(offset, bytes); }));
    DGFS_CHECK(env_.publish(*file, target, mode));
    report_.is_written = true;
    return ok();
  }

  // Runs when the separate index is complete. Does not touch it.
  Status mend_image(const std::vector<Stretch>& stretches) {
    const auto& copy = *copies_[*image_number_];
    DGFS_TRY(image, env_.open(copy.path(), {storage::OpenOptions::Mode::kReadWrite, false}));
    DGFS_TRY(image_bytes, image->size());
    if (image_bytes < copy.base_bytes() + copy.superblock().index_bytes) {
      return Error(ErrorKind::kCorrupt, 3179, "the file is cut short in its copy of the index")
          .in_file(copy.path());
    }
    std::set<std::pair<std::uint64_t, std::size_t>> wanted;
    for (const auto& stretch : stretches) wanted.emplace(stretch.offset, stretch.length);
    DGFS_CHECK(write_pieces([&](std::uint64_t offset, Bytes bytes) -> Status {
      if (!wanted.contains({offset, bytes.size()})) return ok();
      return image->write_at(copy.base_bytes() + offset, bytes);
    }));
    return image->sync();
  }

  // Reads and checks everything again, because a device may return other bytes the second time.
  Status write_pieces(const Write& write) {
    const std::function<void(const Error&)> tell_nobody;
    Patchwork patchwork(write, tell_nobody);
    DGFS_CHECK(visit_pieces(copies_, *tables_, patchwork, mending_.stop));
    return patchwork.check_complete();
  }

  storage::Env& env_;
  const OpenOptions& options_;
  const MendOptions& mending_;
  std::optional<OpenedFiles> files_;
  CounterCells counters_;
  std::optional<IndexSource> source_;
  std::optional<IndexTables> tables_;
  std::vector<const IndexCopy*> copies_;
  std::optional<std::size_t> index_number_;  // index in copies_
  std::optional<std::size_t> image_number_;  // index in copies_
  MendReport report_;
  storage::NameLocks locks_;  // names of the outputs
};

}  // namespace

Result<MendReport> mend_index(storage::Env& env, const std::string& path,
                              const OpenOptions& options, const MendOptions& mending) {
  return Mender(env, options, mending).run(path);
}

}  // namespace dgfs::reader
