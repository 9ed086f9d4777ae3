// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Classes of files: those whose contents are likely to be alike, told by name and, where the name
// says nothing, by content.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace dgfs::builder {

/// What the name says: its extension in lower case (".c"), or the whole of a name without one
/// ("Makefile"). Empty where it is too odd to be shared by many files: longer than kClassBytesMax,
/// without a letter (numbers, hashes of digits), or one
/// that begins like a class of contents.
[[nodiscard]] std::string class_of_name(std::string_view name);
inline constexpr std::size_t kClassBytesMax = 16;

/// What the content says: "(text)" or "(binary)", as no name is.
/// @param content  the beginning of a file, or all of it
[[nodiscard]] std::string_view class_of_content(Bytes content);

}  // namespace dgfs::builder
