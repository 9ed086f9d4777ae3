// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/xattr_set.h"

#include <map>

#include "format/limits.h"
#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

Buffer encoded_set(const std::vector<Xattr>& xattrs) {
  Buffer body;
  encode_xattr_set(xattrs, body);
  return body;
}

Xattr xattr(const std::string& name, std::size_t value_bytes = 1) {
  return {name, Buffer(value_bytes, 'v')};
}

TEST(XattrSetTest, KeepsSets) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    std::map<std::string, Buffer> model;
    for (auto n = test::below(random, 10) + 1; n > 0; --n) {
      std::string name = "user.";
      for (auto i = test::below(random, 4); i > 0; --i) {
        name += static_cast<char>(1 + test::below(random, 255));
      }
      model[name] = test::random_bytes(random, test::below(random, 50));
    }
    std::vector<Xattr> xattrs;
    for (const auto& [name, value] : model) xattrs.push_back({name, value});
    const auto decoded = decode_xattr_set(encoded_set(xattrs));
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded.value(), xattrs);
  }
}

TEST(XattrSetTest, KeepsTheLargest) {
  const std::vector<Xattr> xattrs = {
      xattr(std::string(kXattrNameBytesMax, 'n'), kXattrValueBytesMax)};
  EXPECT_EQ(decode_xattr_set(encoded_set(xattrs)).value(), xattrs);
}

TEST(XattrSetTest, RefusesBadNames) {  // F-086
  expect_error(decode_xattr_set(encoded_set({xattr("")})), ErrorKind::kCorrupt, 2801);
  expect_error(decode_xattr_set(encoded_set({xattr(std::string("a\0b", 3))})), ErrorKind::kCorrupt,
               2801);
  expect_error(decode_xattr_set(encoded_set({xattr(std::string(256, 'n'))})), ErrorKind::kCorrupt,
               2003);
  expect_error(decode_xattr_set(encoded_set({xattr("b"), xattr("a")})), ErrorKind::kCorrupt, 2803);
  expect_error(decode_xattr_set(encoded_set({xattr("b"), xattr("b")})), ErrorKind::kCorrupt, 2803);
}

TEST(XattrSetTest, RefusesWhatLinuxCannotHold) {  // F-087
  expect_error(decode_xattr_set(encoded_set({xattr("a", kXattrValueBytesMax + 1)})),
               ErrorKind::kLimit, 2802);
  std::vector<Xattr> many;
  for (int i = 0; i < 257; ++i) {
    many.push_back(xattr(std::to_string(1000 + i) + std::string(251, 'n')));
  }
  expect_error(decode_xattr_set(encoded_set(many)), ErrorKind::kLimit, 2804);
  many.pop_back();
  EXPECT_TRUE(decode_xattr_set(encoded_set(many)));
}

TEST(XattrSetTest, BoundsCounts) {  // F-002, F-085
  expect_error(decode_xattr_set(encoded_set({})), ErrorKind::kCorrupt, 2800);
  Buffer body;
  Encoder(body).varint(~std::uint64_t{0});
  const auto refused = decode_xattr_set(body);
  expect_error(refused, ErrorKind::kCorrupt, 2800);
  EXPECT_EQ(refused.error().section(), "xattrs");
}

TEST(XattrSetTest, RefusesEveryTruncationAndTail) {
  auto body =
      encoded_set({xattr("security.capability", 20), xattr("user.a", 0), xattr("user.b", 3)});
  test::expect_no_prefix_decodes(body, test::kind_of(decode_xattr_set));
  body.push_back(0);
  expect_error(decode_xattr_set(body), ErrorKind::kCorrupt, 2004);
}

}  // namespace
}  // namespace dgfs::format
