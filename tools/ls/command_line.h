// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The command line of dgfs ls, from which come its options.
#pragma once

#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/ls/options.h"

namespace dgfs::tools {

/// Adds the options; `ls` must outlive the parse.
void add_ls_options(OptionParser& options, const Session& session, LsOptions& ls);
/// Works out what was not said, from terminal and environment.
void complete_ls_options(const Session& session, LsOptions& ls);

}  // namespace dgfs::tools
