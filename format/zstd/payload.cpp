// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/payload.h"

// For ZSTD_c_format and ZSTD_d_format. The functions that take them are exported; only the names of
// the two parameters are missing in the stable part of the header.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <optional>

#include "format/zstd/handle.h"

namespace dgfs::format {
namespace {

Error failed(ErrorKind kind, std::uint16_t code, std::size_t result) {
  return Error(kind, code, std::string("zstd: ") + ZSTD_getErrorName(result));
}

/// This thread's context, reset; null when out of memory.
ZSTD_CCtx* compression_context() {
  thread_local const ZstdHandle<ZSTD_CCtx> context(ZSTD_createCCtx());
  if (context) ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  return context.get();
}

ZSTD_DCtx* decompression_context() {
  thread_local const ZstdHandle<ZSTD_DCtx> context = [] {
    ZstdHandle<ZSTD_DCtx> fresh(ZSTD_createDCtx());
    if (fresh) ZSTD_DCtx_setParameter(fresh.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless);
    return fresh;
  }();
  return context.get();
}

std::size_t set_up(ZSTD_CCtx* context, std::size_t plain_bytes, const Model& model, int level) {
  ZSTD_CCtx_setParameter(context, ZSTD_c_format, ZSTD_f_zstd1_magicless);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0);
  ZSTD_CCtx_setPledgedSrcSize(context, plain_bytes);
  const auto* dictionary = static_cast<const ZSTD_CDict*>(model.zstd_compression_dictionary(level));
  if (dictionary != nullptr) return ZSTD_CCtx_refCDict(context, dictionary);
  return ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
}

/// Length of the magicless zstd frame at the beginning of `payload`; nullopt if it is cut off. zstd
/// would accept further frames behind it, which no writer makes.
/// @param begin_block  called with the beginning of each block
template <class BeginBlock>
std::optional<std::size_t> frame_bytes(Bytes payload, BeginBlock begin_block) {
  if (payload.empty()) return std::nullopt;
  constexpr std::size_t kIdBytes[] = {0, 1, 2, 4};
  const auto descriptor = payload[0];
  const bool single_segment = (descriptor >> 5 & 1) != 0;
  const auto size_code = descriptor >> 6;
  const auto size_bytes =
      size_code == 0 ? std::size_t{single_segment} : std::size_t{1} << size_code;
  auto at = 1 + (single_segment ? 0u : 1u) + kIdBytes[descriptor & 3] + size_bytes;
  for (bool last = false; !last;) {
    if (at + 3 > payload.size()) return std::nullopt;
    begin_block(at);
    const auto header = payload[at] | payload[at + 1] << 8 | payload[at + 2] << 16;
    last = (header & 1) != 0;
    const bool is_run = (header >> 1 & 3) == 1;
    at += 3 + (is_run ? 1 : static_cast<std::size_t>(header) >> 3);
  }
  return at + ((descriptor >> 2 & 1) != 0 ? 4 : 0);  // the frame's own checksum
}

}  // namespace

Result<Buffer> compress_payload(Bytes plain, std::span<const std::size_t> block_ends,
                                const Model& model, int level) {
  auto* context = compression_context();
  if (context == nullptr) return Error(ErrorKind::kLimit, 2140, "out of memory for zstd");
  auto result = set_up(context, plain.size(), model, level);
  Buffer out(ZSTD_compressBound(plain.size()) + 16 * (block_ends.size() + 1));
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_inBuffer from{plain.data(), 0, 0};
  for (std::size_t i = 0; i <= block_ends.size() && !ZSTD_isError(result); ++i) {
    const bool last = i == block_ends.size();
    from.size = last ? plain.size() : block_ends[i];
    result = ZSTD_compressStream2(context, &to, &from, last ? ZSTD_e_end : ZSTD_e_flush);
  }
  if (ZSTD_isError(result)) return failed(ErrorKind::kLimit, 2141, result);
  out.resize(to.pos);
  return out;
}

Result<Buffer> decompress_payload(Bytes payload, std::size_t plain_bytes, const Model& model) {
  if (frame_bytes(payload, [](std::size_t) {}) != payload.size()) {  // F-130
    return Error(ErrorKind::kCorrupt, 2139, "page payload is not one zstd frame");
  }
  auto* context = decompression_context();
  if (context == nullptr) return Error(ErrorKind::kLimit, 2142, "out of memory for zstd");
  Buffer plain(plain_bytes);
  const auto result = ZSTD_decompress_usingDDict(
      context, plain.data(), plain.size(), payload.data(), payload.size(),
      static_cast<const ZSTD_DDict*>(model.zstd_decompression_dictionary()));
  if (ZSTD_isError(result)) return failed(ErrorKind::kCorrupt, 2143, result);
  if (result == plain_bytes) return plain;  // F-131
  return Error(ErrorKind::kCorrupt, 2144, "page payload has another length than its header says");
}

Result<std::vector<PayloadBlock>> payload_blocks(Bytes payload, std::size_t plain_bytes,
                                                 const Model& model) {
  std::vector<std::size_t> ends;  // end of the frame's header, then of each block but the last
  const auto length = frame_bytes(payload, [&](std::size_t begin) { ends.push_back(begin); });
  if (length != payload.size()) {
    return Error(ErrorKind::kCorrupt, 2151, "page payload is not one zstd frame");
  }
  ends.push_back(*length);
  auto* context = decompression_context();
  if (context == nullptr) return Error(ErrorKind::kLimit, 2152, "out of memory for zstd");
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_DCtx_refDDict(context,
                     static_cast<const ZSTD_DDict*>(model.zstd_decompression_dictionary()));
  Buffer plain(plain_bytes);
  ZSTD_outBuffer to{plain.data(), plain.size(), 0};
  ZSTD_inBuffer from{payload.data(), 0, 0};
  std::vector<PayloadBlock> blocks;
  for (std::size_t result = 0; blocks.size() < ends.size() && !ZSTD_isError(result);) {
    const PayloadBlock before{from.pos, to.pos};
    from.size = ends[blocks.size()];  // a whole block, so all of its content comes out
    result = ZSTD_decompressStream(context, &to, &from);
    blocks.push_back({from.pos - before.stored_bytes, to.pos - before.plain_bytes});
  }
  ZSTD_DCtx_refDDict(context, nullptr);  // the model may be destroyed before this thread ends
  if (from.pos == payload.size() && to.pos == plain_bytes) return blocks;
  return Error(ErrorKind::kCorrupt, 2153, "page payload does not decompress by the block");
}

}  // namespace dgfs::format
