// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The entropy coding of a page payload: one zstd frame without magic number, content size or
// checksum (the page has its own), with the dictionary of a model. Each thread keeps its contexts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/model.h"

namespace dgfs::format {

/// @param block_ends  rising offsets in `plain`; a new zstd block begins at each
/// Errors: kLimit (out of memory).
[[nodiscard]] Result<Buffer> compress_payload(Bytes plain, std::span<const std::size_t> block_ends,
                                              const Model& model, int level);

/// Decompresses to exactly `plain_bytes` bytes. Errors: kCorrupt.
[[nodiscard]] Result<Buffer> decompress_payload(Bytes payload, std::size_t plain_bytes,
                                                const Model& model);

/// A part of a payload and the part of the content that it stands for.
struct PayloadBlock {
  std::size_t stored_bytes = 0;
  std::size_t plain_bytes = 0;  ///< 0 for the frame's own header
};

/// The blocks of a payload that decompress_payload() accepts, in order; they add up to both
/// lengths. Errors: kCorrupt, kLimit (out of memory).
[[nodiscard]] Result<std::vector<PayloadBlock>> payload_blocks(Bytes payload,
                                                               std::size_t plain_bytes,
                                                               const Model& model);

}  // namespace dgfs::format
