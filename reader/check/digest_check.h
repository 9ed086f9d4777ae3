// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares the content of a file with its digest in the index.
#pragma once

#include <atomic>
#include <functional>

#include "format/section/digest_hasher.h"
#include "reader/node.h"

namespace dgfs::reader {

class Image;

/// Checks one file after the other. For one thread.
class DigestCheck {
 public:
  using Hashed = std::function<void(std::uint64_t bytes)>;

  /// @param stop    ends the hashing of long holes early; may be null
  /// @param hashed  called with the number of bytes hashed, often during a long hole; may be empty
  /// Errors: as DigestHasher::make().
  [[nodiscard]] static Result<DigestCheck> make(format::DigestAlgorithm algorithm,
                                                const std::atomic<bool>* stop, Hashed hashed = {});

  /// Adds content at `offset_bytes`; offsets must rise. A gap between contents is a hole.
  void add(std::uint64_t offset_bytes, Bytes content);
  /// Called after the last content of a file: compares all of it with the digest, and begins a new
  /// file. Errors: kCorrupt (it differs), kInterrupted, kLimit; those of Image::digest().
  [[nodiscard]] Status compare(const Image& image, const Node& node);
  /// Begins a new file without a comparison.
  void drop();

 private:
  DigestCheck(format::DigestHasher hasher, const std::atomic<bool>* stop, Hashed hashed)
      : hasher_(std::move(hasher)), stop_(stop), hashed_(std::move(hashed)) {}
  void advance(std::uint64_t bytes);
  void add_zeros_to(std::uint64_t offset_bytes);

  format::DigestHasher hasher_;
  const std::atomic<bool>* stop_;
  Hashed hashed_;
  std::uint64_t at_ = 0;  ///< bytes of the file added so far
};

}  // namespace dgfs::reader
