// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The source of the completion scripts of all shells: the descriptions of the commands. Paths
// inside an image come from the program while the user types: 'dgfs help --paths IMAGE BEGINNING'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/help/command_description.h"

namespace dgfs::tools {

/// A command as the completion scripts see it.
struct CompletedCommand {
  std::string name;     ///< "ls"
  std::string summary;  ///< "list directories"
  CommandDescription description;
};

/// What kind of word an operand or the value of an option can be.
enum class Place : std::uint8_t { kAnything, kFile, kDirectory, kImagePath, kUser, kGroup };

/// The place for a name in a usage line: "FILE", "DIR", "PATH", "USER".
[[nodiscard]] Place place_of(std::string_view name);

struct OperandPlaces {
  std::vector<std::string> names;  ///< without brackets: "IMAGE", "PATH"
  bool last_repeats = false;
};
/// The words of an operand like "list|move". Empty for any other operand.
[[nodiscard]] std::vector<std::string> choices_of(std::string_view operand);
/// @param operands  "IMAGE [PATH]..."; operands after a repeated one are left out
[[nodiscard]] OperandPlaces operand_places(std::string_view operands);

}  // namespace dgfs::tools
