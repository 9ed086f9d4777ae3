// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes digests with libcrypto, which uses the processor's own instructions for them if there are
// any.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "format/section/digest.h"

namespace dgfs::format {

/// Makes the digest of a stream of bytes, and of further streams one after another. For one thread.
class DigestHasher {
 public:
  /// Errors: kUnsupported (libcrypto is configured without the algorithm), kLimit (memory).
  [[nodiscard]] static Result<DigestHasher> make(DigestAlgorithm algorithm);
  ~DigestHasher();
  DigestHasher(DigestHasher&& other) noexcept;
  DigestHasher& operator=(DigestHasher&& other) noexcept;

  void update(Bytes bytes);
  /// Adds as many zero bytes.
  void update_zeros(std::uint64_t bytes);
  /// The digest of all bytes since make() or the last finish(). The next bytes begin another
  /// stream. Errors: kLimit (memory).
  [[nodiscard]] Result<Digest> finish();

 private:
  struct State;
  explicit DigestHasher(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// The digest of an empty stream.
[[nodiscard]] const Digest& empty_digest(DigestAlgorithm algorithm);

}  // namespace dgfs::format
