// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Damaged images in the hands of every command, in this process: thousands of them can be tried so.
#pragma once

#include <string>

#include "tests/corrupt/prober.h"

namespace dgfs::test {

/// Runs each command on `files`. Failures of the running test, told with `what`: an exit code that
/// is none of the command's, a failure without a word, much time, and with Promise::kTruth a
/// file's contents or a difference from `sound` that are not so.
void run_commands(const ImageFiles& files, const ImageFiles& sound, Promise promise,
                  const std::string& what);

}  // namespace dgfs::test
