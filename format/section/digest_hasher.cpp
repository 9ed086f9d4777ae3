// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/digest_hasher.h"

#include <openssl/evp.h>

#include <algorithm>
#include <utility>

namespace dgfs::format {
namespace {

constexpr std::array<std::uint8_t, 65536> kZeros{};

}  // namespace

struct DigestHasher::State {
  struct Free {
    void operator()(EVP_MD* freed) const { EVP_MD_free(freed); }
    void operator()(EVP_MD_CTX* freed) const { EVP_MD_CTX_free(freed); }
  };

  // Fetched once: libcrypto looks up a name anew, under a lock, for every stream.
  std::unique_ptr<EVP_MD, Free> method;
  std::unique_ptr<EVP_MD_CTX, Free> context;
  bool is_good = false;  // false after a failure in this stream

  void begin() { is_good = EVP_DigestInit_ex2(context.get(), method.get(), nullptr) == 1; }
};

DigestHasher::DigestHasher(std::unique_ptr<State> state) : state_(std::move(state)) {}
DigestHasher::~DigestHasher() = default;
DigestHasher::DigestHasher(DigestHasher&& other) noexcept = default;
DigestHasher& DigestHasher::operator=(DigestHasher&& other) noexcept = default;

Result<DigestHasher> DigestHasher::make(DigestAlgorithm algorithm) {
  const std::string name(digest_algorithm_name(algorithm));
  auto state = std::make_unique<State>();
  state->method.reset(EVP_MD_fetch(nullptr, name.c_str(), nullptr));
  if (state->method == nullptr) {
    return Error(ErrorKind::kUnsupported, 2950, "libcrypto does not offer " + name);
  }
  state->context.reset(EVP_MD_CTX_new());
  if (state->context == nullptr) return Error(ErrorKind::kLimit, 2951, "not enough memory");
  state->begin();
  return DigestHasher(std::move(state));
}

void DigestHasher::update(Bytes bytes) {
  if (bytes.empty() || !state_->is_good) return;
  state_->is_good = EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1;
}

void DigestHasher::update_zeros(std::uint64_t bytes) {
  while (bytes != 0) {
    const auto part = std::min<std::uint64_t>(bytes, kZeros.size());
    update(Bytes(kZeros).first(static_cast<std::size_t>(part)));
    bytes -= part;
  }
}

Result<Digest> DigestHasher::finish() {
  Digest digest{};
  const bool done =
      state_->is_good && EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr) == 1;
  state_->begin();
  if (!done) return Error(ErrorKind::kLimit, 2952, "libcrypto cannot make a digest: no memory");
  return digest;
}

const Digest& empty_digest(DigestAlgorithm /*algorithm*/) {
  static constexpr Digest kSha256 = {0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14,
                                     0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
                                     0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c,
                                     0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55};
  return kSha256;
}

}  // namespace dgfs::format
