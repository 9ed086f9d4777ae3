// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The digest table: the algorithm of the digests, and which page has the digest of an entry.
#pragma once

#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "format/section/digest.h"
#include "format/section/digest_page.h"
#include "format/section/rising_numbers.h"

namespace dgfs::format {

/// Appends the body of one block of the table to `out`.
/// @param firsts  first ordinals of the pages, in order
/// @param before  first ordinal of the page before them, 0 if there is none
void encode_digest_table(DigestAlgorithm algorithm, std::span<const Ordinal> firsts, Ordinal before,
                         Buffer& out);

/// Takes 4 bytes of memory per page of up to 120 digests. Immutable, thread-safe.
class DigestTable {
 public:
  /// Takes the blocks in order. For one thread.
  class Loader {
   public:
    /// @param pages        number of pages in the section of digests
    /// @param ordinal_end  number of entries of the index, link records included
    Loader(std::uint64_t pages, Ordinal ordinal_end) : pages_(pages), ordinal_end_(ordinal_end) {}
    /// Errors: kCorrupt; kUnsupported (another algorithm).
    [[nodiscard]] Status add(Bytes body);
    /// Errors: kCorrupt (too few pages).
    [[nodiscard]] Result<DigestTable> finish() &&;

   private:
    [[nodiscard]] Status check_algorithm(std::uint8_t number);

    std::uint64_t pages_;
    Ordinal ordinal_end_;
    std::optional<DigestAlgorithm> algorithm_;
    RisingNumbers firsts_;
    Ordinal last_ = 0;
  };

  [[nodiscard]] DigestAlgorithm algorithm() const { return algorithm_; }
  [[nodiscard]] std::size_t page_count() const { return firsts_.size(); }
  /// The only page that can have the digest of this ordinal; nullopt if none can.
  [[nodiscard]] std::optional<std::size_t> find(Ordinal ordinal) const;
  /// @param page  below page_count()
  [[nodiscard]] DigestRange range(std::size_t page) const;
  [[nodiscard]] std::size_t memory_bytes() const { return sizeof *this + firsts_.memory_bytes(); }

 private:
  DigestTable(DigestAlgorithm algorithm, RisingNumbers firsts, Ordinal ordinal_end)
      : algorithm_(algorithm), firsts_(std::move(firsts)), ordinal_end_(ordinal_end) {}

  DigestAlgorithm algorithm_;
  RisingNumbers firsts_;
  Ordinal ordinal_end_;
};

}  // namespace dgfs::format
