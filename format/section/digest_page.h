// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A digest page: the digests of consecutive regular files, as a sealed record of the size of a
// page. Each entry between them without a digest costs one bit.
//
//   checksum u64 | first ordinal u64 | bitmap of 1920 ordinals | 120 digests
#pragma once

#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/header/section.h"
#include "format/limits.h"
#include "format/section/digest.h"

namespace dgfs::format {

inline constexpr std::size_t kDigestPageDigests = 120;
inline constexpr std::size_t kDigestPageBitmapBytes = 240;
/// How many ordinals, from its first one on, a page covers.
inline constexpr std::size_t kDigestPageOrdinals = 8 * kDigestPageBitmapBytes;

/// The ordinals that a page covers: `first` has a digest, and the next page begins at `end`.
struct DigestRange {
  Ordinal first = 0;
  Ordinal end = 0;
};

/// Fills one page after another. For one thread.
class DigestPageFiller {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Whether add() may be called with `ordinal`. An empty page always has room.
  [[nodiscard]] bool has_room_for(Ordinal ordinal) const;
  /// @param ordinal  above those added before
  void add(Ordinal ordinal, const Digest& digest);
  [[nodiscard]] Ordinal first() const { return first_; }
  /// Returns the sealed page (kPageBytes) and empties this object.
  /// @param number  of the page in its section
  [[nodiscard]] Buffer take(std::uint64_t number);

 private:
  Buffer body_;
  Ordinal first_ = 0;
  std::size_t count_ = 0;
};

/// Checks the body of a digest page (F-333 to F-335). Returns the number of its digests. Errors:
/// kCorrupt, with the offset in the page.
[[nodiscard]] Result<std::size_t> check_digest_page(Bytes body, const DigestRange& range);

/// The digest of an ordinal in a checked body; nullopt if the ordinal has none.
[[nodiscard]] std::optional<Digest> find_digest(Bytes body, Ordinal ordinal);

}  // namespace dgfs::format
