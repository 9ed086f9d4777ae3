// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Counts operations and bytes, by file, of another Env: the exact measure of what an operation
// costs, for tests of the one-read promise and for bench/.
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
  /// Counts since construction or the last reset() of the file opened as `path`; zeros if never
  /// opened. Unnamed files count under the name they were published by, before that under
  /// "(unnamed)".
  [[nodiscard]] virtual IoCounts counts(const std::string& path) const = 0;
  [[nodiscard]] virtual std::map<std::string, IoCounts> all() const = 0;
  virtual void reset() = 0;
};

/// @param base  the Env that does the work; must outlive the result
[[nodiscard]] std::unique_ptr<CountingEnv> make_counting_env(Env& base);

}  // namespace dgfs::storage
