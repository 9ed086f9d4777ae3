// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Shared by the commands that restore trees: the options that choose what is restored, and the
// messages about what is not.
#pragma once

#include <string>

#include "base/error.h"
#include "reader/extract/extract.h"
#include "tools/cli/option_parser.h"

namespace dgfs::tools {

/// --same-owner, --no-same-owner, --no-devices, --no-xattrs, --no-acls. `choice` must outlive
/// parse().
void add_restore_options(OptionParser& options, reader::RestoreChoice& choice);

/// "--no-xattrs leaves extended attributes out"; empty if no option does.
[[nodiscard]] std::string option_without(reader::AttributeKind kind);
/// Why an entry was written without an attribute, and the option that leaves such attributes out.
[[nodiscard]] std::string lost_attribute_text(const reader::LostAttribute& attribute,
                                              const Error& error);
/// The message for an object that was written a second time instead of being linked.
[[nodiscard]] std::string further_copy_text(const Error& why);

}  // namespace dgfs::tools
