// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What completion scripts of all shells are made from: what commands say about themselves. Paths
// inside an image come from the program while the user types: 'dgfs help --paths IMAGE BEGINNING'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/help/command_description.h"

namespace dgfs::tools {

/// A command as completion knows it.
struct CompletedCommand {
  std::string name;     ///< "ls"
  std::string summary;  ///< "list directories"
  CommandDescription description;
};

/// What can stand in a place: of an operand, or of an option's value.
enum class Place : std::uint8_t { kAnything, kFile, kDirectory, kImagePath, kUser, kGroup };

/// The place that a name in a usage line stands for: "FILE", "DIR", "PATH", "USER".
[[nodiscard]] Place place_of(std::string_view name);

struct OperandPlaces {
  std::vector<std::string> names;  ///< without brackets: "IMAGE", "PATH"
  bool last_repeats = false;
};
/// What may stand for an operand "list|move": its words. Empty for any other.
[[nodiscard]] std::vector<std::string> choices_of(std::string_view operand);
/// @param operands  "IMAGE [PATH]..."; what follows a repeated one is left out
[[nodiscard]] OperandPlaces operand_places(std::string_view operands);

}  // namespace dgfs::tools
