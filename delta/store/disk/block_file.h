// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A file of blocks, each written once, at a place of its own: nodes and runs of the tree in one,
// large values in another. Who refers to a block has its checksum, so that a stale or misdirected
// one is found out, too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/disk/free_space.h"
#include "delta/store/disk/punched_holes.h"
#include "delta/store/disk/size_cap.h"
#include "delta/store/disk/space_map.h"
#include "storage/file.h"

namespace dgfs::delta {

/// Where a block is. A value.
struct Place {
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;  ///< without padding
  std::uint64_t checksum = 0;      ///< of the block

  [[nodiscard]] Extent extent() const { return {offset_bytes, length_bytes}; }
  friend bool operator==(const Place&, const Place&) = default;
};

/// No block is longer; what claims to be is damaged.
inline constexpr std::uint64_t kBlockBytesMax = std::uint64_t{1} << 30;

/// Thread-safe.
class BlockFile {
 public:
  /// @param file     shall hold nothing but blocks
  /// @param section  what errors call it
  /// @param cap      of what it may take of the disk; null: none; must outlive it
  explicit BlockFile(std::unique_ptr<storage::File> file, const char* section = "blocks",
                     SizeCap* cap = nullptr)
      : file_(std::move(file)), section_(section), cap_(cap) {}

  /// Writes a block; durable after sync(). Where a write fails another place is tried.
  /// Errors: kIo, kNoSpace. Nothing is taken if it throws.
  [[nodiscard]] Result<Place> write(Bytes block);
  /// One write has so many blocks, each with padding.
  static constexpr std::size_t kTogetherMax = 512;
  /// Likewise several, without their checksums: side by side and in one write, where there is space
  /// for them together.
  /// @param blocks   at most kTogetherMax
  /// @param extents  gets those of the blocks, in order; those that were written if not all were,
  ///                 also if it throws
  [[nodiscard]] Status write_all(std::span<const Bytes> blocks, std::vector<Extent>& extents);
  /// Errors: kIo; kCorrupt if the block is not the one that was written.
  [[nodiscard]] Result<Buffer> read(const Place& place) const;
  /// Reads bytes and does not check them: the caller asks check() later.
  /// @param has_waited  set to whether it may have had to wait for the disk: false only where the
  ///                    system says that it had not; null: not asked for
  /// Errors: kIo; kCorrupt if the place is impossible.
  [[nodiscard]] Result<std::string> read_unchecked(const Extent& bytes,
                                                   bool* has_waited = nullptr) const;
  /// Of a block that was read in another way. Errors: kCorrupt if it is not the one that was
  /// written.
  [[nodiscard]] Status check(const Place& place, Bytes block) const;
  /// A block will be read soon.
  void announce(const Extent& block) const {
    file_->advise(storage::Access::kWillNeed, block.offset_bytes, block.length_bytes);
  }
  /// An error in what a block says, with where it is.
  [[nodiscard]] Error at_place(const Error& error, std::uint64_t offset_bytes) const;
  /// Sees to it that writes of `bytes` in all, with padding, find space on the disk, beyond what
  /// has been written. Space is asked for in steps, so that most calls ask for none.
  /// Errors: kNoSpace, kIo.
  [[nodiscard]] Status reserve(std::uint64_t bytes) {
    return reserve([bytes] { return bytes; });
  }
  /// The same where several threads ask, each for all of them: the last must know of the others.
  /// @param bytes  asked for under a lock; calls nothing of this file
  [[nodiscard]] Status reserve(const std::function<std::uint64_t()>& bytes);
  /// Whether reserve() would find it to be there, without asking the disk for anything.
  /// @param bytes  as of reserve()
  [[nodiscard]] bool has_reserved(const std::function<std::uint64_t()>& bytes);
  /// The largest of what is in reserve behind all blocks, and of free stretches between them.
  [[nodiscard]] std::uint64_t room_bytes() const;
  /// Gives back to the disk what lies behind all blocks, but for what is in reserve, where the file
  /// gets shorter by that; what cannot be given back stays until the next time. No block may be
  /// written or reserved for that needs what is given back: whoever goes beyond the new end waits
  /// until it is one.
  /// @param kept_bytes   in reserve, asked for at a moment when none can be granted; calls nothing
  ///                     of this file
  /// @param least_bytes  less, or less than an eighth of the file, is not given back
  void shorten(const std::function<std::uint64_t()>& kept_bytes, std::uint64_t least_bytes);
  /// Gives the space of long free stretches between blocks back to the disk, the longest first, as
  /// shorten() does with what lies behind all blocks. Does nothing where reserve() counts on what
  /// is free. Space that the disk does not take back stays.
  /// @param least_bytes  shorter ones stay
  /// @param kept_bytes   so much of what is free between blocks stays, for those that come soon
  void punch(std::uint64_t least_bytes, std::uint64_t kept_bytes);
  /// Of a file that was opened, once its space is known, before all that writes or reserves: finds
  /// out what of its free space has none on the disk. Cost: a call where all has, and else at least
  /// one for each free stretch. Errors: kIo.
  [[nodiscard]] Status find_holes();
  /// Where more is free between blocks, and has space on the disk, than is taken by them, finds the
  /// end of the file that is worth moving, and closes it: nothing is written there unless no other
  /// place has space for it.
  /// @param taken_bytes_max  at most so much lies there
  /// @param spare_bytes      not worth moving anything for
  /// Returns where it begins; none: there is no such end, or reserve() counts on what is free.
  [[nodiscard]] std::optional<std::uint64_t> close_sparse_end(std::uint64_t taken_bytes_max,
                                                              std::uint64_t spare_bytes);
  /// Whether so much is free between blocks that close_sparse_end() looks for such an end.
  [[nodiscard]] bool is_sparse(std::uint64_t spare_bytes) const;
  /// The same however little is free.
  [[nodiscard]] std::optional<std::uint64_t> close_end(std::uint64_t taken_bytes_max);
  void open_end();
  /// As write(), but before the end that is closed; none: there is no space, or reserve() counts on
  /// it. Errors: kIo, kNoSpace.
  [[nodiscard]] Result<std::optional<Place>> write_before_end(Bytes block);
  /// All that was written before is durable. Errors: kIo; the same from then on, since what it lost
  /// a second sync would not write.
  [[nodiscard]] Status sync();

