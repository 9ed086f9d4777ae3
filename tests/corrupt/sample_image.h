// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The sound images from which tests make damaged ones.
#pragma once

#include <ostream>

#include "base/bytes.h"
#include "tests/corrupt/merged_image.h"
#include "tests/corrupt/prober.h"

namespace dgfs::test {

/// Made by the builder from a tree with one of each: directories three deep, files of zero, one and
/// two frames, holes, xattrs, hard links, targets short and long, a FIFO. One file, no sidecar.
[[nodiscard]] const Buffer& sample_image();

/// The same without the file of two frames, so that a test can try all of its bytes: about 40 KiB.
[[nodiscard]] const Buffer& tiny_image();

/// The tree of tiny_image() with pages of the token codec, as large trees have them.
[[nodiscard]] const Buffer& token_image();

/// Parts that the builder seldom makes: compressed extents of one and of several frames, two
/// attribute tables, a model, many pages.
[[nodiscard]] const Buffer& assembled_image();

/// Made by the builder with compression: a dictionary, frames that name it, a seek table, noise
/// stored raw, contents that several files share, compressed holes.
[[nodiscard]] const Buffer& compressed_image();

/// Compressed, with small files in frames that they share.
[[nodiscard]] const Buffer& fragments_image();

/// Three volumes, compressed, with digests; the image is volume 0.
[[nodiscard]] const ImageFiles& volumes_image();

/// One of these images, as a test parameter.
struct BaseImage {
  const char* name = "";
  ImageFiles (*files)() = nullptr;
  friend void PrintTo(const BaseImage& base, std::ostream* out) { *out << base.name; }
};
/// All of them.
inline constexpr BaseImage kBaseImages[] = {
    {"Sample",
     [] {
       return ImageFiles{sample_image(), {}};
     }},
    {"Tiny",
     [] {
       return ImageFiles{tiny_image(), {}};
     }},
    {"Tokens",
     [] {
       return ImageFiles{token_image(), {}};
     }},
    {"Assembled",
     [] {
       return ImageFiles{assembled_image(), {}};
     }},
    {"Compressed",
     [] {
       return ImageFiles{compressed_image(), {}};
     }},
    {"Fragments",
     [] {
       return ImageFiles{fragments_image(), {}};
     }},
    {"Volumes", [] { return volumes_image(); }},
    {"Merged", [] { return merged_image(); }},
};

}  // namespace dgfs::test
