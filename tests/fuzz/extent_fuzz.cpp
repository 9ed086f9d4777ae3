// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extents. Input: a byte that picks frame or seek table, its arguments, the stored bytes; the
// checksum is made good.
#include "format/checksum.h"
#include "format/coding.h"
#include "format/extent.h"
#include "format/seek_table.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

void fuzz_frame(FuzzInput input) {
  const auto codec = static_cast<format::ExtentCodec>(input.take<std::uint8_t>() % 3);
  const auto number = input.take<std::uint8_t>();
  Buffer content(std::size_t{1} + input.take<std::uint32_t>() % (format::kZstdFrameBytes + 1));
  auto stored = input.rest();
  if (stored.size() >= format::kChecksumBytes) {
    const auto checksum = format::frame_checksum(number, Bytes(stored).subspan(8));
    format::store(MutableBytes(stored), 0, checksum);
  }
  (void)format::open_frame(codec, number, stored, content);
}

void fuzz_seek_table(FuzzInput input) {
  const auto content_bytes = input.take<std::uint32_t>();
  const auto stored_bytes = input.take<std::uint32_t>();
  auto table = input.rest();
  constexpr std::size_t kBehindChecksum = 16;
  if (table.size() >= kBehindChecksum) {
    const auto frames = format::frame_count(format::ExtentCodec::kZstd, content_bytes);
    format::store(MutableBytes(table), 8,
                  format::checksum64(Bytes(table).subspan(kBehindChecksum), frames));
  }
  const auto decoded = format::SeekTable::decode(table, content_bytes, stored_bytes);
  if (!decoded) return;
  const auto frames = decoded.value().frame_count();
  for (std::uint64_t i = 0; i < frames; ++i) {
    require(decoded.value().begin(i) < decoded.value().begin(i + 1));
  }
  require(decoded.value().begin(frames) + table.size() == stored_bytes);
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  dgfs::test::FuzzInput input({data, size_bytes});
  const bool is_frame = input.take<std::uint8_t>() % 2 == 0;
  is_frame ? dgfs::test::fuzz_frame(input) : dgfs::test::fuzz_seek_table(input);
  return 0;
}