  /// Notes that a block is in use. Errors: kCorrupt if its extent is impossible, or in use already.
  /// @param block  as long as the block, without padding
  [[nodiscard]] Status mark(const Extent& block);
  /// Its space may be used again. If it throws std::bad_alloc, nothing has changed.
  void free(const Extent& block);

  /// What is free now, with places that could not be written, which will not be used before the
  /// file is opened again. Nobody may write blocks or free them meanwhile; others wait for short
  /// times. Cost: O(n log n) of the number of stretches.
  [[nodiscard]] FreeSpace free_space() const;
  /// Adds the same, in no order. Returns the end of all blocks. O(n).
  std::uint64_t add_free(std::vector<Extent>& free) const;
  /// How many stretches of it are free, about.
  [[nodiscard]] std::uint64_t stretches() const {
    const std::lock_guard lock(mutex_);
    return space_.stretches();
  }
  /// Of a file that was opened, before all else: notes what is free.
  void restore(const FreeSpace& space);

  /// Of the disk that the file lies on. Errors: kIo.
  [[nodiscard]] Result<std::uint64_t> disk_free_bytes() const { return file_->free_bytes(); }
  /// Finds out what the file has of the disk, for the cap. Once, of a file that is written to,
  /// before all that writes or reserves. Errors: kIo.
  [[nodiscard]] Status measure();
  /// What it has of the disk, with what is in reserve, in pages of 4 KiB.
  [[nodiscard]] std::uint64_t taken_bytes() const;
  /// Of all blocks, with padding.
  [[nodiscard]] std::uint64_t used_bytes() const;

  /// While no other thread uses the file.
  [[nodiscard]] const SpaceMap& space() const { return space_; }
  /// But for what was written before the end.
  [[nodiscard]] std::uint64_t written_bytes() const;
  /// What was written before the end.
  [[nodiscard]] std::uint64_t moved_bytes() const;
  /// Behind all blocks.
  [[nodiscard]] std::uint64_t end_bytes() const;

 private:
  [[nodiscard]] Error damaged(std::uint16_t code, std::uint64_t offset_bytes,
                              const char* text) const;
  struct TakenExtent : Extent {
    std::uint64_t hole_bytes = 0;  ///< of its pages, that had no space on the disk
  };
  /// Space that was taken for a write: a list of one, which can be kept without memory.
  using Taken = std::list<TakenExtent>;

  [[nodiscard]] Taken take(std::uint64_t length_bytes);
  /// Where there is space on the disk, as far as there is any in reserve.
  [[nodiscard]] Taken take_solid(std::uint64_t length_bytes);
  [[nodiscard]] Taken until_it_is_cut(Taken taken);
  [[nodiscard]] std::optional<std::uint64_t> close(std::uint64_t taken_bytes_max,
                                                   std::uint64_t slack_bytes);
  /// @param written_bytes  what they are counted in
  [[nodiscard]] Status write_to(Taken& taken, std::span<const Bytes> parts,
                                std::uint64_t& written_bytes);
  // With mutex_ held.

