// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Helpers for tests of forged sections: bodies made by hand, and numbers that hurt.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/bytes.h"
#include "format/coding.h"
#include "tests/corrupt/prober.h"
#include "tests/support/taken_image.h"

namespace dgfs::test {

/// Encodes the numbers as varints, one after the other.
[[nodiscard]] inline Buffer varints(std::initializer_list<std::uint64_t> numbers) {
  Buffer body;
  format::Encoder encoder(body);
  for (const auto number : numbers) encoder.varint(number);
  return body;
}

inline constexpr std::uint64_t kHuge = ~std::uint64_t{0};
inline constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

/// The only error that the lie may cause, and its section.
struct Designed {
  std::uint16_t code = 0;
  const char* section = "";
};

/// Fails the running test unless `findings` hold the designed error with its section.
inline void expect_error(const Findings& findings, const Designed& designed,
                         const std::string& what) {
  for (const auto& error : findings.errors) {
    if (error.code() != designed.code) continue;
    EXPECT_EQ(error.section(), designed.section) << what;
    return;
  }
  ADD_FAILURE() << what << ": no error " << designed.code << " but " << findings.text();
}

}  // namespace dgfs::test
