// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The hash that identifies an image by its content.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "format/header/superblock.h"

namespace dgfs::builder {

/// XXH3 with 128 bits over a stream of bytes. A copy is a snapshot of the state.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash& other);
  ContentHash& operator=(const ContentHash& other);

  void update(Bytes bytes);
  [[nodiscard]] std::array<std::uint8_t, 16> digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes a UUID of version 8 (freely chosen bits) from a digest.
[[nodiscard]] format::Uuid uuid_of_digest(const std::array<std::uint8_t, 16>& digest);

/// The bytes of checksums, for hashing.
[[nodiscard]] inline Bytes bytes_of(const std::vector<std::uint64_t>& checksums) {
  return {reinterpret_cast<const std::uint8_t*>(checksums.data()),
          checksums.size() * sizeof(std::uint64_t)};
}

}  // namespace dgfs::builder
