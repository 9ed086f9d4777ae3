// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/raw_request.h"

#include <gtest/gtest.h>

#include <numeric>

namespace dgfs::fuse {
namespace {

// A request with a body of bytes 0, 1, 2, ...
Buffer request_of(std::uint32_t opcode, std::size_t body_bytes) {
  Buffer bytes(sizeof(fuse_in_header) + body_bytes);
  std::iota(bytes.begin() + sizeof(fuse_in_header), bytes.end(), std::uint8_t{0});
  fuse_in_header header{};
  header.len = static_cast<std::uint32_t>(bytes.size());
  header.opcode = opcode;
  header.unique = 77;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST(RawRequest, BodiesThatAreCutOffAreNone) {
  auto bytes = request_of(FUSE_WRITE, sizeof(fuse_write_in) - 1);
  EXPECT_FALSE(RawRequest(bytes).body<fuse_write_in>());
  EXPECT_TRUE(RawRequest(bytes).body<fuse_access_in>());
}

TEST(RawRequest, BytesAreTakenOutBehindTheHeader) {
  auto bytes = request_of(FUSE_SETXATTR, 16);
  RawRequest request(bytes);
  request.cut(8, 6);
  EXPECT_EQ(request.bytes().size(), sizeof(fuse_in_header) + 10);
  EXPECT_EQ(request.header().len, sizeof(fuse_in_header) + 10);
  EXPECT_EQ(request.header().unique, 77u);
  const Buffer body(request.bytes().begin() + sizeof(fuse_in_header), request.bytes().end());
  EXPECT_EQ(body, (Buffer{0, 1, 2, 3, 4, 5, 6, 7, 14, 15}));
}

TEST(RawRequest, BecomesOneOfAnotherKind) {
  auto bytes = request_of(FUSE_TMPFILE, 4);
  RawRequest request(bytes);
  request.set_opcode(FUSE_CREATE);
  EXPECT_EQ(request.opcode(), std::uint32_t{FUSE_CREATE});
  EXPECT_EQ(request.header().len, bytes.size());
}

TEST(RawRequest, IsTheCurrentOneOfItsThreadWhileItIsAnswered) {
  auto bytes = request_of(FUSE_READ, 0);
  const RawRequest request(bytes);
  EXPECT_EQ(current_request(), nullptr);
  {
    const CurrentRequest current(request);
    EXPECT_EQ(current_request(), &request);
  }
  EXPECT_EQ(current_request(), nullptr);
}

}  // namespace
}  // namespace dgfs::fuse
