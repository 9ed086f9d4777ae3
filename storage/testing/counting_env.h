// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Counts the operations and bytes of another Env by file. They measure the cost of an operation
// exactly, for tests of the one-read promise and for bench/.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "storage/env.h"

namespace dgfs::storage {

struct IoCounts {
  std::uint64_t opens = 0;
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t syncs = 0;
  friend bool operator==(const IoCounts&, const IoCounts&) = default;
};

class CountingEnv : public Env {
 public:
  /// Counts of the file opened as `path` since construction or the last reset(); zeros if it was
  /// never opened. An unnamed file counts under "(unnamed)" until it is published, then under its
  /// name.
  [[nodiscard]] virtual IoCounts counts(const std::string& path) const = 0;
  [[nodiscard]] virtual std::map<std::string, IoCounts> all() const = 0;
  virtual void reset() = 0;
};

/// @param base  the Env that does the work; must outlive the result
[[nodiscard]] std::unique_ptr<CountingEnv> make_counting_env(Env& base);

}  // namespace dgfs::storage
