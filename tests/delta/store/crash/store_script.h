// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Short sequences of calls of a store, over so few keys and kinds that a test can try all
// sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "delta/store/store.h"
#include "tests/delta/store/crash/crash_history.h"
#include "tests/delta/store/crash/stopping_env.h"

namespace dgfs::test {

enum class Letter : std::uint8_t {
  kPutA,
  kPutB,
  kPutLarge,  ///< nearly as many bytes as a group may have
  kPatch,     ///< bytes in the middle, and behind the end
  kField,     ///< adds to a number
  kRemove,
  kRemoveSome,  ///< a range with an end
  kRemoveRest,  ///< a range without an end
  kSync,
  kMaintain,
  kCheckpoint,
  kReopen,  ///< drops the store without close(): changes that are in no log are lost
  kClose,   ///< closes the store and opens it again
};
inline constexpr std::size_t kLetters = 13;

using Script = std::vector<Letter>;

[[nodiscard]] std::string to_text(const Script& script);
/// Calls `sink` with each script of `length` letters that begins with `begin`.
void each_script(const Script& begin, std::size_t length,
                 const std::function<void(const Script&)>& sink);

/// Options of stores for scripts: two groups fill a segment, a few kilobytes split nodes.
[[nodiscard]] delta::StoreOptions script_options();

/// Opens a store and makes the calls, then a sync and a checkpoint, so that nothing stays in
/// memory. Ends when something fails. `history` says what the disk may have, before and afterwards.
/// A call in which the machine stops does not count as acknowledged.
void run_script(StoppingEnv& env, const delta::StoreOptions& options, const Script& script,
                CrashHistory& history);

}  // namespace dgfs::test
