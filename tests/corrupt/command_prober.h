// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Runs every command on damaged images, in this process, so that thousands of images can be tried.
#pragma once

#include <string>

#include "tests/corrupt/prober.h"

namespace dgfs::test {

/// Runs each command on `files`. Makes the running test fail, with `what` in the message, for an
/// exit code that the command does not have, a failure without a message or too much processor
/// time. With Promise::kTruth also for wrong contents of a file, or a wrong difference from
/// `sound`.
void run_commands(const ImageFiles& files, const ImageFiles& sound, Promise promise,
                  const std::string& what);

}  // namespace dgfs::test
