// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Long jobs that the mount of a delta does when it is asked: merges and joins. The command watches
// them; it may end before they do.
#pragma once

#include <boost/property_tree/ptree.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// An answer of the mount.
using Answer = boost::property_tree::ptree;

/// nullopt: it is no JSON.
[[nodiscard]] std::optional<Answer> parsed_answer(const std::string& text);
/// "1:29" of minutes and seconds.
[[nodiscard]] std::string minutes_text(std::uint64_t milliseconds);

/// A kind of job. A value; its texts are constants.
struct LiveJob {
  std::string_view noun;   ///< "merge"
  std::string_view doing;  ///< "merging"
  std::string_view done;   ///< "merged"
  std::string_view ask_state;
  std::string_view ask_cancel;
};

/// Asks the mount of a delta. A mount that has just begun, or that is ending, does not answer yet,
/// or any more: waits for it. nullopt: no process answers that has the delta open for writing.
[[nodiscard]] std::optional<Result<std::string>> ask_mount(const Session& session,
                                                           const std::string& directory,
                                                           std::string_view question);

/// How a job ended. A value.
struct LiveEnd {
  std::string json;  ///< the member "result" of the answer
  Answer result;
};

/// Waits for a job, with a progress bar unless `quiet`. nullopt: it has failed, another one has
/// begun, the user went away, or the mount has ended; that was told.
/// @param number      of the job
/// @param other_text  told if another job has begun since
[[nodiscard]] std::optional<LiveEnd> watch_job(const Session& session, const std::string& directory,
                                               const LiveJob& job, std::uint64_t number, bool quiet,
                                               std::string_view other_text);
/// Cancels the job that is under way, waits for its end, and tells. Returns the exit code.
[[nodiscard]] int cancel_job(const Session& session, const std::string& directory,
                             const LiveJob& job);

}  // namespace dgfs::tools
