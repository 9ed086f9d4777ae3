// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Images whose checksums all fit and that say what cannot be, for the library, the commands and a
// live mount alike.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {

/// A frame of `runs` times 128 KiB, 4 bytes each, that does not say how much it holds.
[[nodiscard]] Buffer silent_frame(Buffer magic, std::size_t runs);
/// A frame that says that it holds 2^60 bytes.
[[nodiscard]] Buffer boasting_frame(Buffer magic);
/// What a frame of zstd begins with; payloads of pages have none.
[[nodiscard]] Buffer zstd_magic();

/// A file "e" of `size_bytes` whose one stored frame is `frame`.
void add_stored_frame(ImageAssembler& assembler, const Buffer& frame, std::uint64_t size_bytes);
/// A file "l" whose link record is a link to itself.
void add_circular_link(ImageAssembler& assembler);

/// sample_image() with a first page whose payload is `frame`, which is said to be
/// `decoded_bytes` long.
[[nodiscard]] Buffer page_bomb_image(const Buffer& frame, std::uint32_t decoded_bytes);

/// Two files, "inner" and "outer": the extent of the first lies in the contents of the second, and
/// both are right.
[[nodiscard]] Buffer overlapping_image();

/// A page in which the file `second`, a name of three bytes, stands behind the file "aaa", whatever
/// their order.
[[nodiscard]] Buffer unsorted_image(std::string_view second);

}  // namespace dgfs::test
