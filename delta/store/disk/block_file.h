// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A file of blocks, each written once, at a place of its own. One file has the nodes and runs of
// the tree, another the large values. A reference to a block holds its checksum, so that a stale or
// misdirected block is also found out.
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

/// No block is longer; a longer one is damage.
inline constexpr std::uint64_t kBlockBytesMax = std::uint64_t{1} << 30;

/// Thread-safe.
class BlockFile {
 public:
  /// @param file     holds nothing but blocks
  /// @param section  name of the file in errors
  /// @param cap      on the disk space of the file; null: none; must outlive it
  explicit BlockFile(std::unique_ptr<storage::File> file, const char* section = "blocks",
                     SizeCap* cap = nullptr)
      : file_(std::move(file)), section_(section), cap_(cap) {}

  /// Writes a block; it is durable after sync(). If a write fails, another place is tried. Errors:
  /// kIo, kNoSpace. If it throws, no space is taken.
  [[nodiscard]] Result<Place> write(Bytes block);
  /// The most blocks of one write, each with padding.
  static constexpr std::size_t kTogetherMax = 512;
  /// The same for several blocks, without their checksums: side by side with one write, if there is
  /// space for them together.
  /// @param blocks   at most kTogetherMax
  /// @param extents  gets the extents of the blocks, in order; after an error or an exception,
  ///                 those of the blocks that were written
  [[nodiscard]] Status write_all(std::span<const Bytes> blocks, std::vector<Extent>& extents);
  /// The same for a long block, piece by piece, without its checksum. After an error no other place
  /// is tried.
  /// @param piece_bytes  of all pieces but the last; a multiple of kBlockAlignmentBytes
  /// @param fill         gets the bytes of each piece in order, from an offset in the block on
  /// Errors: those of write() and of `fill`.
  [[nodiscard]] Result<Extent> write_in_pieces(
      std::uint64_t length_bytes, std::size_t piece_bytes,
      const std::function<Status(std::uint64_t begin_bytes, MutableBytes out)>& fill);
  /// Errors: kIo; kCorrupt if the block is not the one that was written.
  [[nodiscard]] Result<Buffer> read(const Place& place) const;
  /// Reads bytes unchecked; the caller calls check() later.
  /// @param has_waited  set to whether the call may have waited for the disk: false only if the
  ///                    system says that it did not; null: not wanted
  /// Errors: kIo; kCorrupt if the place is impossible.
  [[nodiscard]] Result<std::string> read_unchecked(const Extent& bytes,
                                                   bool* has_waited = nullptr) const;
  /// Checks a block that was read in another way. Errors: kCorrupt if it is not the block that was
  /// written.
  [[nodiscard]] Status check(const Place& place, Bytes block) const;
  /// Announces that a block will be read soon.
  void announce(const Extent& block) const {
    file_->advise(storage::Access::kWillNeed, block.offset_bytes, block.length_bytes);
  }
  /// Adds file and offset to an error in the content of a block.
  [[nodiscard]] Error at_place(const Error& error, std::uint64_t offset_bytes) const;
  /// Reserves disk space for writes of `bytes` in all, with padding, beyond what has been written.
  /// Asks the disk in large steps, so that most calls ask for nothing.
  /// Errors: kNoSpace, kIo.
  [[nodiscard]] Status reserve(std::uint64_t bytes) {
    return reserve([bytes] { return bytes; });
  }
  /// The same for several threads. Each thread asks for the sum of all; the last one must see the
  /// requests of the others.
  /// @param bytes  called under a lock; makes no call of this file
  [[nodiscard]] Status reserve(const std::function<std::uint64_t()>& bytes);
  /// Whether reserve() would succeed without asking the disk for space.
  /// @param bytes  as of reserve()
  [[nodiscard]] bool has_reserved(const std::function<std::uint64_t()>& bytes);
  /// The largest of: the reserve behind all blocks, and each free stretch between them.
  [[nodiscard]] std::uint64_t room_bytes() const;
  /// The reserve behind all blocks, with the step in which it was made.
  [[nodiscard]] std::uint64_t reserved_bytes() const;
  /// The same as room_bytes(), and from now on give_back_spare() leaves this room.
  [[nodiscard]] std::uint64_t hold_room();
  /// Which space shorten() looks at.
  enum class Behind : std::uint8_t {
    kWritten,   ///< a file that is not longer than what it keeps stays as it is, with all reserves
    kReserved,  ///< also what was reserved behind the end of the file
  };
  /// Cuts the file off behind its blocks and the reserve, and gives the space back to the disk.
  /// Space that cannot be given back stays until the next time. While the file is being cut, a
  /// write beyond the new end waits.
  /// @param kept_bytes   the reserve to keep; called while no reserve can be granted; makes no call
  ///                     of this file
  /// @param least_bytes  less than this, or than an eighth of the file, is not given back; 0: all
  ///                     is given back
  void shorten(const std::function<std::uint64_t()>& kept_bytes, std::uint64_t least_bytes,
               Behind behind = Behind::kReserved);
  /// Gives space back that no reserve needs, because something else lacks it: first behind the
  /// reserve, then pages of free stretches. Stretches that reserve() counts on stay.
  /// @param bytes       roughly as much as is wanted
  /// @param kept_bytes  the reserve to keep, as of shorten(); null: that of the last reserve()
  /// Cost: a call of the system for the end, and one for each stretch.
  void give_back_spare(std::uint64_t bytes, const std::function<std::uint64_t()>& kept_bytes = {});
  /// Punches holes: gives the space of long free stretches between blocks back to the disk, the
  /// longest first. Does nothing if reserve() counts on free stretches. Space that the disk does
  /// not take back stays.
  /// @param least_bytes  shorter stretches stay
  /// @param kept_bytes   this much free space between blocks stays, for the next blocks
  void punch(std::uint64_t least_bytes, std::uint64_t kept_bytes);
  /// Gives all space back that no block takes: behind the blocks, with the reserve, and long
  /// stretches between them. Nothing is written to the file afterwards. Errors: kIo.
  [[nodiscard]] Status trim();
  /// Call it for a file that was opened, once its space is known, before any write or reserve():
  /// finds the free space that has no disk space. Cost: one call of the system if there is none,
  /// otherwise at least one for each free stretch. Errors: kIo.
  [[nodiscard]] Status find_holes();
  /// Looks for an end of the file that is worth moving, if more disk space between blocks is free
  /// than blocks take. Closes that end: blocks are written there only if no other place has space.
  /// @param taken_bytes_max  the end has at most this many bytes of blocks
  /// @param spare_bytes      the free space must exceed the blocks by at least this much
  /// Returns where the end begins; none: there is no such end, or reserve() counts on free
  /// stretches.
  [[nodiscard]] std::optional<std::uint64_t> close_sparse_end(std::uint64_t taken_bytes_max,
                                                              std::uint64_t spare_bytes);
  /// Whether enough is free between blocks for close_sparse_end() to look for such an end.
  [[nodiscard]] bool is_sparse(std::uint64_t spare_bytes) const;
  /// The same as close_sparse_end(), however little is free.
  [[nodiscard]] std::optional<std::uint64_t> close_end(std::uint64_t taken_bytes_max);
  void open_end();
  /// As write(), but only before the closed end; none: there is no space, or reserve() counts on
  /// it. Errors: kIo, kNoSpace.
  [[nodiscard]] Result<std::optional<Place>> write_before_end(Bytes block);
  /// Makes all earlier writes durable. Errors: kIo; all later calls return the same error, because
  /// a second sync would not write what the first one lost.
  [[nodiscard]] Status sync();

