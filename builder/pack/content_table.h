// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content table finds a content that is already in the image, by its fingerprint.
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
  std::uint64_t bytes = 0;     ///< stored bytes
  format::ExtentCodec codec = format::ExtentCodec::kRaw;
  format::VolumeNumber volume = 0;
  friend bool operator==(const PlacedExtent&, const PlacedExtent&) = default;
};

/// The longest extent for the table: a slot has 47 bits for the length, 128 TiB.
inline constexpr std::uint64_t kTableExtentBytesMax = (std::uint64_t{1} << 47) - 1;

/// A hash table with linear probing, of fixed size. It lies in memory if it fits, else in a file
/// without a name, which the kernel caches. For one thread.
class ContentTable {
 public:
  /// @param place         for the file
  /// @param contents_max  bound of the contents that will be added
  /// @param memory_bytes  memory that the table may take
  ContentTable(SpoolPlace place, std::uint64_t contents_max, std::size_t memory_bytes);

  /// The extent that was added with the fingerprint, if any. Errors: kIo, kNoSpace (of the file).
  [[nodiscard]] Result<std::optional<PlacedExtent>> find(const Fingerprint& fingerprint);
  /// @param fingerprint  must not have been added before
  /// @param extent       not empty, at most kTableExtentBytesMax
  /// Errors: those of find().
  [[nodiscard]] Status add(const Fingerprint& fingerprint, const PlacedExtent& extent);

  [[nodiscard]] bool is_in_file() const { return file_ != nullptr; }

 private:
  /// A slot; free if its extent has no bytes.
  struct Slot {
    Fingerprint fingerprint;
    std::uint64_t at_bytes = 0;
    std::uint64_t packed = 0;  ///< bytes << 17 | volume << 1 | codec
  };
  static constexpr std::size_t kWindowSlots = 128;

  [[nodiscard]] Status open_file();
  /// Number of the slot with the fingerprint, or of the free slot for it.
  [[nodiscard]] Result<std::uint64_t> slot_of(const Fingerprint& fingerprint);
  [[nodiscard]] Result<const Slot*> load(std::uint64_t number);

  SpoolPlace place_;
  std::uint64_t slot_count_;
  bool fits_memory_;
  std::vector<Slot> slots_;              ///< all slots, or those of the file from window_begin_ on
  std::unique_ptr<storage::File> file_;  ///< null if the slots fit into memory
  std::uint64_t window_begin_ = 0;
};

}  // namespace dgfs::builder
