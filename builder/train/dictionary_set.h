// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The content dictionaries of a build. A large class of files is cut into runs that follow each
// other in the tree, each with its own dictionary, because neighbours resemble each other most.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/zstd/content_dictionary.h"

namespace dgfs::builder {

/// A file, as the choice of its dictionary needs it. A value; the name belongs to the caller.
struct NamedPosition {
  std::string_view name;       ///< the last component of the path
  std::uint64_t position = 0;  ///< among all scanned entries
};

/// The dictionary for a file. A value; the dictionary belongs to the set.
struct ChosenDictionary {
  const format::ContentDictionary* dictionary = nullptr;  ///< null: none
  /// The dictionary is that of a class by name. Such a class is compressible; a class by content
  /// holds anything.
  bool is_by_name = false;
};

/// Immutable once filled, then thread-safe.
class DictionarySet {
 public:
  /// Adds the dictionary of the next run of the class with this label. The run lasts until the next
  /// one begins. Errors: those of make_content_dictionary().
  /// @param begin  position of its first file; rises from run to run
  [[nodiscard]] Status add(const std::string& label, std::uint64_t begin, Buffer zstd_dictionary);

  /// The same of a dictionary of another image, which keeps its id. Either all dictionaries are
  /// adopted, or none. Errors: those of ContentDictionaries::add().
  [[nodiscard]] Status adopt(const format::ContentDictionary& dictionary, std::uint64_t begin);

  /// The dictionary for a file. Frees the compression tables of runs that lie behind the file,
  /// since files come in about the order of the tree. A file that comes late makes them again; then
  /// they stay to the end of the build.
  /// @param content  content of the file, or its beginning
  [[nodiscard]] ChosenDictionary choose(const NamedPosition& file, Bytes content) const;
  [[nodiscard]] const format::ContentDictionaries& all() const { return dictionaries_; }

 private:
  struct Run {
    std::uint64_t begin = 0;
    std::uint8_t id = 0;
  };
  struct Class {
    std::vector<Run> runs;
    mutable std::atomic<std::size_t> forgotten = 0;  ///< first runs without compression tables
  };

  [[nodiscard]] const format::ContentDictionary* find(std::string_view label,
                                                      std::uint64_t position) const;

  format::ContentDictionaries dictionaries_;
  std::map<std::string, std::unique_ptr<Class>, std::less<>> classes_;
};

}  // namespace dgfs::builder