  /// False, and nothing has changed: some of it is a hole, and the cap has no space for that.
  [[nodiscard]] bool claim_holes(TakenExtent& taken);
  /// It was written.
  void note_filled(const TakenExtent& taken) noexcept;
  void note_hole(const Extent& hole);
  void give_back(Taken& taken);
  void free_unnoted();
  /// Behind it what is in reserve has space on the disk.
  [[nodiscard]] std::uint64_t solid_end_bytes() const {
    return std::max(space_.end_bytes(), holes_.end_bytes());
  }
  /// Of free stretches between blocks, without holes.
  [[nodiscard]] std::uint64_t longest_solid_bytes() const;
  struct SolidPart {
    Extent stretch;  ///< free
    std::uint64_t begin_bytes = 0;
  };
  /// A part of a free stretch that has space on the disk for so much; none: none has.
  [[nodiscard]] std::optional<SolidPart> find_solid(std::uint64_t length_bytes) const;
  [[nodiscard]] std::uint64_t solid_free_bytes() const;

  // Without.

  [[nodiscard]] Taken take_to_punch(std::uint64_t least_bytes, std::uint64_t kept_bytes,
                                    std::vector<Extent>& parts);
  [[nodiscard]] bool punch(const std::vector<Extent>& parts);
  [[nodiscard]] Status find_holes_in(const Extent& stretch);
  [[nodiscard]] static bool is_worth_cutting(std::uint64_t end_bytes, std::uint64_t least_bytes,
                                             std::uint64_t file_bytes);
  [[nodiscard]] bool fill_behind(const std::function<std::uint64_t()>& kept_bytes,
                                 std::uint64_t least_bytes, std::uint64_t file_bytes);
  /// The file may reach so far. Errors: kNoSpace (beyond the cap).
  [[nodiscard]] Status claim(std::uint64_t end_bytes);
  /// With mutex_ held.
  void give_back_behind(std::uint64_t end_bytes);
  /// The space is there up to an offset. Errors: kNoSpace, kIo.
  [[nodiscard]] Status preallocate(std::uint64_t end_bytes);
  [[nodiscard]] Status write_claimed(std::uint64_t offset_bytes, std::span<const Bytes> parts,
                                     std::uint64_t bytes) {
    DGFS_CHECK(claim(offset_bytes + bytes));
    return parts.size() == 1 ? file_->write_at(offset_bytes, parts.front())
                             : file_->write_gathered(offset_bytes, parts);
  }
  [[nodiscard]] Result<Extent> write_extent(Bytes block);
  [[nodiscard]] bool write_together(std::span<const Bytes> blocks, std::vector<Extent>& extents);
  /// Of the file; none: it reaches so far already.
  [[nodiscard]] std::optional<std::uint64_t> end_to_reserve(
      const std::function<std::uint64_t()>& bytes);
  [[nodiscard]] bool begin_cut(const std::function<std::uint64_t()>& kept_bytes,
                               std::uint64_t least_bytes, std::uint64_t file_bytes);
  [[nodiscard]] bool has_free(const std::function<std::uint64_t()>& bytes);
  [[nodiscard]] Status check_length(const Extent& block) const;
  [[nodiscard]] Status read_into(const Extent& block, MutableBytes bytes) const;

  std::unique_ptr<storage::File> file_;
  const char* section_;
  SizeCap* cap_;
  std::mutex reserve_;        ///< one asks for space, or gives it back, at a time
  bool can_punch_ = true;     ///< under reserve_: the file system can, as far as is known
  std::mutex sync_;           ///< whoever finds nothing to sync has waited for who does it
  mutable std::mutex mutex_;  ///< all that follows; no I/O under it
  SpaceMap space_;
  PunchedHoles holes_;                        ///< of what is free
  Taken unnoted_;                             ///< free, but that space_ has found no memory for it
  Taken unwritable_;                          ///< taken, and nothing refers to it
  std::uint64_t reserved_end_bytes_ = 0;      ///< of the file
  bool counts_on_free_ = false;               ///< the last reserve did, between blocks
  std::uint64_t cut_end_bytes_ = UINT64_MAX;  ///< of a file that is being cut
  std::uint64_t taken_bytes_ = 0;             ///< of the disk, and by holes
  std::uint64_t written_bytes_ = 0;
  std::uint64_t moved_bytes_ = 0;
  bool is_synced_ = true;
  std::optional<Error> sync_failure_;
  /// Made while there is memory for it.
  Error unknown_sync_{ErrorKind::kIo, 7034, "a sync ended nobody knows how, for a lack of memory"};
};

}  // namespace dgfs::delta
