// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A digest page: the digests of consecutive regular files, a sealed record of one page of the
// device. The entries between them that have none cost a bit each.
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
/// From the first one on, that a page can have digests of.
inline constexpr std::size_t kDigestPageOrdinals = 8 * kDigestPageBitmapBytes;

/// The ordinals that a page is for: the first has a digest, `end` is where the next page begins.
struct DigestRange {
  Ordinal first = 0;
  Ordinal end = 0;
};

/// Fills one page after the other. For one thread.
class DigestPageFiller {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Whether add() may be called; only a page that is not empty can be full.
  [[nodiscard]] bool has_room_for(Ordinal ordinal) const;
  /// @param ordinal  above those before
  void add(Ordinal ordinal, const Digest& digest);
  [[nodiscard]] Ordinal first() const { return first_; }
  /// The sealed page, kPageBytes; empties this.
  /// @param number  of the page in its section
  [[nodiscard]] Buffer take(std::uint64_t number);

 private:
  Buffer body_;
  Ordinal first_ = 0;
  std::size_t count_ = 0;
};

/// Checks the body of a digest page (F-333 to F-335). Gives the number of its digests.
/// Errors: kCorrupt, with the offset in the page.
[[nodiscard]] Result<std::size_t> check_digest_page(Bytes body, const DigestRange& range);

/// The digest of an ordinal in a body that was checked; nullopt if it has none.
[[nodiscard]] std::optional<Digest> find_digest(Bytes body, Ordinal ordinal);

}  // namespace dgfs::format
