// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/source_file.h"

#include <algorithm>
#include <span>
#include <string>

#include "format/coding.h"
#include "format/content/extent.h"
#include "format/limits.h"

namespace dgfs::builder {
namespace {

using format::kChecksumBytes;
using format::kFrameBytes;
using format::kStoredFrameBytes;

// The block of most file systems: extracting a smaller hole saves no space.
constexpr std::uint64_t kHoleBytes = 4096;
// Bound of one read (storage::File::read_at).
constexpr std::size_t kSpansMax = 1024;

Error changed(std::uint16_t code, const storage::File& file) {
  return Error(ErrorKind::kChanged, code, "changed while being read").in_file(file.path());
}

std::uint64_t round_down(std::uint64_t bytes) { return bytes / kHoleBytes * kHoleBytes; }
std::uint64_t round_up(std::uint64_t bytes) { return round_down(bytes + kHoleBytes - 1); }

// Collects segments in order, rounds them to blocks, and joins those that touch then.
class SegmentCollector {
 public:
  explicit SegmentCollector(std::uint64_t file_bytes) : file_bytes_(file_bytes) {}

  void add(const storage::DataSegment& segment) {
    const std::uint64_t begin = round_down(segment.begin);
    const std::uint64_t end = std::min(file_bytes_, round_up(std::min(segment.end, file_bytes_)));
    if (end_ != 0 && begin <= end_) {
      end_ = std::max(end_, end);
      return;
    }
    flush();
    begin_ = begin;
    end_ = end;
  }
  void flush() {
    if (end_ > begin_) segments_->add(begin_, end_ - begin_);
  }
  [[nodiscard]] const std::shared_ptr<SegmentList>& segments() const { return segments_; }

