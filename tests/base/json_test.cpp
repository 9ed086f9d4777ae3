// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/json.h"

#include <gtest/gtest.h>

#include <utility>

namespace dgfs {
namespace {

TEST(JsonString, HoldsPrintableCharactersOnly) {
  const std::pair<const char*, const char*> cases[] = {
      {"plain", "\"plain\""},
      {"a\"b\\c", "\"a\\\"b\\\\c\""},
      {"\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\""},
      {"\xc2\x9b", "\"\\u009b\""},                                        // C1: CSI
      {"\xe2\x80\xae\xe2\x81\xa6", "\"\\u202e\\u2066\""},                 // overrides, isolates
      {"\xe2\x80\x8e\xd8\x9c\xe2\x80\xa8", "\"\\u200e\\u061c\\u2028\""},  // marks, line separator
      {"\xf3\xa0\x80\x81", "\"\\udb40\\udc01\""},                         // a tag: two units
      {"caf\xc3\xa9 \xf0\x9f\x98\x80", "\"caf\xc3\xa9 \xf0\x9f\x98\x80\""},
  };
  for (const auto& [text, json] : cases) EXPECT_EQ(json_string(text), json);
}

TEST(JsonString, KeepsBytesThatAreNoText) {
  EXPECT_EQ(json_string("\xff\xc3"), "\"\\udcff\\udcc3\"");
  // A surrogate in UTF-8 is malformed, so no valid text can look like an escaped byte.
  EXPECT_EQ(json_string("\xed\xb2\x80"), "\"\\udced\\udcb2\\udc80\"");
}

TEST(Json, EscapesAnyBytes) {
  EXPECT_EQ(json_string("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000a\\u007f\"");
  EXPECT_EQ(json_string("\xc3\xa9\xff"), "\"\xc3\xa9\\udcff\"");
  JsonObject object;
  object.add("n", 3).add("yes", true).add("s", "x");
  EXPECT_EQ(object.line(), "{\"n\":3,\"yes\":true,\"s\":\"x\"}\n");
}

}  // namespace
}  // namespace dgfs
