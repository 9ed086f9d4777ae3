// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/transport.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "fuse/transport/ring_negotiation.h"
#include "storage/posix/processors.h"
#include "tests/support/skip.h"

namespace dgfs::fuse {
namespace {

TEST(Transport, IsNamed) {
  EXPECT_EQ(parse_transport("auto"), Transport::kAuto);
  EXPECT_EQ(parse_transport("uring"), Transport::kRing);
  EXPECT_EQ(parse_transport("classic"), Transport::kClassic);
  EXPECT_FALSE(parse_transport("io_uring"));
  EXPECT_FALSE(parse_transport(""));
}

TEST(Transport, KernelsWithKnownFaultsAreNotTrusted) {
  for (const char* release :
       {"6.18.39", "6.18.44-amd64", "6.18.100", "7.1.4", "7.1.10-rc1", "7.2.0", "8.0"}) {
    EXPECT_TRUE(has_sound_ring(release)) << release;
  }
  for (const char* release : {"6.1.0-18-amd64", "6.14.0", "6.17.99", "6.18", "6.18.38", "6.19.5",
                              "7.0.9", "7.1.3", "7.1", "", "next"}) {
    EXPECT_FALSE(has_sound_ring(release)) << release;
  }
}

using Shares = std::vector<QueueShare>;

TEST(RingQueues, EachHasThreadsOfItsOwnThatStayThere) {
  const unsigned allowed[] = {0, 1};
  const QueueShare first{{0}, 0};
  const QueueShare second{{1}, 1};
  EXPECT_EQ(share_queues(4, 2, allowed), (Shares{first, second, first, second}));
  EXPECT_EQ(share_queues(2, 2, allowed), (Shares{first, second, first, second}))
      << "each queue has two threads: one may wait for the other's answer";
  EXPECT_EQ(share_queues(5, 2, allowed).size(), 6U);
}

TEST(RingQueues, OneThreadServesAll) {
  const unsigned allowed[] = {0, 1, 2};
  EXPECT_EQ(share_queues(1, 4, allowed), (Shares{{{0, 1, 2, 3}, std::nullopt}}));
}

TEST(RingQueues, ThoseOfProcessorsThatAreOffOrForbiddenAreServedToo) {
  const unsigned allowed[] = {1};
  const QueueShare own{{1}, 1};
  const QueueShare others{{0, 2}, std::nullopt};
  EXPECT_EQ(share_queues(2, 3, allowed), (Shares{own, own, others, others}));
  EXPECT_EQ(share_queues(3, 2, std::vector<unsigned>{7}),
            (Shares(3, QueueShare{{0, 1}, std::nullopt})))
      << "allowed processors beyond the possible ones do not count";
}

TEST(RingQueues, AllAreServedTwiceWhateverTheNumbers) {
  for (unsigned threads = 2; threads < 9; ++threads) {
    for (unsigned possible = 1; possible < 9; ++possible) {
      std::vector<unsigned> allowed;
      for (unsigned i = 0; i < possible; i += 2) allowed.push_back(i);
      std::multiset<unsigned> served;
      for (const auto& share : share_queues(threads, possible, allowed)) {
        served.insert(share.queues.begin(), share.queues.end());
      }
      for (unsigned i = 0; i < possible; ++i) EXPECT_GE(served.count(i), 2U);
    }
  }
}

TEST(Processors, AreCountedInTheKernelsLists) {
  using storage::count_processors;
  EXPECT_EQ(count_processors("0\n"), 1U);
  EXPECT_EQ(count_processors("0-127\n"), 128U);
  EXPECT_EQ(count_processors("0-3,8,10-11"), 7U);
  for (const char* list : {"", "\n", "x", "0-", "3-1", "0;1", "-1"}) {
    EXPECT_FALSE(count_processors(list)) << list;
  }
}

// The bytes of an INIT with all fields known today.
std::vector<std::uint8_t> init_request(std::uint32_t flags, std::uint32_t flags2) {
  fuse_in_header header{};
  fuse_init_in init{};
  init.flags = flags;
  init.flags2 = flags2;
  header.opcode = FUSE_INIT;
  header.len = sizeof header + sizeof init;
  std::vector<std::uint8_t> bytes(header.len);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &init, sizeof init);
  return bytes;
}

fuse_init_out answer_of(RingNegotiation& negotiation, std::vector<std::uint8_t> bytes,
                        bool agrees = false) {
  const RawRequest request{MutableBytes(bytes)};
  negotiation.see_request(request);
  if (agrees) negotiation.agree();
  fuse_out_header header{};
  fuse_init_out out{};
  const iovec parts[] = {{&header, sizeof header}, {&out, sizeof out}};
  auto reply = InitReply::of(request, parts);
  EXPECT_TRUE(reply);
  if (reply) allow_parallel_lookups(request, *reply);
  if (reply) negotiation.see_reply(*reply);
  return out;
}

// libfuse 3.14 forgets the flag.
TEST(InitReply, AllowsParallelLookupsWhereTheKernelOffersThem) {
  RingNegotiation negotiation(Transport::kClassic, 2, -1);
  EXPECT_EQ(answer_of(negotiation, init_request(FUSE_PARALLEL_DIROPS, 0)).flags,
            std::uint32_t{FUSE_PARALLEL_DIROPS});
  EXPECT_EQ(answer_of(negotiation, init_request(FUSE_ASYNC_READ, 0)).flags, 0U);
}

TEST(InitReply, IsNoneOfAnOldKernelOrOfAnError) {
  auto bytes = init_request(0, 0);
  const RawRequest request{MutableBytes(bytes)};
  fuse_out_header header{};
  fuse_init_out out{};
  const iovec parts[] = {{&header, sizeof header}, {&out, 8}};
  EXPECT_FALSE(InitReply::of(request, parts)) << "a kernel without flags";
  EXPECT_FALSE(InitReply::of(request, std::span(parts).first(1))) << "an error";
  const iovec short_parts[] = {{&header, sizeof header}, {&out, FUSE_COMPAT_22_INIT_OUT_SIZE}};
  auto reply = InitReply::of(request, short_parts);
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->add_flags2(1)) << "no room for the second word";
  EXPECT_EQ(out.flags, 0U);
}

