// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content dictionaries of a build, by file class.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "format/zstd/content_dictionary.h"

namespace dgfs::builder {

/// Immutable once filled, thread-safe.
class DictionarySet {
 public:
  /// Adds the dictionary of the class with this label. Errors: those of make_content_dictionary().
  [[nodiscard]] Status add(const std::string& label, Buffer zstd_dictionary);

  /// The dictionary for the class of a file; null if there is none.
  /// @param name     the last component of the file's path
  /// @param content  content of the file, or its beginning
  [[nodiscard]] const format::ContentDictionary* choose(std::string_view name, Bytes content) const;
  [[nodiscard]] const format::ContentDictionaries& all() const { return dictionaries_; }

 private:
  [[nodiscard]] const format::ContentDictionary* find(std::string_view label) const;

  format::ContentDictionaries dictionaries_;
  std::map<std::string, std::uint8_t, std::less<>> by_label_;
};

}  // namespace dgfs::builder
