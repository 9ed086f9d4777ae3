// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Keys and paths. Input: a string, tried as a key and as a path.
#include "format/entry/key.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs;
  const auto input = test::FuzzInput({data, size_bytes}).rest();
  const std::string text(as_text(input));
  if (const auto path = format::path_of_key(text)) {
    test::require(format::key_of_path(path.value()).value() == text);
    const auto prefix = format::children_prefix(text);
    test::require(format::path_of_key(prefix + "x").has_value() || prefix.size() >= 65535);
  }
  if (const auto key = format::key_of_path(text)) {
    test::require(format::check_key(key.value()).has_value());
    const auto path = format::path_of_key(key.value()).value();
    test::require(format::key_of_path(path).value() == key.value());
  }
  return 0;
}
