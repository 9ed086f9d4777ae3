// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The control socket of a delta: by DIR/control the process that has a delta open is asked for
// something, by its owner and root alone. A question is one line, an answer one JSON object.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::delta {

inline constexpr const char* kControlName = "control";
/// An answer is given up after so long without a byte.
inline constexpr std::chrono::seconds kControlPatience{10};

/// Questions that every holder of a delta answers.
/// {"state": "open" or "closing", "pid": N, "mount": PATH}.
inline constexpr std::string_view kAskState = "state";
/// What the mount tells of itself (statistics_json()), and of its delta.
inline constexpr std::string_view kAskInfo = "info";
/// {"done": true}: what was changed before is in a durable tree, and the log is empty.
inline constexpr std::string_view kAskCheckpoint = "checkpoint";
/// An answer that begins with it says why there is no other.
inline constexpr std::string_view kRefusal = "refused: ";

/// Whether an answer, to whatever question, says that the delta is being closed.
[[nodiscard]] bool is_closing(std::string_view answer);

/// Asks the process that has a delta open. Waits for the answer as long as that works on it.
/// @param directory  of the delta
/// Errors: kNotFound (nobody has it open who could be asked), kPermission; kIo, with the words of
/// the other process where it could not do what was asked.
[[nodiscard]] Result<std::string> ask_holder(const std::string& directory,
                                             std::string_view question);

}  // namespace dgfs::delta
