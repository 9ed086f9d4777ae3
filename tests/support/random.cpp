// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/random.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace dgfs::test {

namespace {

constexpr const char* kVariable = "DGFS_TEST_SEED";

bool heeds_environment = true;

std::optional<std::uint64_t> seed_of_run() {
  const char* value = heeds_environment ? std::getenv(kVariable) : nullptr;
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty()) return std::nullopt;
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) {
    std::fprintf(stderr, "%s must be a number below 2^64, not '%s'\n", kVariable, value);
    std::exit(2);
  }
  return seed;
}

// The finaliser of SplitMix64: a bijection in which each bit of the input reaches all of the
// output. https://prng.di.unimi.it/splitmix64.c
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

std::string how_to_repeat(std::uint64_t written, std::uint64_t seed) {
  const auto run = seed_of_run();
  if (!run) return "seed " + std::to_string(seed) + "; repeat without " + kVariable;
  return "seed " + std::to_string(written) + " as " + std::to_string(seed) + "; repeat with " +
         kVariable + "=" + std::to_string(*run);
}

}  // namespace

OwnSeeds::OwnSeeds() { heeds_environment = false; }
OwnSeeds::~OwnSeeds() { heeds_environment = true; }

std::uint64_t test_seed(std::uint64_t written) {
  const auto run = seed_of_run();
  return run ? mixed(mixed(*run + 1) ^ written) : written;
}

SeededEngine::SeededEngine(std::uint64_t written_seed)
    : SeededEngine(written_seed, test_seed(written_seed)) {}

SeededEngine::SeededEngine(std::uint64_t written_seed, std::uint64_t seed)
    : std::mt19937_64(seed),
      seed_(seed),
      trace_(__FILE__, __LINE__, how_to_repeat(written_seed, seed)) {}

std::uint64_t Random::below(std::uint64_t bound) { return bound == 0 ? 0 : engine_() % bound; }

Buffer Random::bytes(std::size_t count) {
  Buffer buffer(count);
  for (std::uint8_t& byte : buffer) byte = static_cast<std::uint8_t>(engine_() >> 56);
  return buffer;
}

}  // namespace dgfs::test