  /// Marks a block as in use. Errors: kCorrupt if its extent is impossible, or in use already.
  /// @param block  without padding
  [[nodiscard]] Status mark(const Extent& block);
  /// Frees the space of a block. If it throws std::bad_alloc, nothing has changed.
  void free(const Extent& block);

  /// The free space of the file. Includes places that failed writes, which are not used before the
  /// file is opened again. No other thread may write or free blocks meanwhile; other calls wait for
  /// a short time. Cost: O(n log n) for n stretches.
  [[nodiscard]] FreeSpace free_space() const;
  /// Adds the same stretches, in no order. Returns the end of all blocks. O(n).
  std::uint64_t add_free(std::vector<Extent>& free) const;
  /// Roughly the number of free stretches.
  [[nodiscard]] std::uint64_t stretches() const {
    const std::lock_guard lock(mutex_);
    return space_.stretches();
  }
  /// Sets the free space of a file that was opened. Call it before all else.
  void restore(const FreeSpace& space);

  /// Free bytes of the disk that the file lies on. Errors: kIo.
  [[nodiscard]] Result<std::uint64_t> disk_free_bytes() const { return file_->free_bytes(); }
  /// Counts the disk space of the file for the cap. Call it once for a file that is written to,
  /// before any write or reserve(). Errors: kIo.
  [[nodiscard]] Status measure();
  /// Disk space of the file, with the reserve, in pages of 4 KiB.
  [[nodiscard]] std::uint64_t taken_bytes() const;
  /// Of all blocks, with padding.
  [[nodiscard]] std::uint64_t used_bytes() const;
  /// Disk space behind all blocks, with the reserve, and of whole free pages between blocks: all
  /// that could be given back to the disk.
  [[nodiscard]] std::uint64_t free_page_bytes() const;
  /// Disk space that reserve() has to ask for, in pages, without a step.
  [[nodiscard]] std::uint64_t lacking_bytes(std::uint64_t bytes) const;

