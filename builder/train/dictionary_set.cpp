// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/dictionary_set.h"

#include <utility>

#include "builder/train/file_class.h"

namespace dgfs::builder {

Status DictionarySet::add(const std::string& label, Buffer zstd_dictionary) {
  const auto id = static_cast<std::uint8_t>(dictionaries_.all().size() + 1);
  DGFS_TRY(made, format::make_content_dictionary(id, label, std::move(zstd_dictionary)));
  by_label_.emplace(label, id);
  return dictionaries_.add(std::move(made));
}

const format::ContentDictionary* DictionarySet::choose(std::string_view name, Bytes content) const {
  if (by_label_.empty()) return nullptr;
  if (const auto* named = find(class_of_name(name))) return named;
  return find(class_of_content(content));
}

const format::ContentDictionary* DictionarySet::find(std::string_view label) const {
  const auto found = by_label_.find(label);
  return found == by_label_.end() ? nullptr : dictionaries_.find(found->second);
}

}  // namespace dgfs::builder
