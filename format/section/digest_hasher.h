// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes digests, by libcrypto, which uses what instructions the processor has for them.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "format/section/digest.h"

namespace dgfs::format {

/// The digest of a stream of bytes, and of another one after it. For one thread.
class DigestHasher {
 public:
  /// Errors: kUnsupported where libcrypto is set up not to have the algorithm, kLimit (memory).
  [[nodiscard]] static Result<DigestHasher> make(DigestAlgorithm algorithm);
  ~DigestHasher();
  DigestHasher(DigestHasher&& other) noexcept;
  DigestHasher& operator=(DigestHasher&& other) noexcept;

  void update(Bytes bytes);
  /// As many zero bytes.
  void update_zeros(std::uint64_t bytes);
  /// Of all since make() or the last finish(); what follows is another stream.
  /// Errors: kLimit (memory).
  [[nodiscard]] Result<Digest> finish();

 private:
  struct State;
  explicit DigestHasher(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Of no bytes at all.
[[nodiscard]] const Digest& empty_digest(DigestAlgorithm algorithm);

}  // namespace dgfs::format
