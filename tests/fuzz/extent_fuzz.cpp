// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Extents. Input: a byte that picks the kind (a frame, a seek table, a frame that may name a
// dictionary, a dictionary and a frame, a fragment frame), its arguments, the stored bytes;
// checksums are made to fit.
#include "format/checksum.h"
#include "format/coding.h"
#include "format/content/extent.h"
#include "format/content/seek_table.h"
#include "format/limits.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_tables.h"

namespace dgfs::test {
namespace {

void fuzz_frame(FuzzInput input, const format::ContentDictionaries* dictionaries) {
  const auto codec = static_cast<format::ExtentCodec>(input.take<std::uint8_t>() % 3);
  const auto number = input.take<std::uint8_t>();
  Buffer content(std::size_t{1} + input.take<std::uint32_t>() % (format::kZstdFrameBytes + 1));
  auto stored = input.rest();
  if (stored.size() >= format::kChecksumBytes) {
    const auto checksum = format::frame_checksum(number, Bytes(stored).subspan(8));
    format::store(MutableBytes(stored), 0, checksum);
  }
  const format::FrameOptions options{dictionaries, true};
  const auto opened = format::open_frame(codec, number, stored, content, options);
  // Without checks, the frame decodes to the same content.
  auto again = content;
  const auto unchecked = format::open_frame(codec, number, stored, again, {dictionaries, false});
  require(opened.has_value() == unchecked.has_value());
  if (opened) require(again == content);
}

void fuzz_plain_frame(FuzzInput input) { fuzz_frame(input, nullptr); }
void fuzz_named_dictionary(FuzzInput input) { fuzz_frame(input, &fuzz_content_dictionaries()); }

void fuzz_dictionary_and_frame(FuzzInput input) {
  const auto length = input.take<std::uint16_t>();
  auto bytes = input.rest();
  bytes.resize(std::min<std::size_t>(length, bytes.size()));
  input.skip(bytes.size());
  auto dictionary = format::decode_content_dictionary(bytes);
  if (!dictionary) return;
  format::ContentDictionaries dictionaries;
  require(dictionaries.add(std::move(dictionary).value()).has_value());
  fuzz_frame(input, &dictionaries);
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

void fuzz_fragment_frame(FuzzInput input) {
  auto stored = input.rest();
  if (stored.size() >= format::kChecksumBytes) {
    const auto checksum = format::frame_checksum(0, Bytes(stored).subspan(format::kChecksumBytes));
    format::store(MutableBytes(stored), 0, checksum);
  }
  const auto* dictionaries = &fuzz_content_dictionaries();
  const auto opened = format::open_fragment_frame(stored, {dictionaries, true});
  const auto unchecked = format::open_fragment_frame(stored, {dictionaries, false});
  require(opened.has_value() == unchecked.has_value());
  if (!opened) return;
  require(!opened.value().empty() && opened.value().size() <= format::kFragmentFrameBytesMax);
  require(opened.value() == unchecked.value());
}

constexpr void (*kTargets[])(FuzzInput) = {fuzz_plain_frame, fuzz_seek_table, fuzz_named_dictionary,
                                           fuzz_dictionary_and_frame, fuzz_fragment_frame};

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  dgfs::test::FuzzInput input({data, size_bytes});
  dgfs::test::kTargets[input.take<std::uint8_t>() % std::size(dgfs::test::kTargets)](input);
  return 0;
}
