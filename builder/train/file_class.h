// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Classes of files with probably similar contents. A file's class comes from its name or, if there
// is no dictionary for that class, from its content.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace dgfs::builder {

/// Class by name: the extension in lower case (".c"), or the whole name if it has none
/// ("Makefile"). Empty for a text that many files can hardly share: it is longer than
/// kClassBytesMax, has no letter (numbers, hashes of digits), or begins like a class by content.
[[nodiscard]] std::string class_of_name(std::string_view name);
inline constexpr std::size_t kClassBytesMax = 16;

/// Class by content: "(text)" or "(binary)", which no class by name equals.
/// @param content  content of the file, or its beginning
[[nodiscard]] std::string_view class_of_content(Bytes content);

}  // namespace dgfs::builder
