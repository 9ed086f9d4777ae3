// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/dictionary_set.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "builder/train/file_class.h"

namespace dgfs::builder {
namespace {

// The compression tables of so many runs stay: those of a file's run, and of the run before it,
// whose files other threads may still pack.
constexpr std::size_t kRunsInUse = 2;

}  // namespace

Status DictionarySet::add(const std::string& label, std::uint64_t begin, Buffer zstd_dictionary) {
  const auto id = static_cast<std::uint8_t>(dictionaries_.all().size() + 1);
  DGFS_TRY(made, format::make_content_dictionary(id, label, std::move(zstd_dictionary)));
  auto& added = classes_[label];
  if (added == nullptr) added = std::make_unique<Class>();
  assert(added->runs.empty() || added->runs.back().begin < begin);
  added->runs.push_back({begin, id});
  return dictionaries_.add(std::move(made));
}

Status DictionarySet::adopt(const format::ContentDictionary& dictionary, std::uint64_t begin) {
  const Bytes bytes = dictionary.zstd->bytes();
  DGFS_TRY(made, format::make_content_dictionary(dictionary.id, dictionary.label,
                                                 Buffer(bytes.begin(), bytes.end())));
  auto& adopted = classes_[dictionary.label];
  if (adopted == nullptr) adopted = std::make_unique<Class>();
  adopted->runs.push_back({begin, dictionary.id});
  return dictionaries_.add(std::move(made));
}

ChosenDictionary DictionarySet::choose(const NamedPosition& file, Bytes content) const {
  if (classes_.empty()) return {};
  if (const auto* named = find(class_of_name(file.name), file.position)) return {named, true};
  return {find(class_of_content(content), file.position), false};
}

const format::ContentDictionary* DictionarySet::find(std::string_view label,
                                                     std::uint64_t position) const {
  const auto found = classes_.find(label);
  if (found == classes_.end()) return nullptr;
  const auto& [runs, forgotten] = *found->second;
  // A file before the first run is like the files of that run.
  auto run = std::upper_bound(runs.begin(), runs.end(), position,
                              [](std::uint64_t at, const Run& next) { return at < next.begin; });
  if (run != runs.begin()) --run;
  const auto number = static_cast<std::size_t>(run - runs.begin());
  for (auto old = forgotten.load(); old + kRunsInUse <= number;) {
    // Of the threads that find this, one forgets the run.
    if (!forgotten.compare_exchange_weak(old, old + 1)) continue;
    dictionaries_.find(runs[old].id)->zstd->forget_compression();
    ++old;
  }
  return dictionaries_.find(run->id);
}

}  // namespace dgfs::builder
