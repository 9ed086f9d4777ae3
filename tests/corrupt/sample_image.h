// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The sound images from which damaged ones are made.
#pragma once

#include "base/bytes.h"

namespace dgfs::test {

/// What the builder makes of a tree with one of each: directories three deep, files of no, some and
/// two frames, holes, xattrs, hard links, targets short and long, a FIFO. One file, no sidecar.
[[nodiscard]] const Buffer& sample_image();

/// The same without the file of two frames, so that all of its bytes can be tried: some 20 KiB.
[[nodiscard]] const Buffer& tiny_image();

/// The tree of sample_image() with pages of the token codec, as large trees have them.
[[nodiscard]] const Buffer& token_image();

/// What the builder seldom makes: compressed extents of one and of several frames, two
/// attribute tables, a model, many pages.
[[nodiscard]] const Buffer& assembled_image();

}  // namespace dgfs::test
