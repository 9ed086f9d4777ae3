// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/frame.h"

#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_c_forceAttachDict
#include <zstd.h>
#include <zstd_errors.h>

#include <string>

#include "format/zstd/handle.h"

namespace dgfs::format {
namespace {

// For short contents zstd searches the tables of a dictionary where they are. For longer ones it
// copies the tables first, because a search in two sets of tables costs more. These bounds save up
// to a twentieth of the processor time of zstd's own (bench/compress). The tables of fast levels
// are small, but a search in two sets of them costs little.
constexpr std::size_t kAttachedBytesMax = std::size_t{8} << 10;
constexpr std::size_t kAttachedBytesMaxFast = std::size_t{32} << 10;
constexpr int kFastLevelMax = 5;

// As ZSTD_compress_usingCDict(), with these bounds.
std::size_t compress_with(ZSTD_CCtx* context, const ZSTD_CDict* dictionary, int level,
                          Bytes content, MutableBytes out) {
  const auto attached_max = level <= kFastLevelMax ? kAttachedBytesMaxFast : kAttachedBytesMax;
  const auto preference =
      content.size() <= attached_max ? ZSTD_dictForceAttach : ZSTD_dictForceCopy;
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  auto bytes = ZSTD_CCtx_setParameter(context, ZSTD_c_forceAttachDict, preference);
  if (ZSTD_isError(bytes) == 0) bytes = ZSTD_CCtx_refCDict(context, dictionary);
  if (ZSTD_isError(bytes) == 0) {
    bytes = ZSTD_compress2(context, out.data(), out.size(), content.data(), content.size());
  }
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);  // forgets the dictionary
  return bytes;
}

}  // namespace

struct ZstdCompressor::Context {
  ZstdHandle<ZSTD_CCtx> zstd{ZSTD_createCCtx()};
};

ZstdCompressor::ZstdCompressor() : context_(std::make_unique<Context>()) {}
ZstdCompressor::~ZstdCompressor() = default;

Status ZstdCompressor::append(Bytes content, int level, Buffer& out,
                              const ContentDictionary* dictionary) {
  const auto begin = out.size();
  out.resize(begin + ZSTD_compressBound(content.size()));
  const auto done = compress(content, level, dictionary, MutableBytes(out).subspan(begin));
  const auto bytes = done ? done.value() : std::nullopt;
  out.resize(begin + bytes.value_or(0));
  if (!done) return done.error();
  if (!bytes) return Error(ErrorKind::kLimit, 2528, "zstd needs more room than it says");
  return ok();
}

Result<std::optional<std::size_t>> ZstdCompressor::compress(Bytes content, int level,
                                                            const ContentDictionary* dictionary,
                                                            MutableBytes out) {
  if (level < kZstdLevelMin || level > kZstdLevelMax) {
    return Error(ErrorKind::kInvalidArgument, 2520,
                 "compression level " + std::to_string(level) + " is not in " +
                     std::to_string(kZstdLevelMin) + " to " + std::to_string(kZstdLevelMax));
  }
  auto* context = context_->zstd.get();
  const auto digested = dictionary == nullptr ? nullptr : dictionary->zstd->compression(level);
  if (context == nullptr || (dictionary != nullptr && digested == nullptr)) {
    return Error(ErrorKind::kLimit, 2525, "out of memory for zstd");
  }
  const auto bytes = digested == nullptr
                         ? ZSTD_compressCCtx(context, out.data(), out.size(), content.data(),
                                             content.size(), level)
                         : compress_with(context, static_cast<const ZSTD_CDict*>(digested.get()),
                                         level, content, out);
  if (ZSTD_isError(bytes) == 0) return std::optional(bytes);
  if (ZSTD_getErrorCode(bytes) == ZSTD_error_dstSize_tooSmall) return std::optional<std::size_t>();
  return Error(ErrorKind::kLimit, 2521, std::string("zstd: ") + ZSTD_getErrorName(bytes));
}

Status decompress_zstd_frame(Bytes frame, MutableBytes out,
                             const ContentDictionaries* dictionaries) {
  // F-044: zstd itself would accept several frames in a row.
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return Error(ErrorKind::kCorrupt, 2522, "compressed data is not one zstd frame");
  }
  const ZSTD_DDict* digested = nullptr;
  if (const auto id = ZSTD_getDictID_fromFrame(frame.data(), frame.size()); id != 0) {
    const auto* dictionary = dictionaries == nullptr ? nullptr : dictionaries->find(id);
    if (dictionary == nullptr) {  // F-044, F-233
      return Error(
          ErrorKind::kCorrupt, 2526,
          "compressed data names dictionary " + std::to_string(id) + ", which there is not");
    }
    digested = static_cast<const ZSTD_DDict*>(dictionary->zstd->decompression());
  }
  // A new context for each call would cost more than decoding a small frame.
  thread_local const ZstdHandle<ZSTD_DCtx> context{ZSTD_createDCtx()};
  if (context == nullptr) return Error(ErrorKind::kLimit, 2527, "out of memory for zstd");
  const auto bytes = ZSTD_decompress_usingDDict(context.get(), out.data(), out.size(), frame.data(),
                                                frame.size(), digested);
  if (ZSTD_isError(bytes) != 0) {
    return Error(ErrorKind::kCorrupt, 2523,
                 std::string("compressed data: ") + ZSTD_getErrorName(bytes));
  }
  if (bytes != out.size()) {
    return Error(ErrorKind::kCorrupt, 2524,
                 "compressed data decodes to " + std::to_string(bytes) + " bytes instead of " +
                     std::to_string(out.size()));
  }
  return ok();
}

}  // namespace dgfs::format
