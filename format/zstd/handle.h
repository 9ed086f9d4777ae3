// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Owners of objects that zstd allocates.
#pragma once

#include <zstd.h>

#include <memory>

namespace dgfs::format {

/// Deleter of ZstdHandle.
struct ZstdFree {
  void operator()(ZSTD_CCtx* freed) const { ZSTD_freeCCtx(freed); }
  void operator()(ZSTD_DCtx* freed) const { ZSTD_freeDCtx(freed); }
  void operator()(ZSTD_CDict* freed) const { ZSTD_freeCDict(freed); }
  void operator()(ZSTD_DDict* freed) const { ZSTD_freeDDict(freed); }
};

/// Owns a context or a digested dictionary; null if there was no memory for it.
template <class Made>
using ZstdHandle = std::unique_ptr<Made, ZstdFree>;

}  // namespace dgfs::format
