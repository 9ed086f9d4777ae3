// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The options of dgfs ls that set how names look: quoting, indicators, colours, hyperlinks.
#pragma once

#include <string>

#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/ls/options.h"

namespace dgfs::tools {

/// Adds the options; `ls` must outlive the parse.
void add_ls_name_options(OptionParser& options, const Session& session, LsOptions& ls);
/// Fills in what the options leave open, from terminal and environment.
void complete_ls_name_options(const Session& session, LsOptions& ls);
/// The text before paths in hyperlinks. @param image_path  as the user wrote it
[[nodiscard]] std::string link_base(const std::string& image_path);

}  // namespace dgfs::tools
