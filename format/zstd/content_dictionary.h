// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Content dictionaries: bytes that the contents of one class of files have in common. Frames of
// compressed small files refer to them instead of holding them. The rules are in docs/FORMAT.md,
// "Dictionaries".
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

/// Bounds the memory that a reader needs for dictionaries: 16 MiB, and 27 KiB of tables for each
/// (F-232).
inline constexpr std::uint8_t kContentDictionariesMax = 64;
inline constexpr std::size_t kContentDictionaryBytesMax = std::size_t{1} << 18;
inline constexpr std::size_t kDictionaryLabelBytesMax = 255;

/// One content dictionary. Immutable once made, thread-safe.
struct ContentDictionary {
  std::uint8_t id = 0;  ///< 1 to kContentDictionariesMax; zstd frames name it by this
  std::string label;    ///< names the class of files, for people: ".c", "text"
  std::unique_ptr<const ZstdDictionary> zstd;
};

/// Appends a body of section kDictionaries to `out`.
void encode_content_dictionary(const ContentDictionary& dictionary, Buffer& out);
/// Errors: kCorrupt (F-231, F-232).
[[nodiscard]] Result<ContentDictionary> decode_content_dictionary(Bytes body);

/// Makes a content dictionary of `bytes`, a zstd dictionary, and gives it `id`.
/// Errors: as decode_content_dictionary().
[[nodiscard]] Result<ContentDictionary> make_content_dictionary(std::uint8_t id, std::string label,
                                                                Buffer bytes);

/// The dictionaries of one image, by id. Immutable once filled, thread-safe.
class ContentDictionaries {
 public:
  /// kCorrupt if the id is taken (F-232).
  [[nodiscard]] Status add(ContentDictionary dictionary);
  /// Null if there is none with that id.
  [[nodiscard]] const ContentDictionary* find(std::uint32_t id) const;
  /// Sorted by id.
  [[nodiscard]] const std::map<std::uint8_t, ContentDictionary>& all() const {
    return dictionaries_;
  }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  std::map<std::uint8_t, ContentDictionary> dictionaries_;
};

}  // namespace dgfs::format
