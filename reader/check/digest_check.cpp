// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/check/digest_check.h"

#include "reader/image.h"

#include <algorithm>
#include <utility>

namespace dgfs::reader {
namespace {

// Bytes hashed between two checks of the stop flag: some hundredths of a second.
constexpr std::uint64_t kZerosAtOnce = std::uint64_t{16} << 20;

}  // namespace

Result<DigestCheck> DigestCheck::make(format::DigestAlgorithm algorithm,
                                      const std::atomic<bool>* stop, Hashed hashed) {
  DGFS_TRY(hasher, format::DigestHasher::make(algorithm));
  return DigestCheck(std::move(hasher), stop, std::move(hashed));
}

void DigestCheck::add(std::uint64_t offset_bytes, Bytes content) {
  add_zeros_to(offset_bytes);
  hasher_.update(content);
  advance(content.size());
}

Status DigestCheck::compare(const Image& image, const Node& node) {
  add_zeros_to(node.size_bytes);
  const bool is_whole = at_ == node.size_bytes;
  at_ = 0;
  DGFS_TRY(now, hasher_.finish());
  if (!is_whole) return Error(ErrorKind::kInterrupted, 3254, "interrupted");
  DGFS_TRY(then, image.digest(node));
  if (now == then) return ok();
  return Error(ErrorKind::kCorrupt, 3255,
               "the digest of the contents differs from that at packing");
}

void DigestCheck::drop() {
  at_ = 0;
  static_cast<void>(hasher_.finish());
}

void DigestCheck::add_zeros_to(std::uint64_t offset_bytes) {
  while (at_ < offset_bytes && !(stop_ != nullptr && stop_->load())) {
    const auto part = std::min(offset_bytes - at_, kZerosAtOnce);
    hasher_.update_zeros(part);
    advance(part);
  }
}

void DigestCheck::advance(std::uint64_t bytes) {
  at_ += bytes;
  if (hashed_) hashed_(bytes);
}

}  // namespace dgfs::reader
