// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images with right checksums and impossible contents, for tests of the library, the commands and a
// live mount.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {

/// A frame of `runs` times 128 KiB, 4 bytes each, that does not state its decoded length.
[[nodiscard]] Buffer silent_frame(Buffer magic, std::size_t runs);
/// A frame that claims to hold 2^60 bytes.
[[nodiscard]] Buffer boasting_frame(Buffer magic);
/// The magic number of a zstd frame; payloads of pages have none.
[[nodiscard]] Buffer zstd_magic();

/// A file "e" of `size_bytes` whose one stored frame is `frame`.
void add_stored_frame(ImageAssembler& assembler, const Buffer& frame, std::uint64_t size_bytes);
/// A file "l" whose link record is a link to itself.
void add_circular_link(ImageAssembler& assembler);

/// sample_image() with `frame` as the payload of its first page, and `decoded_bytes` as the decoded
/// length in the page.
[[nodiscard]] Buffer page_bomb_image(const Buffer& frame, std::uint32_t decoded_bytes);

/// Two files, "inner" and "outer": the extent of the first lies in the contents of the second, and
/// both checksums are right.
[[nodiscard]] Buffer overlapping_image();

/// A page in which the file `second`, a name of three bytes, comes after the file "aaa", whatever
/// their order.
[[nodiscard]] Buffer unsorted_image(std::string_view second);

}  // namespace dgfs::test
