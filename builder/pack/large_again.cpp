// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The data writer's second reading of a large file: one that changed while its pieces were read.
#include <algorithm>
#include <utility>

#include "builder/pack/data_writer.h"
#include "format/checksum.h"
#include "format/content/extent.h"

namespace dgfs::builder {
namespace {

constexpr std::uint64_t kContentAtOnceBytes = 16 * format::kFrameBytes;

}  // namespace

// Notes an error if the content changed since the file was opened. Everything else may change: a
// further link, for example.
void DataWriter::check_large(const SourceFile& file) {
  auto change = file.change();
  if (!change) {
    large_->error = std::move(change).error();
  } else if (change.value() == SourceChange::kContent) {
    large_->error = changed_while_read(file.file());
  }
}

// Other threads have read on meanwhile, so this thread reads the file alone, and stores it as it
// is: it is a rare case. An error of the file is in large_->error afterwards.
Status DataWriter::read_large_again(const SourceFile& opened, const ScannedEntry& entry,
                                    BatchItem& item) {
  for (int reads = 2; reads <= kReadsMax; ++reads) {
    auto file = opened.as_of_now();
    if (!file) {
      large_->error = std::move(file).error();
      return ok();
    }
    DGFS_CHECK(try_large_again(file.value(), entry, item));
    if (!large_->error) check_large(file.value());
    if (!large_->error || large_->error->kind() != ErrorKind::kChanged) return ok();
    if (reads == kReadsMax && large_rules_.file.keep_going) {
      DGFS_CHECK(keep_beginning(file.value(), item));
    }
  }
  return ok();
}

Status DataWriter::try_large_again(SourceFile& file, const ScannedEntry& entry, BatchItem& item) {
  rewind_large();
  large_->error.reset();
  item.stored = {};
  item.extra.reset();
  auto described = file.find_holes(large_rules_.stop);
  if (described) described = describe_file(file, entry, large_rules_.file, item);
  if (described) return append_large(file, item);
  if (described.error().kind() == ErrorKind::kInterrupted) return described;
  large_->error = std::move(described).error();
  return ok();
}

// Calls `sink` with raw frames and their checksums. An error of the file is in large_->error.
template <class Sink>
Status DataWriter::read_large(const SourceFile& file, const Sink& sink) {
  Buffer frames;
  std::vector<std::uint64_t> checksums;
  large_->frames_checksum = 0;
  for (std::uint64_t done = 0; done < file.content_bytes();) {
    DGFS_CHECK(large_rules_.stop.check());
    const auto count = std::min(kContentAtOnceBytes, file.content_bytes() - done);
    frames.resize(static_cast<std::size_t>(format::raw_extent_bytes(count)));
    checksums.clear();
    auto read = file.read_frames(done / format::kFrameBytes, count, frames, checksums);
    if (!read) {
      large_->error = std::move(read).error();
      return ok();
    }
    large_->frames_checksum = format::checksum64(bytes_of(checksums), large_->frames_checksum);
    DGFS_CHECK(sink(Bytes(frames), checksums));
    done += count;
  }
  return ok();
}

Status DataWriter::append_large(const SourceFile& file, BatchItem& item) {
  std::optional<FileDigest> digest;
  if (large_rules_.digest) {
    DGFS_TRY(made,
             FileDigest::make(*large_rules_.digest, large_rules_.stop, large_rules_.hashed_zeros));
    digest.emplace(std::move(made));
    DGFS_CHECK(digest->begin(file.segments(), file.size_bytes()));
  }
  large_->fingerprint = {};
  std::vector<Fingerprint> chunks;
  DGFS_CHECK(read_large(file, [&](Bytes frames, const auto& checksums) -> Status {
    frames_.update(bytes_of(checksums));
    if (dedup_ != nullptr) {
      chunks.clear();
      append_frame_fingerprints(frames, chunks);
      large_->fingerprint.add(chunks);
    }
    if (digest) {
      DGFS_CHECK(digest->update_frames(frames));
    }
    return volumes_[large_->at.volume].append(frames);
  }));
  large_->content_bytes = file.content_bytes();
  if (!digest || large_->error) return ok();
  DGFS_TRY(made, digest->finish());
  item.more().digest = std::move(made);
  return ok();
}

// Keeps the file up to the size that it had, if a further reading gives the same bytes: between the
// two readings, it began with them.
Status DataWriter::keep_beginning(const SourceFile& file, BatchItem& item) {
  const auto written = large_->frames_checksum;
  large_->error.reset();
  DGFS_CHECK(read_large(file, [](Bytes, const auto&) { return Status(ok()); }));
  if (large_->error) return ok();
  auto same = file.check_holes(large_rules_.stop);
  if (same && large_->frames_checksum != written) same = changed_while_read(file.file());
  if (!same) {
    large_->error = std::move(same).error();
    return ok();
  }
  item.more().lost_parts.emplace_back(LostPart::kEnd, beginning_kept(file));
  return ok();
}

}  // namespace dgfs::builder
