// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Content dictionaries: what the contents of one class of files have in common, and what the frames
// of compressed small files therefore need not say. docs/FORMAT.md, "Dictionaries", is the rule.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/zstd/dictionary.h"

namespace dgfs::format {

/// Bounds what a reader holds of them: 16 MiB, and twice that when digested (F-232).
inline constexpr std::uint8_t kContentDictionariesMax = 64;
inline constexpr std::size_t kContentDictionaryBytesMax = std::size_t{1} << 18;
inline constexpr std::size_t kDictionaryLabelBytesMax = 255;

/// One of them. Immutable once made, thread-safe.
struct ContentDictionary {
  std::uint8_t id = 0;  ///< 1 to kContentDictionariesMax; zstd frames name it by this
  std::string label;    ///< of the class of files, for people: ".c", "text"
  std::unique_ptr<const ZstdDictionary> zstd;
};

/// A body of section kDictionaries.
void encode_content_dictionary(const ContentDictionary& dictionary, Buffer& out);
/// Errors: kCorrupt (F-231, F-232).
[[nodiscard]] Result<ContentDictionary> decode_content_dictionary(Bytes body);

/// Makes the dictionary of `bytes`, a zstd dictionary, which is given `id` as its own.
/// Errors: as decode_content_dictionary().
[[nodiscard]] Result<ContentDictionary> make_content_dictionary(std::uint8_t id, std::string label,
                                                                Buffer bytes);

/// Those of one image, by id. Immutable once filled, thread-safe.
class ContentDictionaries {
 public:
  /// kCorrupt where the id is taken (F-232).
  [[nodiscard]] Status add(ContentDictionary dictionary);
  /// Null where there is none with that id.
  [[nodiscard]] const ContentDictionary* find(std::uint32_t id) const;
  /// By id.
  [[nodiscard]] const std::map<std::uint8_t, ContentDictionary>& all() const {
    return dictionaries_;
  }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  std::map<std::uint8_t, ContentDictionary> dictionaries_;
};

}  // namespace dgfs::format
