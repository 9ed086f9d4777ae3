// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/kernel_extensions.h"

#include <gtest/gtest.h>
#include <linux/fuse.h>

#include <array>
#include <string>

namespace dgfs::fuse {
namespace {

constexpr std::uint32_t kBoth = FUSE_HANDLE_KILLPRIV_V2 | FUSE_SETXATTR_EXT;

template <class Body>
Buffer request_of(std::uint32_t opcode, const Body& body, const std::string& rest = "") {
  fuse_in_header header{};
  header.opcode = opcode;
  header.len = static_cast<std::uint32_t>(sizeof header + sizeof body + rest.size());
  Buffer bytes(header.len);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &body, sizeof body);
  std::copy(rest.begin(), rest.end(), bytes.begin() + sizeof header + sizeof body);
  return bytes;
}

// Calls `says` while a request is answered.
bool during(const RawRequest& request, bool (*says)()) {
  const CurrentRequest current(request);
  return says();
}

// The flags in the final answer to INIT, if libfuse has put FUSE_ASYNC_READ into it.
std::uint32_t agreed_flags(KernelExtensions& extensions, std::uint32_t kernel_flags) {
  fuse_init_in init{};
  init.flags = kernel_flags;
  auto bytes = request_of(FUSE_INIT, init);
  RawRequest request(bytes);
  extensions.see_request(request);
  fuse_out_header header{};
  fuse_init_out out{};
  out.flags = FUSE_ASYNC_READ;
  const std::array<iovec, 2> parts{{{&header, sizeof header}, {&out, sizeof out}}};
  extensions.see_reply(request, parts);
  return out.flags;
}

TEST(KernelExtensions, AskForAsMuchAsTheKernelCan) {
  KernelExtensions extensions;
  EXPECT_EQ(agreed_flags(extensions, kBoth | FUSE_BIG_WRITES), kBoth | FUSE_ASYNC_READ);
  EXPECT_EQ(agreed_flags(extensions, FUSE_HANDLE_KILLPRIV_V2),
            FUSE_HANDLE_KILLPRIV_V2 | FUSE_ASYNC_READ);
  EXPECT_EQ(agreed_flags(extensions, 0), std::uint32_t{FUSE_ASYNC_READ});
}

// The second word of flags in the final answer to INIT.
std::uint32_t agreed_flags2(KernelExtensions& extensions, std::uint32_t kernel_flags2) {
  fuse_init_in init{};
  init.flags = FUSE_INIT_EXT;
  init.flags2 = kernel_flags2;
  auto bytes = request_of(FUSE_INIT, init);
  RawRequest request(bytes);
  extensions.see_request(request);
  fuse_out_header header{};
  fuse_init_out out{};
  const std::array<iovec, 2> parts{{{&header, sizeof header}, {&out, sizeof out}}};
  extensions.see_reply(request, parts);
  return out.flags2;
}

TEST(KernelExtensions, AgreeToMappedIdsIfTheKernelHasThem) {
  constexpr std::uint32_t kAllowIdmap = 1U << 8U;
  KernelExtensions extensions;
  EXPECT_EQ(agreed_flags2(extensions, kAllowIdmap | 1), kAllowIdmap);
  EXPECT_EQ(agreed_flags2(extensions, 1), 0U);
  KernelExtensions without(false);
  EXPECT_EQ(agreed_flags2(without, kAllowIdmap), 0U);
}

TEST(KernelExtensions, AnErrorForInitStaysOne) {
  KernelExtensions extensions;
  fuse_init_in init{};
  init.flags = kBoth;
  auto bytes = request_of(FUSE_INIT, init);
  RawRequest request(bytes);
  extensions.see_request(request);
  fuse_out_header header{};
  header.error = -EPROTO;
  const std::array<iovec, 1> parts{{{&header, sizeof header}}};
  extensions.see_reply(request, parts);
  EXPECT_EQ(header.error, -EPROTO);
}

TEST(KernelExtensions, SetXattrGetsTheShapeThatLibfuseKnows) {
  KernelExtensions extensions;
  agreed_flags(extensions, kBoth);
  fuse_setxattr_in body{};
  body.size = 5;
  body.setxattr_flags = FUSE_SETXATTR_ACL_KILL_SGID;
  const std::string rest("name\0value", 10);
  auto bytes = request_of(FUSE_SETXATTR, body, rest);
  RawRequest request(bytes);
  extensions.see_request(request);
  EXPECT_TRUE(during(request, kills_group_id_by_xattr));
  const auto shorter = as_text(request.bytes());
  EXPECT_EQ(shorter.size(), sizeof(fuse_in_header) + FUSE_COMPAT_SETXATTR_IN_SIZE + rest.size());
  EXPECT_TRUE(shorter.ends_with(rest));
  auto other = request_of(FUSE_GETATTR, fuse_getattr_in{});
  RawRequest next(other);
  extensions.see_request(next);
  EXPECT_FALSE(during(next, kills_group_id_by_xattr));
}

TEST(KernelExtensions, WhatIsTooShortStaysAsItIs) {
  KernelExtensions extensions;
  agreed_flags(extensions, kBoth);
  auto bytes = request_of(FUSE_SETXATTR, std::uint64_t{0});
  RawRequest request(bytes);
  extensions.see_request(request);
  EXPECT_EQ(request.bytes().size(), bytes.size());
  EXPECT_FALSE(during(request, kills_group_id_by_xattr));
}

TEST(KernelExtensions, SetXattrOfAnOldKernelIsLeftAlone) {
  KernelExtensions extensions;
  agreed_flags(extensions, 0);
  auto bytes = request_of(FUSE_SETXATTR, fuse_setxattr_in{}, "name");
  RawRequest request(bytes);
  extensions.see_request(request);
  EXPECT_EQ(request.bytes().size(), bytes.size());
}

TEST(KernelExtensions, AFileWithoutANameIsACreateThatSaysSo) {
  KernelExtensions extensions;
  auto bytes = request_of(FUSE_TMPFILE, fuse_create_in{}, "/");
  RawRequest request(bytes);
  extensions.see_request(request);
  EXPECT_EQ(request.opcode(), std::uint32_t{FUSE_CREATE});
  EXPECT_TRUE(during(request, creates_unnamed));
  auto other = request_of(FUSE_CREATE, fuse_create_in{}, "name");
  RawRequest next(other);
  extensions.see_request(next);
  EXPECT_FALSE(during(next, creates_unnamed));
}

TEST(KernelExtensions, AWriteSaysWhetherSetIdsEnd) {
  fuse_write_in body{};
  for (const bool kills : {true, false}) {
    body.write_flags = kills ? FUSE_WRITE_KILL_SUIDGID : FUSE_WRITE_CACHE;
    auto bytes = request_of(FUSE_WRITE, body);
    const RawRequest request(bytes);
    const CurrentRequest current(request);
    EXPECT_EQ(kills_set_ids_by_write(), kills);
  }
  EXPECT_FALSE(kills_set_ids_by_write()) << "no request is being answered";
}

}  // namespace
}  // namespace dgfs::fuse