 private:
  std::uint64_t file_bytes_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::shared_ptr<SegmentList> segments_ = std::make_shared<SegmentList>();
};

}  // namespace

Error as_change(Error error) {
  switch (error.kind()) {
    case ErrorKind::kLoop:
    case ErrorKind::kIsDirectory:
    case ErrorKind::kNotDirectory:
    case ErrorKind::kInvalidArgument:
      return Error(ErrorKind::kChanged, 4040, "was replaced while being read")
          .in_file(error.file());
    default:
      return error;
  }
}

Error changed_while_read(const storage::File& file) { return changed(4044, file); }

Error beginning_kept(const SourceFile& file) {
  return Error(ErrorKind::kChanged, 4223,
               "kept changing while being read; its first " + std::to_string(file.size_bytes()) +
                   " bytes are packed")
      .in_file(file.file().path());
}

Result<SourceFile> SourceFile::open(const storage::Directory& directory, std::string_view name) {
  auto file = directory.open_file(name);
  if (!file) return as_change(std::move(file).error());
  DGFS_TRY(status, file.value()->status());
  return SourceFile(std::move(file).value(), status);
}

// The space that a file takes does not tell that it has no holes: blocks of attributes and maps
// count too, and space reserved behind its end.
Status SourceFile::find_holes(const StopFlag& stop) {
  SegmentCollector segments(status_.size_bytes);
  std::uint64_t at = 0;
  while (at < status_.size_bytes) {
    DGFS_CHECK(stop.check());
    DGFS_TRY(segment, file_->next_data(at));
    if (segment.end <= at || segment.begin >= segment.end) break;  // only a hole follows
    segments.add(segment);
    if (segments.segments()->count() >= format::kSparseSegmentsMax) {
      return Error(ErrorKind::kLimit, 4042, "has too many holes").in_file(file_->path());
    }
    at = segment.end;
  }
  segments.flush();
  if (segments.segments()->content_bytes() != status_.size_bytes) segments_ = segments.segments();
  return ok();
}

Status SourceFile::check_holes(const StopFlag& stop) const {
  SourceFile again(file_, status_);
  DGFS_CHECK(again.find_holes(stop));
  Buffer before;
  Buffer now;
  if (segments_) segments_->encode(before);
  if (again.segments_) again.segments_->encode(now);
  return before == now ? Status(ok()) : changed(4224, *file_);
}

std::uint64_t SourceFile::content_bytes() const {
  return segments_ ? segments_->content_bytes() : status_.size_bytes;
}

// Divides content [begin, ... + bytes) at holes, and calls `read` for each part with its offset in
// the file, its offset in the wanted content, and its length.
template <class Read>
Status SourceFile::each_stretch(std::uint64_t begin, std::uint64_t bytes, Read read) const {
  if (bytes == 0) return ok();
  if (!segments_) return read(begin, 0, bytes);
  SegmentList::Reader reader(*segments_, begin);
  for (std::uint64_t done = 0; done < bytes;) {
    const auto segment = reader.next();
    const std::uint64_t skipped = begin + done - segment.content;
    const std::uint64_t count = std::min(segment.length - skipped, bytes - done);
    DGFS_CHECK(read(segment.begin + skipped, done, count));
    done += count;
  }
  return ok();
}

Status SourceFile::read_content(std::uint64_t content_begin, MutableBytes out) const {
  return each_stretch(content_begin, out.size(),
                      [&](std::uint64_t offset, std::uint64_t at, std::uint64_t count) -> Status {
                        const auto part = out.subspan(static_cast<std::size_t>(at),
                                                      static_cast<std::size_t>(count));
                        DGFS_TRY(got, file_->read_at(offset, part));
                        return got == count ? Status(ok()) : changed(4046, *file_);
                      });
}

Status SourceFile::read_frames(std::uint64_t first_frame, std::uint64_t content_bytes,
                               MutableBytes out, std::vector<std::uint64_t>& checksums) const {
  DGFS_CHECK(each_stretch(first_frame * kFrameBytes, content_bytes,
                          [&](std::uint64_t offset, std::uint64_t at, std::uint64_t count) {
                            return read_stretch(offset, at, count, out);
                          }));
  for (std::size_t at = 0; at < out.size(); at += kStoredFrameBytes) {
    const auto frame = out.subspan(at, std::min(out.size() - at, kStoredFrameBytes));
    const std::uint64_t number = first_frame + at / kStoredFrameBytes;
    checksums.push_back(format::frame_checksum(number, frame.subspan(kChecksumBytes)));
    format::store(frame, 0, checksums.back());
  }
  return ok();
}

Status SourceFile::read_stretch(std::uint64_t offset_bytes, std::uint64_t content_begin,
                                std::uint64_t count, MutableBytes frames) const {
  if (content_begin + count <= kFrameBytes) {  // most files: one span
    const auto at = static_cast<std::size_t>(kChecksumBytes + content_begin);
    const auto bytes = frames.subspan(at, static_cast<std::size_t>(count));
    DGFS_TRY(got, file_->read_at(offset_bytes, bytes));
    return got == count ? Status(ok()) : changed(4043, *file_);
  }
  std::vector<MutableBytes> spans;
  std::uint64_t done = 0;
  while (done < count) {
    spans.clear();
    std::uint64_t wanted = 0;
    while (done + wanted < count && spans.size() < kSpansMax) {
      const std::uint64_t content = content_begin + done + wanted;
      const std::uint64_t in_frame = content % kFrameBytes;
      const std::uint64_t room = std::min(kFrameBytes - in_frame, count - done - wanted);
      const std::uint64_t at = format::raw_frame_offset(content / kFrameBytes) + kChecksumBytes;
      spans.push_back(
          frames.subspan(static_cast<std::size_t>(at + in_frame), static_cast<std::size_t>(room)));
      wanted += room;
    }
    DGFS_TRY(got, file_->read_at(offset_bytes + done, std::span<const MutableBytes>(spans)));
    if (got != wanted) return changed(4045, *file_);
    done += wanted;
  }
  return ok();
}

Result<SourceChange> SourceFile::change() const {
  DGFS_TRY(now, file_->status());
  if (now.size_bytes != status_.size_bytes || now.modify_time != status_.modify_time) {
    return SourceChange::kContent;
  }
  return now.change_time == status_.change_time ? SourceChange::kNone : SourceChange::kAttributes;
}

Result<SourceFile> SourceFile::as_of_now() const {
  DGFS_TRY(now, file_->status());
  return SourceFile(file_, now);
}

}  // namespace dgfs::builder
