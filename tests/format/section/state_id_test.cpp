// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/state_id.h"

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

// F-360
TEST(StateIdTest, IsReadAsItWasWritten) {
  StateId state{};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = static_cast<std::uint8_t>(i + 1);
  Buffer body;
  encode_state_id(state, body);
  const auto read = decode_state_id(body);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read.value(), state);
  test::expect_no_prefix_decodes(body,
                                 test::kind_of([](Bytes bytes) { return decode_state_id(bytes); }));
  body.push_back(0);
  test::expect_error(decode_state_id(body), ErrorKind::kCorrupt, 2004);
}

}  // namespace
}  // namespace dgfs::format
