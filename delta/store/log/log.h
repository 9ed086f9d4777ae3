// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The log: two segments of fixed length that take groups in turn. While one is being filled, a
// checkpoint makes the other one superfluous.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "delta/store/log/group.h"
#include "delta/store/log/segment_reader.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Where the log is appended to, or where a replay begins. A value.
struct LogPosition {
  std::uint64_t generation = 1;  ///< of its segment
  std::uint64_t number = 1;      ///< of the next group
  std::uint64_t previous = 0;    ///< checksum of the group before
  /// The store was closed here, and no group follows: if there is none at this position, a replay
  /// does not search for more.
  bool is_end = false;

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

/// For one thread at a time.
class Log {
 public:
  /// Makes both segments in `directory`, full of zeros, and replaces any that are there. Syncs
  /// their contents, but not the directory. Errors: kIo, kNoSpace.
  [[nodiscard]] static Status create(storage::Env& env, const std::string& directory,
                                     std::uint64_t segment_bytes);
  /// @param mode  kRead if nothing will be appended
  /// Errors: kIo, kNotFound, kPermission; kCorrupt if a segment is not as long as it should be.
  [[nodiscard]] static Result<std::unique_ptr<Log>> open(
      storage::Env& env, const std::string& directory, std::uint64_t segment_bytes,
      const StoreUuid& store,
      storage::OpenOptions::Mode mode = storage::OpenOptions::Mode::kReadWrite);

  using Sink = std::function<Status(const Run&, std::uint64_t last_sequence)>;
  /// Gives `sink` all groups from `begin` on, in order, up to the first that is not whole, which a
  /// crash has cut off. The next append() overwrites that. Errors: those of the sink; kIo; kCorrupt
  /// if whole groups follow one that is not: a group is written only after the one before is
  /// durable, so this is damage. To find out, it reads the rest of the segment. If the store was
  /// closed with an empty log, and the log is still empty, it reads only the starts of both
  /// segments.
  [[nodiscard]] Status replay(const LogPosition& begin, const Sink& sink);

  /// Makes a run durable as one group. Errors: kNoSpace if the group does not fit into the segment,
  /// or would need more memory than a segment has bytes; nothing is written then; kIo: the group
  /// may or may not be durable, and nothing more may be appended. If it throws std::bad_alloc,
  /// nothing is written.
  [[nodiscard]] Status append(const Run& run, std::uint64_t last_sequence);
  /// Changes to the other segment; all groups in that must be superfluous.
  void change_segment();

  [[nodiscard]] std::array<storage::File*, 2> files() const {
    return {segments_[0].get(), segments_[1].get()};
  }
  /// Where a replay begins that needs only the current segment.
  [[nodiscard]] const LogPosition& segment_begin() const { return segment_begin_; }
  /// Of the current segment.
  [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }
  /// Of all groups written, with headers and padding.
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  using Segments = std::array<std::unique_ptr<storage::File>, 2>;

  Log(Segments segments, std::uint64_t segment_bytes, const StoreUuid& store)
      : segments_(std::move(segments)), segment_bytes_(segment_bytes), store_(store) {}

  [[nodiscard]] storage::File& segment(std::uint64_t generation) const {
    return *segments_[static_cast<std::size_t>(generation % 2)];
  }
  using Readers = std::array<SegmentReader, 2>;
  /// A group of this store; its bytes are valid until its segment is read again.
  struct Found {
    GroupHeader header;
    Bytes bytes;
  };

  [[nodiscard]] Status replay(const Sink& sink, bool is_end, Readers& readers);
  [[nodiscard]] Status replay_segment(const Sink& sink, SegmentReader& reader);
  /// The whole group of that generation at an offset.
  [[nodiscard]] Result<std::optional<Found>> find(std::uint64_t generation,
                                                  std::uint64_t offset_bytes, SegmentReader& reader,
                                                  SegmentReader::Ahead ahead) const;
  /// The same for that generation or a later one.
  [[nodiscard]] Result<std::optional<Found>> find_since(std::uint64_t generation_min,
                                                        std::uint64_t offset_bytes,
                                                        SegmentReader& reader,
                                                        SegmentReader::Ahead ahead) const;
  [[nodiscard]] Status check_nothing_follows(SegmentReader& reader) const;
  [[nodiscard]] Status check_not_outrun(Readers& readers) const;
  [[nodiscard]] Status write_group(storage::File& file, Bytes group);

  Segments segments_;
  std::uint64_t segment_bytes_;
  StoreUuid store_;
  LogPosition position_;
  LogPosition segment_begin_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
  /// Made while there is memory for it.
  Error unknown_{ErrorKind::kIo, 7200,
                 "the result of a log write is unknown, because memory ran out"};
};

}  // namespace dgfs::delta
