// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes calls of another Env fail on purpose. Each call that could fail on a real system is a fault
// point. Fault points are numbered 1, 2, 3, ... from arm() on, over all files and directories
// together. So a test can loop over "fail the n-th call" from n = 1 until no fault fires any more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "storage/env.h"

namespace dgfs::storage {

enum class FaultKind : std::uint8_t {
  kIoError,           ///< kIo (EIO); a write may have stored a prefix
  kNoSpace,           ///< kNoSpace for calls that allocate; other calls go through
  kShortRead,         ///< a read ends early, as at the end of the file; other calls go through
  kBitFlip,           ///< inverts one bit (by seed) of the bytes read; other calls go through
  kTornWrite,         ///< a write stores a prefix (by seed) and fails with kIo
  kStop,              ///< this and every later call fails with kIo, as if the process died here
  kLostWrite,         ///< a write reports success, but the bytes stay unchanged
  kMisdirectedWrite,  ///< a write goes to another multiple of 512 (by seed) of the file instead
  kLostSync,          ///< a file's sync fails and its unsynced writes are lost: see lose_with()
};

struct Fault {
  FaultKind kind = FaultKind::kIoError;
  std::uint64_t at_call = 0;  ///< 1-based fault point; 0 never fires
  bool sticky = false;        ///< fires at every call from at_call on
};

class FaultyEnv : public Env {
 public:
  /// Arms `fault` and restarts the counts of calls.
  virtual void arm(Fault fault) = 0;
  /// Number of fault points passed since arm().
  [[nodiscard]] virtual std::uint64_t calls() const = 0;
  /// How often the fault fired since arm().
  [[nodiscard]] virtual std::uint64_t fired() const = 0;
  /// Limits fault points to files whose path `matches`; all by default.
  virtual void only_for(std::function<bool(const std::string& path)> matches) = 0;
  /// Sets the function that drops the unsynced writes of a file for kLostSync, for instance
  /// MemoryEnv::lose_unsynced().
  virtual void lose_with(std::function<void(const std::string& path)> lose) = 0;
};

/// @param base  the Env that does the work; must outlive the result
/// @param seed  decides bits and prefixes
[[nodiscard]] std::unique_ptr<FaultyEnv> make_faulty_env(Env& base, std::uint64_t seed);

}  // namespace dgfs::storage
