// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Fails another Env on purpose. Every call that could fail on a real system is a numbered fault
// point (1, 2, 3, ... over the life of the Env, all files and directories together), so that a
// test can loop "fail the n-th call" from 1 until no fault fires any more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "storage/env.h"

namespace dgfs::storage {

enum class FaultKind : std::uint8_t {
  kIoError,    ///< kIo (EIO); a write may have written a prefix
  kNoSpace,    ///< kNoSpace for calls that allocate; other calls go through
  kShortRead,  ///< a read ends early, as if the file did; other calls go through
  kBitFlip,    ///< one bit (by seed) of what a read returns is inverted; other calls go through
  kTornWrite,  ///< a write stores a prefix (by seed) and fails with kIo
  kStop,       ///< this and every later call fails with kIo: the process died here
  kLostWrite,  ///< a write is said to have gone well, but the bytes stay as they were
  kMisdirectedWrite,  ///< a write goes to another multiple of 512 (by seed) of the file instead
  kLostSync,          ///< a file's sync fails, and what was not synced is lost: see lose_with()
};

struct Fault {
  FaultKind kind = FaultKind::kIoError;
  std::uint64_t at_call = 0;  ///< 1-based fault point; 0 never fires
  bool sticky = false;        ///< fires at every call from at_call on
};

class FaultyEnv : public Env {
 public:
  /// Arms `fault`; counting of calls starts anew.
  virtual void arm(Fault fault) = 0;
  /// Fault points passed since arm().
  [[nodiscard]] virtual std::uint64_t calls() const = 0;
  /// How often the fault fired since arm().
  [[nodiscard]] virtual std::uint64_t fired() const = 0;
  /// Limits fault points to files whose path `matches`; all by default.
  virtual void only_for(std::function<bool(const std::string& path)> matches) = 0;
  /// What drops the unsynced writes of a file, for kLostSync: MemoryEnv::lose_unsynced(), say.
  virtual void lose_with(std::function<void(const std::string& path)> lose) = 0;
};

/// @param base  the Env that does the work; must outlive the result
/// @param seed  decides bits and prefixes
[[nodiscard]] std::unique_ptr<FaultyEnv> make_faulty_env(Env& base, std::uint64_t seed);

}  // namespace dgfs::storage