  /// Only while no other thread uses the file.
  [[nodiscard]] const SpaceMap& space() const { return space_; }
  /// Bytes of blocks that were written, except by write_before_end().
  [[nodiscard]] std::uint64_t written_bytes() const;
  /// Bytes of blocks that write_before_end() has written.
  [[nodiscard]] std::uint64_t moved_bytes() const;
  /// End of all blocks.
  [[nodiscard]] std::uint64_t end_bytes() const;

 private:
  [[nodiscard]] Error damaged(std::uint16_t code, std::uint64_t offset_bytes,
                              const char* text) const;
  struct TakenExtent : Extent {
    std::uint64_t hole_bytes = 0;  ///< bytes of its pages that were holes
  };
  /// Space taken for a write. A list of one element, which can be moved to another list without
  /// memory.
  using Taken = std::list<TakenExtent>;

  [[nodiscard]] Taken take(std::uint64_t length_bytes);
  /// Takes space that has disk space, if the reserve has any.
  [[nodiscard]] Taken take_solid(std::uint64_t length_bytes);
  [[nodiscard]] Taken until_it_is_cut(Taken taken);
  [[nodiscard]] std::optional<std::uint64_t> close(std::uint64_t taken_bytes_max,
                                                   std::uint64_t slack_bytes);
  /// @param written_bytes  the counter that they are added to
  [[nodiscard]] Status write_to(Taken& taken, std::span<const Bytes> parts,
                                std::uint64_t& written_bytes);
  // With mutex_ held.

  /// Claims the holes in `taken`. False, and nothing has changed, if the cap has no space for them.
  [[nodiscard]] bool claim_holes(TakenExtent& taken);
  /// The extent was written.
  void note_filled(const TakenExtent& taken) noexcept;
  void note_hole(const Extent& hole);
  void give_back(Taken& taken);
  void free_unnoted();
  /// The reserve behind this offset has disk space.
  [[nodiscard]] std::uint64_t solid_end_bytes() const {
    return std::max(space_.end_bytes(), holes_.end_bytes());
  }
  /// The longest part of a free stretch between blocks that has disk space.
  [[nodiscard]] std::uint64_t longest_solid_bytes() const;
  struct SolidPart {
    Extent stretch;  ///< free
    std::uint64_t begin_bytes = 0;
  };
  /// A part of a free stretch that has disk space for a block of this length; none: there is none.
  [[nodiscard]] std::optional<SolidPart> find_solid(std::uint64_t length_bytes) const;
  [[nodiscard]] std::uint64_t solid_free_bytes() const;

  // With mutex_ unlocked.

