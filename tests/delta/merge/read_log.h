// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadLog: an Env that notes the bytes that are read of each file.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "storage/wrapped.h"

namespace dgfs::test {

/// Bytes that were asked for. A value.
struct LoggedRead {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Thread-safe, as the Env below it is.
class ReadLog final : public storage::WrappedEnv<storage::Env> {
 public:
  /// @param base  must outlive this
  explicit ReadLog(storage::Env& base) : WrappedEnv(base) {}

  [[nodiscard]] std::vector<LoggedRead> reads() const { return observer_.reads(); }

 protected:
  [[nodiscard]] storage::CallObserver& observer() const override { return observer_; }

 private:
  class Observer final : public storage::CallObserver {
   public:
    Result<std::size_t> read(const storage::File& file, std::uint64_t offset_bytes,
                             std::span<const MutableBytes> outs, const std::string& path) override {
      std::uint64_t end = offset_bytes;
      for (const MutableBytes out : outs) end += out.size();
      {
        const std::lock_guard lock(mutex_);
        reads_.push_back({path, offset_bytes, end});
      }
      return file.read_at(offset_bytes, outs);
    }
    [[nodiscard]] std::vector<LoggedRead> reads() const {
      const std::lock_guard lock(mutex_);
      return reads_;
    }

   private:
    mutable std::mutex mutex_;
    std::vector<LoggedRead> reads_;
  };

  mutable Observer observer_;
};

}  // namespace dgfs::test
