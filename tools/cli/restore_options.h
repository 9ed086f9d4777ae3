// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What the commands that restore trees have in common: the options that say what is restored, and
// how they tell of what is not.
#pragma once

#include <string>

#include "base/error.h"
#include "reader/extract/extract.h"
#include "tools/cli/option_parser.h"

namespace dgfs::tools {

/// --same-owner, --no-same-owner, --no-devices, --no-xattrs, --no-acls. `choice` must outlive
/// parse().
void add_restore_options(OptionParser& options, reader::RestoreChoice& choice);

/// "--no-xattrs leaves extended attributes out"; nothing where no option does.
[[nodiscard]] std::string option_without(reader::AttributeKind kind);
/// Why an entry was written without an attribute, and the option that leaves such ones out.
[[nodiscard]] std::string lost_attribute_text(const reader::LostAttribute& attribute,
                                              const Error& error);
/// Of an object that was made once more instead of linked.
[[nodiscard]] std::string further_copy_text(const Error& why);

}  // namespace dgfs::tools
