// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Parses the command line of dgfs ls into its options.
#pragma once

#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/ls/options.h"

namespace dgfs::tools {

/// Adds the options; `ls` must outlive the parse.
void add_ls_options(OptionParser& options, const Session& session, LsOptions& ls);
/// Fills in what the options leave open, from terminal and environment.
void complete_ls_options(const Session& session, LsOptions& ls);

}  // namespace dgfs::tools
