// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content dictionaries of a build, by class of files.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "format/zstd/content_dictionary.h"

namespace dgfs::builder {

/// Immutable once filled, thread-safe.
class DictionarySet {
 public:
  /// The dictionary of a class: its label. Errors: as make_content_dictionary().
  [[nodiscard]] Status add(const std::string& label, Buffer zstd_dictionary);

  /// The one of the file's class; null where its class has none.
  /// @param name     the last component of the file's path
  /// @param content  all of it, or its beginning
  [[nodiscard]] const format::ContentDictionary* choose(std::string_view name, Bytes content) const;
  [[nodiscard]] const format::ContentDictionaries& all() const { return dictionaries_; }

 private:
  [[nodiscard]] const format::ContentDictionary* find(std::string_view label) const;

  format::ContentDictionaries dictionaries_;
  std::map<std::string, std::uint8_t, std::less<>> by_label_;
};

}  // namespace dgfs::builder
