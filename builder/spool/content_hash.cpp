// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/content_hash.h"

#include <xxhash.h>

#include <algorithm>
#include <new>

namespace dgfs::builder {

// Allocated by the library, which knows the alignment that it needs.
struct ContentHash::State {
  XXH3_state_t* xxh3 = XXH3_createState();
  State() = default;
  ~State() { static_cast<void>(XXH3_freeState(xxh3)); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  if (state_->xxh3 == nullptr) throw std::bad_alloc();
  static_cast<void>(XXH3_128bits_reset(state_->xxh3));
}
ContentHash::~ContentHash() = default;
ContentHash::ContentHash(const ContentHash& other) : ContentHash() { *this = other; }
ContentHash& ContentHash::operator=(const ContentHash& other) {
  if (this != &other) XXH3_copyState(state_->xxh3, other.state_->xxh3);
  return *this;
}

void ContentHash::update(Bytes bytes) {
  static_cast<void>(XXH3_128bits_update(state_->xxh3, bytes.data(), bytes.size()));
}

std::array<std::uint8_t, 16> ContentHash::digest() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->xxh3));
  std::array<std::uint8_t, 16> digest{};
  std::copy_n(canonical.digest, digest.size(), digest.begin());
  return digest;
}

format::Uuid uuid_of_digest(const std::array<std::uint8_t, 16>& digest) {
  format::Uuid uuid = digest;
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x80);  // version 8
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);  // variant of RFC 9562
  return uuid;
}

}  // namespace dgfs::builder
