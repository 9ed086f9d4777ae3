// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The log: two segments of fixed length that take groups in turns. While one fills, a checkpoint
// makes the other one superfluous.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "delta/store/log/group.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Where the log goes on, or where a replay of it begins. A value.
struct LogPosition {
  std::uint64_t generation = 1;  ///< its segment begins there
  std::uint64_t number = 1;      ///< of the next group
  std::uint64_t previous = 0;    ///< checksum of the group before

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

/// For one thread at a time.
class Log {
 public:
  /// Makes both segments in `directory`, full of zeros, in place of any that are there. Not synced
  /// but for their contents. Errors: kIo, kNoSpace.
  [[nodiscard]] static Status create(storage::Env& env, const std::string& directory,
                                     std::uint64_t segment_bytes);
  /// @param mode  kRead where nothing is to be appended
  /// Errors: kIo, kNotFound, kPermission; kCorrupt if a segment is not as long as it should be.
  [[nodiscard]] static Result<std::unique_ptr<Log>> open(
      storage::Env& env, const std::string& directory, std::uint64_t segment_bytes,
      const StoreUuid& store,
      storage::OpenOptions::Mode mode = storage::OpenOptions::Mode::kReadWrite);

  using Sink = std::function<Status(const Run&, std::uint64_t last_sequence)>;
  /// Gives `sink` all groups from `begin` on, in order, to the first that is not whole: the last
  /// one, which a crash has cut. Appending goes on behind. Errors: those of the sink; kIo; kCorrupt
  /// if whole groups follow one that is not, since a group is written only after the one before is
  /// durable.
  [[nodiscard]] Status replay(const LogPosition& begin, const Sink& sink);

  /// Makes a run durable as one group. Errors: kNoSpace if it does not fit into the segment, or
  /// would take more than that in memory, and nothing is written then; kIo: whether it is durable
  /// is not known, and nothing more may be appended.
  [[nodiscard]] Status append(const Run& run, std::uint64_t last_sequence);
  /// Goes on in the other segment, all of whose groups must have become superfluous.
  void change_segment();

  /// Where a replay has to begin that wants nothing older than the current segment.
  [[nodiscard]] const LogPosition& segment_begin() const { return segment_begin_; }
  /// In the current segment.
  [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }
  /// Groups written, with headers and padding.
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  using Segments = std::array<std::unique_ptr<storage::File>, 2>;

  Log(Segments segments, std::uint64_t segment_bytes, const StoreUuid& store)
      : segments_(std::move(segments)), segment_bytes_(segment_bytes), store_(store) {}

  [[nodiscard]] storage::File& segment(std::uint64_t generation) const {
    return *segments_[static_cast<std::size_t>(generation % 2)];
  }
  [[nodiscard]] Status replay_segment(const Sink& sink);
  /// The group at an offset, if a whole one of this store is there, of that generation, or of it
  /// or a later one.
  struct Found {
    GroupHeader header;
    Buffer bytes;
  };
  [[nodiscard]] Result<std::optional<Found>> find(std::uint64_t generation,
                                                  std::uint64_t offset_bytes) const;
  [[nodiscard]] Result<std::optional<Found>> find_since(std::uint64_t generation_min,
                                                        const storage::File& file,
                                                        std::uint64_t offset_bytes) const;
  [[nodiscard]] Status check_nothing_follows() const;
  [[nodiscard]] Status check_not_outrun() const;

  Segments segments_;
  std::uint64_t segment_bytes_;
  StoreUuid store_;
  LogPosition position_;
  LogPosition segment_begin_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace dgfs::delta
