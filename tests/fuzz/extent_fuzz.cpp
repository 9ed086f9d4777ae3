// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extents. Input: a byte that picks frame or frame table, its arguments, the stored bytes; the
// checksum is made good.
#include "format/checksum.h"
#include "format/coding.h"
#include "format/extent.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

void fuzz_frame(FuzzInput input) {
  const auto codec = static_cast<format::ExtentCodec>(input.take<std::uint8_t>() % 3);
  const auto number = input.take<std::uint8_t>();
  Buffer content(std::size_t{1} + input.take<std::uint16_t>());
  auto stored = input.rest();
  if (stored.size() >= format::kChecksumBytes) {
    const auto checksum = format::frame_checksum(number, Bytes(stored).subspan(8));
    format::store(MutableBytes(stored), 0, checksum);
  }
  (void)format::open_frame(codec, number, stored, content);
}

void fuzz_frame_table(FuzzInput input) {
  const auto stored_bytes = input.take<std::uint32_t>();
  auto trailer = input.rest();
  if (trailer.size() < format::kChecksumBytes) return;
  const auto lengths = Bytes(trailer).first(trailer.size() - format::kChecksumBytes);
  const auto frames = lengths.size() / 4;
  const auto checksum = format::checksum64(lengths, frames);
  format::store(MutableBytes(trailer), lengths.size(), checksum);
  const auto offsets = format::zstd_frame_offsets(trailer, frames, stored_bytes);
  if (!offsets) return;
  require(offsets.value().size() == frames + 1);
  require(std::is_sorted(offsets.value().begin(), offsets.value().end()));
  require(offsets.value().back() + trailer.size() == stored_bytes);
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  dgfs::test::FuzzInput input({data, size_bytes});
  const bool is_frame = input.take<std::uint8_t>() % 2 == 0;
  is_frame ? dgfs::test::fuzz_frame(input) : dgfs::test::fuzz_frame_table(input);
  return 0;
}