TEST(RingNegotiation, SaysNothingWhereNothingIsOffered) {
  RingNegotiation negotiation(Transport::kRing, 2, -1);
  const auto out = answer_of(negotiation, init_request(FUSE_INIT_EXT, 0));
  EXPECT_EQ(out.flags, 0U);
  EXPECT_EQ(out.flags2, 0U);
  EXPECT_FALSE(negotiation.has_agreed());
  EXPECT_NE(negotiation.reason().find("does not offer"), std::string::npos);
  const auto without = answer_of(negotiation, init_request(0, storage::kFuseOverRing));
  EXPECT_EQ(without.flags2, 0U) << "if the kernel sends no second word, its bits do not count";
}

TEST(RingNegotiation, TakesAKernelWithKnownFaultsOnlyIfAsked) {
  const auto offer = init_request(FUSE_INIT_EXT, storage::kFuseOverRing);
  RingNegotiation unasked(Transport::kAuto, 2, -1, "6.14.0");
  EXPECT_EQ(answer_of(unasked, offer).flags2, 0U);
  EXPECT_NE(unasked.reason().find("known faults"), std::string::npos);
  RingNegotiation asked(Transport::kRing, 2, -1, "6.14.0");
  static_cast<void>(answer_of(asked, offer));
  EXPECT_EQ(asked.reason().find("known faults"), std::string::npos)
      << "the reason is not the kernel's version";
  RingNegotiation sound(Transport::kAuto, 2, -1, "6.18.39");
  static_cast<void>(answer_of(sound, offer));
  EXPECT_EQ(sound.reason().find("known faults"), std::string::npos)
      << "the reason is not the kernel's version";
}

TEST(RingNegotiation, TellsWhyTheSystemRefuses) {
  RingNegotiation negotiation(Transport::kRing, 2, -1);
  static_cast<void>(answer_of(negotiation, init_request(FUSE_INIT_EXT, storage::kFuseOverRing)));
  const unsigned queues[] = {0};
  const auto ring = storage::FuseRing::make(-1, queues, kWriteBytesMax);
  const int os_errno = ring ? EBADF : ring.error().os_errno();
  EXPECT_NE(negotiation.reason().find(std::strerror(os_errno)), std::string::npos)
      << negotiation.reason();
}

// A device without a mount has no queues.
TEST(FuseRing, SaysSoWhereTheKernelRefusesAnEntry) {
  const int device = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0) DGFS_SKIP("no /dev/fuse");
  const unsigned queues[] = {0, 1};
  auto ring = storage::FuseRing::make(device, queues, kWriteBytesMax);
  if (!ring) DGFS_SKIP(ring.error().message());
  std::thread([&] {
    EXPECT_TRUE(ring.value()->reply_room().empty()) << "no request has come yet";
    // Kernels before 6.18 say instead that the connection has ended.
    const auto taken = ring.value()->receive();
    if (taken) {
      EXPECT_TRUE(taken.value().empty());
    } else {
      EXPECT_EQ(taken.error().kind(), ErrorKind::kUnsupported) << taken.error().message();
    }
  }).join();
  ring.value().reset();
  ::close(device);
}

TEST(RingNegotiation, LeavesAClassicMountAlone) {
  RingNegotiation negotiation(Transport::kClassic, 2, -1);
  const auto out = answer_of(negotiation, init_request(FUSE_INIT_EXT, storage::kFuseOverRing));
  EXPECT_EQ(out.flags2, 0U);
  EXPECT_TRUE(negotiation.reason().empty());
}

TEST(RingNegotiation, SaysYesOnceTheRingsHaveTheirThreads) {
  RingNegotiation negotiation(Transport::kRing, 2, -1);
  const auto offer = init_request(FUSE_INIT_EXT, storage::kFuseOverRing);
  EXPECT_EQ(answer_of(negotiation, offer).flags2, 0U);
  EXPECT_FALSE(negotiation.reason().empty())
      << "without a connection, the kernel takes no commands";
  const auto out = answer_of(negotiation, offer, true);
  EXPECT_EQ(out.flags & FUSE_INIT_EXT, std::uint32_t{FUSE_INIT_EXT});
  EXPECT_EQ(out.flags2, storage::kFuseOverRing);
  EXPECT_FALSE(negotiation.has_agreed());
  negotiation.note_sent(true);
  EXPECT_TRUE(negotiation.has_agreed());
}

}  // namespace
}  // namespace dgfs::fuse
