// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/error_number.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace dgfs::fuse {
namespace {

int number(ErrorKind kind, Subject subject) { return error_number(Error(kind, 1, "x"), subject); }

TEST(ErrorNumber, DamageAndDevicesAreEio) {
  for (const auto subject : {Subject::kName, Subject::kContent}) {
    EXPECT_EQ(number(ErrorKind::kCorrupt, subject), EIO);
    EXPECT_EQ(number(ErrorKind::kIo, subject), EIO);
    EXPECT_EQ(number(ErrorKind::kLimit, subject), EIO);
    EXPECT_TRUE(is_fault(Error(ErrorKind::kCorrupt, 1, "x"), subject));
  }
}

TEST(ErrorNumber, NotFoundDependsOnWhatWasLookedFor) {
  EXPECT_EQ(number(ErrorKind::kNotFound, Subject::kName), ENOENT);
  EXPECT_EQ(number(ErrorKind::kNotFound, Subject::kContent), EIO);
  EXPECT_FALSE(is_fault(Error(ErrorKind::kNotFound, 1, "x"), Subject::kName));
  EXPECT_TRUE(is_fault(Error(ErrorKind::kNotFound, 1, "x"), Subject::kContent));
}

TEST(ErrorNumber, MistakesOfTheCallerAreNoFaults) {
  EXPECT_EQ(number(ErrorKind::kNotDirectory, Subject::kName), ENOTDIR);
  EXPECT_EQ(number(ErrorKind::kIsDirectory, Subject::kContent), EISDIR);
  EXPECT_EQ(number(ErrorKind::kInvalidArgument, Subject::kContent), EINVAL);
  EXPECT_FALSE(is_fault(Error(ErrorKind::kInvalidArgument, 1, "x"), Subject::kContent));
}

TEST(ErrorNumber, RefusalsOfChangesHaveNumbersOfTheirOwn) {
  EXPECT_EQ(number(ErrorKind::kExists, Subject::kName), EEXIST);
  EXPECT_EQ(number(ErrorKind::kNoSpace, Subject::kName), ENOSPC);
  EXPECT_EQ(number(ErrorKind::kNotEmpty, Subject::kName), ENOTEMPTY);
  EXPECT_EQ(number(ErrorKind::kNameTooLong, Subject::kName), ENAMETOOLONG);
  EXPECT_EQ(number(ErrorKind::kTooManyLinks, Subject::kName), EMLINK);
  EXPECT_EQ(number(ErrorKind::kNotPermitted, Subject::kName), EPERM);
  EXPECT_EQ(number(ErrorKind::kNoAttribute, Subject::kContent), ENODATA);
  EXPECT_EQ(number(ErrorKind::kTooLarge, Subject::kContent), E2BIG);
  EXPECT_EQ(number(ErrorKind::kOutOfRange, Subject::kContent), ERANGE);
  EXPECT_FALSE(is_fault(Error(ErrorKind::kNotEmpty, 1, "x"), Subject::kName));
}

}  // namespace
}  // namespace dgfs::fuse
