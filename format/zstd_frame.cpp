// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd_frame.h"

#include <zstd.h>

#include <string>

namespace dgfs::format {
namespace {

struct FreeCompression {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompression {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

struct ZstdCompressor::Context {
  std::unique_ptr<ZSTD_CCtx, FreeCompression> zstd{ZSTD_createCCtx()};
};

ZstdCompressor::ZstdCompressor() : context_(std::make_unique<Context>()) {}
ZstdCompressor::~ZstdCompressor() = default;

Status ZstdCompressor::append(Bytes content, int level, Buffer& out) {
  if (level < 1 || level > ZSTD_maxCLevel()) {
    return Error(ErrorKind::kInvalidArgument, 2520,
                 "compression level " + std::to_string(level) + " is not in 1 to " +
                     std::to_string(ZSTD_maxCLevel()));
  }
  const auto begin = out.size();
  out.resize(begin + ZSTD_compressBound(content.size()));
  const auto bytes = ZSTD_compressCCtx(context_->zstd.get(), out.data() + begin, out.size() - begin,
                                       content.data(), content.size(), level);
  if (ZSTD_isError(bytes) != 0) {
    out.resize(begin);
    return Error(ErrorKind::kLimit, 2521, std::string("zstd: ") + ZSTD_getErrorName(bytes));
  }
  out.resize(begin + bytes);
  return ok();
}

Status decompress_zstd_frame(Bytes frame, MutableBytes out) {
  // F-044: zstd itself would also take several frames in a row.
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return Error(ErrorKind::kCorrupt, 2522, "compressed data is not one zstd frame");
  }
  // A context per call would cost more than decoding a small frame does.
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeDecompression> context{ZSTD_createDCtx()};
  const auto bytes =
      ZSTD_decompressDCtx(context.get(), out.data(), out.size(), frame.data(), frame.size());
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
