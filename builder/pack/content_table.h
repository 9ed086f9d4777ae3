// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content table finds, by its fingerprint, where in the image a content stands already.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "builder/spool/fingerprint.h"
#include "builder/spool/spool.h"
#include "format/entry/entry.h"

namespace dgfs::builder {

/// An extent of the image. A value.
struct PlacedExtent {
  std::uint64_t at_bytes = 0;  ///< offset in the volume
  std::uint64_t bytes = 0;     ///< stored
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  format::VolumeNumber volume = 0;
  friend bool operator==(const PlacedExtent&, const PlacedExtent&) = default;
};

/// Longer extents the table does not take: 47 bits have the length in a slot, 128 TiB.
inline constexpr std::uint64_t kTableExtentBytesMax = (std::uint64_t{1} << 47) - 1;

/// A hash table with linear probing, as large from the beginning as it will be: in memory if it
/// fits, else in a file without a name, of which the system caches what it can. One thread.
class ContentTable {
 public:
  /// @param place         of the file
  /// @param contents_max  that will be added, at most
  /// @param memory_bytes  what the table may take of memory
  ContentTable(SpoolPlace place, std::uint64_t contents_max, std::size_t memory_bytes);

  /// Nothing if it was never added. Errors: kIo, kNoSpace (of the file).
  [[nodiscard]] Result<std::optional<PlacedExtent>> find(const Fingerprint& fingerprint);
  /// @param fingerprint  not added before
  /// @param extent       not empty, of at most kTableExtentBytesMax
  /// Errors: as find().
  [[nodiscard]] Status add(const Fingerprint& fingerprint, const PlacedExtent& extent);

  [[nodiscard]] bool is_in_file() const { return file_ != nullptr; }

 private:
  /// A slot; free if it has no bytes.
  struct Slot {
    Fingerprint fingerprint;
    std::uint64_t at_bytes = 0;
    std::uint64_t packed = 0;  ///< bytes << 17 | volume << 1 | codec
  };
  static constexpr std::size_t kWindowSlots = 128;

  [[nodiscard]] Status open_file();
  /// The slot of the fingerprint, or the free one that is to have it.
  [[nodiscard]] Result<std::uint64_t> slot_of(const Fingerprint& fingerprint);
  [[nodiscard]] Result<const Slot*> load(std::uint64_t number);

  SpoolPlace place_;
  std::uint64_t slot_count_;
  bool fits_memory_;
  std::vector<Slot> slots_;              ///< all, or of the file those from window_begin_ on
  std::unique_ptr<storage::File> file_;  ///< null where they fit into memory
  std::uint64_t window_begin_ = 0;
};

}  // namespace dgfs::builder
