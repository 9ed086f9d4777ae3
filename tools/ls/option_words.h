// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Helpers for options of dgfs ls that are flags or take one word of a list.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/cli/option_parser.h"

namespace dgfs::tools {

template <class Value>
using Words = std::vector<std::pair<std::string, Value>>;

/// Adds a flag that calls `set`.
template <class Set>
void on(OptionParser& options, const std::string& names, const std::string& help, Set set) {
  options.on_flag(names, help, [set](const std::string&) -> Status {
    set();
    return ok();
  });
}

/// Adds an option whose value is one of `words`, which must be static.
template <class Value, class Set>
void word(OptionParser& options, const std::string& name, const std::string& help,
          const Words<Value>& words, Set set) {
  std::vector<std::string> known;
  for (const auto& [text, value] : words) known.push_back(text);
  options.on_value(name, "WORD", help, [&words, set](const std::string& text) -> Status {
    std::string all;
    for (const auto& [known_text, value] : words) {
      if (known_text == text) {
        set(value);
        return ok();
      }
      all += (all.empty() ? "" : ", ") + known_text;
    }
    return Error(ErrorKind::kInvalidArgument, 6062, "'" + text + "' is not one of " + all);
  });
  options.choices(name, std::move(known));
}

}  // namespace dgfs::tools
