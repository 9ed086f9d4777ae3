// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The control socket of a delta, DIR/control. Through it the owner of the delta and root, and no
// other user, send questions to the process that has the delta open. A question is one line, an
// answer is one JSON object.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::delta {

inline constexpr const char* kControlName = "control";
/// ask_holder() gives up after this long without a byte of the answer; for kAskCheckpoint, kAskSeal
/// and kAskDrop it has no limit.
inline constexpr std::chrono::seconds kControlPatience{10};

/// Every holder of a delta answers the following questions.
/// {"state": "open" or "closing", "pid": N, "mount": PATH}; "closing" once it is unmounted, or once
/// it serves no more requests.
inline constexpr std::string_view kAskState = "state";
/// Statistics of the mount (statistics_json()) and of its delta.
inline constexpr std::string_view kAskInfo = "info";
/// {"done": true}: all earlier changes of the store that is written to are in a durable tree, and
/// its log is empty. A layer that is being closed may still have its own.
inline constexpr std::string_view kAskCheckpoint = "checkpoint";
/// "seal" or "seal NAME": {"sealed": whether a layer was made, "id", "title", "name"} of the newest
/// state, and of a new one "changes", "bytes", "switch_us" (writers were held up for no longer),
/// and "unclosed" (why its log stays until the next opening). The layer is durable then.
inline constexpr std::string_view kAskSeal = "seal";
/// "drop ID...", with whole ids of states: takes their names and pins away, of all or of none.
/// {"dropped": how many}.
inline constexpr std::string_view kAskDrop = "drop";
/// "merge", with further words in any order: "to=STATE", "repack=all" or "repack=PERCENT",
/// "dry_run". Begins a merge, for which a dry run is given up: {"number": of it}.
inline constexpr std::string_view kAskMerge = "merge";
/// {"number": of the last merge or dry run that was begun, 0: none; "running", "dry_run",
/// "percent", "done_bytes", "total_bytes", "waited_ms"}; once it has ended either "error" or
/// "result":
/// {"changes", "took_ms", "bytes_before", "bytes_after", "base", "needs": [names of files],
/// "packed_files", "packed_bytes", "kept_bytes", "dead_bytes", "peak_bytes", "unsealed_bytes": of
/// changes that a dry run has not looked at, "largest": [{"path", "bytes"}] of a dry run,
/// "unremoved": why files that nothing needs are still there}.
inline constexpr std::string_view kAskMergeState = "merge-state";
/// {"cancelled": whether a merge was under way}.
inline constexpr std::string_view kAskCancelMerge = "merge-cancel";
/// "join": begins to join all layers that may be joined: {"number": of it}.
inline constexpr std::string_view kAskJoin = "join";
/// {"number": of the last join that was begun, 0: none; "running", "percent", "done_bytes",
/// "total_bytes", "waited_ms", "moved_bytes": of joined layers so far}; once it has ended either
/// "error" or "result": join_json().
inline constexpr std::string_view kAskJoinState = "join-state";
/// {"cancelled": whether a join was under way}.
inline constexpr std::string_view kAskCancelJoin = "join-cancel";
/// An answer with this prefix says why the holder did not do what was asked.
inline constexpr std::string_view kRefusal = "refused: ";

/// Whether an answer, to any question, says that the holder is closing the delta.
[[nodiscard]] bool is_closing(std::string_view answer);

/// Asks the process that has the delta open, and waits for its answer; see kControlPatience.
/// @param directory   of the delta
/// @param is_stopped  asked several times a second, and after each signal, if the answer may take
///                    long; null: nothing stops it
/// Errors: kNotFound (no process answers), kPermission, kInterrupted (stopped: the other process
/// may still do what was asked); kIo, with the message of the other process, if it could not do
/// what was asked.
[[nodiscard]] Result<std::string> ask_holder(const std::string& directory,
                                             std::string_view question,
                                             const std::function<bool()>& is_stopped = nullptr);

}  // namespace dgfs::delta
