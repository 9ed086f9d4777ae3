// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whether the content of a file, as it is read now, has the digest that the index keeps of it.
#pragma once

#include <atomic>
#include <functional>

#include "format/section/digest_hasher.h"
#include "reader/node.h"

namespace dgfs::reader {

class Image;

/// One file after the other. For one thread.
class DigestCheck {
 public:
  using Hashed = std::function<void(std::uint64_t bytes)>;

  /// @param stop    ends long holes early; may be null
  /// @param hashed  told of bytes that were hashed, often in a long hole; may be empty
  /// Errors: as DigestHasher::make().
  [[nodiscard]] static Result<DigestCheck> make(format::DigestAlgorithm algorithm,
                                                const std::atomic<bool>* stop, Hashed hashed = {});

  /// Content that stands at `offset_bytes`, rising; what is between is a hole.
  void add(std::uint64_t offset_bytes, Bytes content);
  /// After the last content: whether all of it is what was packed. Begins anew.
  /// Errors: kCorrupt (it is not), kInterrupted, kLimit; those of Image::digest().
  [[nodiscard]] Status compare(const Image& image, const Node& node);
  /// Begins anew without a word.
  void drop();

 private:
  DigestCheck(format::DigestHasher hasher, const std::atomic<bool>* stop, Hashed hashed)
      : hasher_(std::move(hasher)), stop_(stop), hashed_(std::move(hashed)) {}
  void advance(std::uint64_t bytes);
  void add_zeros_to(std::uint64_t offset_bytes);

  format::DigestHasher hasher_;
  const std::atomic<bool>* stop_;
  Hashed hashed_;
  std::uint64_t at_ = 0;  ///< bytes of the file so far
};

}  // namespace dgfs::reader
