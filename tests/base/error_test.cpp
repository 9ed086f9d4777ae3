// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <utility>

namespace dgfs {
namespace {

Error checksum_mismatch() { return Error(ErrorKind::kCorrupt, 1, "checksum mismatch"); }

TEST(Error, KeepsWhatItWasMadeOf) {
  const Error error = checksum_mismatch();
  EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(error.code(), 1);
  EXPECT_EQ(error.text(), "checksum mismatch");
  EXPECT_EQ(error.os_errno(), 0);
  EXPECT_EQ(error.offset(), std::nullopt);
}

TEST(Error, MessageNamesThePartsThatAreKnown) {
  EXPECT_EQ(checksum_mismatch().message(), "checksum mismatch");
  EXPECT_EQ(checksum_mismatch().in_file("a.dgfs").message(), "a.dgfs: checksum mismatch");
  EXPECT_EQ(checksum_mismatch().in_section("page 7").message(), "page 7: checksum mismatch");
  EXPECT_EQ(checksum_mismatch().at_offset(4096).message(), "offset 4096: checksum mismatch");
  EXPECT_EQ(checksum_mismatch().in_file("a.dgfs").at_offset(0).message(),
            "a.dgfs: offset 0: checksum mismatch");
  EXPECT_EQ(checksum_mismatch().in_section("page 7").at_offset(12).message(),
            "page 7, offset 12: checksum mismatch");
  EXPECT_EQ(checksum_mismatch().in_file("a.dgfs").in_section("page 7").at_offset(12).message(),
            "a.dgfs: page 7, offset 12: checksum mismatch");
}

TEST(Error, MessageIsTheSameInWhateverOrderThePlaceWasNamed) {
  EXPECT_EQ(checksum_mismatch().at_offset(12).in_section("page 7").in_file("a.dgfs").message(),
            checksum_mismatch().in_file("a.dgfs").in_section("page 7").at_offset(12).message());
}

TEST(Error, InnermostPlaceWins) {
  const Error error = checksum_mismatch()
                          .in_file("inner")
                          .in_section("page 7")
                          .at_offset(12)
                          .in_file("outer")
                          .in_section("index")
                          .at_offset(99);
  EXPECT_EQ(error.file(), "inner");
  EXPECT_EQ(error.section(), "page 7");
  EXPECT_EQ(error.offset(), 12u);
}

TEST(Error, OffsetZeroCountsAsNamed) {
  const Error error = checksum_mismatch().at_offset(0).at_offset(99);
  EXPECT_EQ(error.offset(), 0u);
}

TEST(Error, CarriesTheErrnoOfTheSystemCall) {
  const Error error = Error(ErrorKind::kNoSpace, 2, "cannot write").with_errno(ENOSPC);
  EXPECT_EQ(error.os_errno(), ENOSPC);
  EXPECT_EQ(error.message(), "cannot write");
}

TEST(Error, KeepsAnyBytesOfAFileName) {
  const std::string name("odd\xff\nname", 9);
  EXPECT_EQ(checksum_mismatch().in_file(name).message(), name + ": checksum mismatch");
}

}  // namespace
}  // namespace dgfs
