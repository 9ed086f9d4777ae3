// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/random.h"

#include <cstdlib>
#include <string>

namespace dgfs::test {

namespace {

bool heeds_environment = true;

}  // namespace

OwnSeeds::OwnSeeds() { heeds_environment = false; }
OwnSeeds::~OwnSeeds() { heeds_environment = true; }

std::uint64_t test_seed(std::uint64_t fallback) {
  const char* text = heeds_environment ? std::getenv("DGFS_TEST_SEED") : nullptr;
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

Random::Random(std::uint64_t fallback_seed)
    : seed_(test_seed(fallback_seed)),
      generator_(seed_),
      trace_(__FILE__, __LINE__, "repeat with DGFS_TEST_SEED=" + std::to_string(seed_)) {}

std::uint64_t Random::below(std::uint64_t bound) { return bound == 0 ? 0 : generator_() % bound; }

Buffer Random::bytes(std::size_t count) {
  Buffer buffer(count);
  for (std::uint8_t& byte : buffer) byte = static_cast<std::uint8_t>(generator_() >> 56);
  return buffer;
}

}  // namespace dgfs::test
