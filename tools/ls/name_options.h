// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Options of dgfs ls for the looks of names: quoting, indicators, colours, links.
#pragma once

#include <string>

#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/ls/options.h"

namespace dgfs::tools {

/// Adds them; `ls` must outlive the parse.
void add_ls_name_options(OptionParser& options, const Session& session, LsOptions& ls);
/// Works out what was not said, from terminal and environment.
void complete_ls_name_options(const Session& session, LsOptions& ls);
/// What stands before paths in links. @param image_path  as the user wrote it
[[nodiscard]] std::string link_base(const std::string& image_path);

}  // namespace dgfs::tools
