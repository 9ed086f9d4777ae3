// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/fuse/fuse_ring_entry.h"

#include <gtest/gtest.h>
#include <linux/fuse.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace dgfs::storage {
namespace {

constexpr std::size_t kPayloadBytes = std::size_t{1} << 20;

// An entry, and the kernel's side of it.
class FuseRingEntryTest : public testing::Test {
 protected:
  FuseRingHeader& header() { return *static_cast<FuseRingHeader*>(entry_.parts()[0].iov_base); }
  char* payload() { return static_cast<char*>(entry_.parts()[1].iov_base); }

  // Puts a request into the entry as the kernel does; `length` is the length in its header.
  MutableBytes put(std::uint32_t opcode, const std::string& body, const std::string& contents,
                   std::size_t length) {
    fuse_in_header in{};
    in.len = static_cast<std::uint32_t>(length);
    in.opcode = opcode;
    in.unique = 42;
    std::memcpy(header().in_out, &in, sizeof in);
    std::memcpy(header().body, body.data(), body.size());
    std::memcpy(payload(), contents.data(), contents.size());
    header().payload_bytes = static_cast<std::uint32_t>(contents.size());
    return entry_.take_request();
  }
  MutableBytes put(std::uint32_t opcode, const std::string& body, const std::string& contents) {
    return put(opcode, body, contents, sizeof(fuse_in_header) + body.size() + contents.size());
  }
  fuse_out_header reply_header() {
    fuse_out_header out{};
    std::memcpy(&out, header().in_out, sizeof out);
    return out;
  }

  FuseRingEntry entry_{3, kPayloadBytes};
};

TEST_F(FuseRingEntryTest, PutsARequestTogether) {
  for (const std::size_t length : {0U, 1U, 8192U, 8193U, 1U << 20}) {
    const std::string contents(length, 'c');
    const auto request = put(FUSE_WRITE, std::string(40, 'b'), contents);
    ASSERT_EQ(request.size(), sizeof(fuse_in_header) + 40 + length);
    const std::string text(request.begin(), request.end());
    EXPECT_EQ(text.substr(sizeof(fuse_in_header)), std::string(40, 'b') + contents);
    EXPECT_EQ(entry_.reply_room().empty(), length > 8192) << "long contents lie where replies do";
  }
}

TEST_F(FuseRingEntryTest, RefusesLengthsThatContradictEachOther) {
  const std::string body(40, 'b');
  const std::string contents(100, 'c');
  for (const std::size_t length : {0U, 1U, 39U, 99U, 100U, 139U, 269U, 1U << 20, 1U << 30}) {
    EXPECT_TRUE(put(FUSE_WRITE, body, contents, length).empty()) << length;
  }
  header().payload_bytes = UINT32_MAX;
  EXPECT_TRUE(entry_.take_request().empty());
  header().payload_bytes = kPayloadBytes + 1;
  EXPECT_TRUE(entry_.take_request().empty());
}

TEST_F(FuseRingEntryTest, TakesAReplyFromAnywhereAndFromItsRoom) {
  put(FUSE_READ, std::string(40, 'b'), "");
  fuse_out_header out{sizeof out + 6, 0, 42};
  EXPECT_TRUE(entry_.is_reply(out));
  EXPECT_FALSE(entry_.has_reply());
  std::string first = "abc";
  std::string second = "def";
  const iovec apart[] = {{&out, sizeof out}, {first.data(), 3}, {second.data(), 3}};
  ASSERT_TRUE(entry_.put_reply(apart));
  EXPECT_TRUE(entry_.has_reply());
  EXPECT_EQ(std::string(payload(), 6), "abcdef");
  EXPECT_EQ(header().payload_bytes, 6U);
  EXPECT_EQ(reply_header().unique, 42U);
  const auto room = entry_.reply_room();
  ASSERT_EQ(room.size(), kPayloadBytes);
  std::memcpy(room.data(), "in place", 8);
  const iovec there[] = {{&out, sizeof out}, {room.data(), 8}};
  ASSERT_TRUE(entry_.put_reply(there));
  EXPECT_EQ(std::string(payload(), 8), "in place");
  std::vector<char> large(kPayloadBytes);
  entry_.complete_reply();
  put(FUSE_READ, std::string(40, 'b'), "");
  EXPECT_FALSE(entry_.has_reply()) << "the next request";
  const iovec too_long[] = {{&out, sizeof out}, {large.data(), large.size()}, {first.data(), 1}};
  EXPECT_FALSE(entry_.put_reply(too_long));
  EXPECT_FALSE(entry_.has_reply());
}

TEST_F(FuseRingEntryTest, MakesTheReplyThatLibfuseDoesNotSend) {
  put(FUSE_FORGET, std::string(8, 'b'), "");
  entry_.complete_reply();
  EXPECT_EQ(reply_header().error, 0);
  EXPECT_EQ(reply_header().unique, 42U);
  put(FUSE_GETATTR, std::string(16, 'b'), "");
  entry_.complete_reply();
  EXPECT_EQ(reply_header().error, -EIO) << "a handler that has not answered";
  EXPECT_EQ(header().payload_bytes, 0U);
  fuse_out_header out{sizeof out, 0, 42};
  EXPECT_FALSE(entry_.is_reply(out)) << "it has been answered";
}

}  // namespace
}  // namespace dgfs::storage