  [[nodiscard]] Taken take_to_punch(std::uint64_t least_bytes, std::uint64_t kept_bytes,
                                    std::vector<Extent>& parts);
  [[nodiscard]] bool punch(const std::vector<Extent>& parts);
  [[nodiscard]] Status find_holes_in(const Extent& stretch);
  [[nodiscard]] bool fill_behind(const std::function<std::uint64_t()>& kept_bytes,
                                 std::uint64_t least_bytes, std::uint64_t file_bytes);
  /// Lets the file reach an offset, and counts the space for the cap. Errors: kNoSpace (beyond the
  /// cap).
  [[nodiscard]] Status claim(std::uint64_t end_bytes);
  /// With mutex_ held.
  void give_back_behind(std::uint64_t end_bytes);
  /// Allocates disk space up to an offset. Errors: kNoSpace, kIo.
  [[nodiscard]] Status preallocate(std::uint64_t end_bytes);
  [[nodiscard]] Status write_claimed(std::uint64_t offset_bytes, std::span<const Bytes> parts,
                                     std::uint64_t bytes) {
    DGFS_CHECK(claim(offset_bytes + bytes));
    return parts.size() == 1 ? file_->write_at(offset_bytes, parts.front())
                             : file_->write_gathered(offset_bytes, parts);
  }
  [[nodiscard]] Result<Extent> write_extent(Bytes block);
  [[nodiscard]] bool write_together(std::span<const Bytes> blocks, std::vector<Extent>& extents);
  /// The new end of the file; none: the file is long enough already.
  [[nodiscard]] std::optional<std::uint64_t> end_to_reserve(
      const std::function<std::uint64_t()>& bytes);
  /// How much more to reserve than is asked for.
  [[nodiscard]] std::uint64_t step_bytes(std::uint64_t end_bytes) const;
  [[nodiscard]] Result<std::uint64_t> bytes_to_shorten(Behind behind) const;
  [[nodiscard]] bool begin_cut(const std::function<std::uint64_t()>& kept_bytes,
                               std::uint64_t least_bytes, std::uint64_t file_bytes);
  [[nodiscard]] bool begin_spare_cut(const std::function<std::uint64_t()>& kept_bytes);
  /// Ends file and reserve at cut_end_bytes_, if the system can.
  void cut();
  [[nodiscard]] Status cut_file();
  /// Counts disk space that the file has beyond what is known. Errors: kIo.
  [[nodiscard]] Status note_missing();
  /// Gives back pages of free stretches, from the place on where the last call ended.
  void punch_spare(std::uint64_t bytes);
  /// Takes the next stretch that may be punched, at an offset or behind; empty: there is none.
  [[nodiscard]] Taken take_spare(std::uint64_t begin_bytes, std::vector<Extent>& parts);
  /// Stretches whose longest part with disk space is as long as this, or longer, are counted on.
  /// With mutex_ held.
  [[nodiscard]] std::uint64_t counted_on_from_bytes() const {
    return counted_free_bytes_ == 0 ? UINT64_MAX : longest_solid_bytes();
  }
  [[nodiscard]] bool has_free(const std::function<std::uint64_t()>& bytes);
  [[nodiscard]] Status check_length(const Extent& block) const;
  [[nodiscard]] Status read_into(const Extent& block, MutableBytes bytes) const;

  std::unique_ptr<storage::File> file_;
  const char* section_;
  SizeCap* cap_;
  std::mutex reserve_;  ///< one call at a time asks for space or gives it back
  /// False once the file system has refused to punch a hole. Under reserve_.
  bool can_punch_ = true;
  std::uint64_t spare_begin_bytes_ = 0;  ///< where punch_spare() goes on. Under reserve_.
  std::mutex sync_;           ///< a sync that finds nothing to do has waited for the one under way
  mutable std::mutex mutex_;  ///< guards all that follows; no I/O under it
  SpaceMap space_;
  PunchedHoles holes_;                    ///< in free stretches
  Taken unnoted_;                         ///< free, but space_ had no memory to note it
  Taken unwritable_;                      ///< taken, and without references
  std::uint64_t reserved_end_bytes_ = 0;  ///< of the file
  std::uint64_t needed_end_bytes_ = 0;    ///< of it, as far as reserve() was asked for
  /// A free stretch of this length is counted on: the longest one stays; 0: none.
  std::uint64_t counted_free_bytes_ = 0;
  /// Whether the last reserve() counts on free stretches between blocks.
  bool counts_on_free_ = false;
  std::uint64_t cut_end_bytes_ = UINT64_MAX;  ///< while the file is being cut
  std::uint64_t taken_bytes_ = 0;             ///< of disk space, holes included
  std::uint64_t written_bytes_ = 0;
  std::uint64_t moved_bytes_ = 0;
  bool is_synced_ = true;
  std::optional<Error> sync_failure_;
  /// Made while there is memory for it.
  Error unknown_sync_{ErrorKind::kIo, 7034,
                      "the result of a sync is unknown, because memory ran out"};
};

}  // namespace dgfs::delta
