// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/base_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "storage/file_mode.h"
#include "storage/name_lock.h"
#include "storage/names.h"

namespace dgfs::delta {
namespace {

constexpr std::string_view kPrefix = "base.";
constexpr std::string_view kSuffix = ".dgfs";
constexpr std::string_view kIndexSuffix = ".idx";
constexpr std::array<std::string_view, 3> kHiddenSuffixes = {"new", "old", "tmp"};

// A file of a base. A value.
struct BaseFile {
  std::uint64_t number = 0;
  bool is_index = false;
};

std::optional<BaseFile> parsed(std::string_view name) {
  BaseFile file;
  if (name.ends_with(kIndexSuffix)) {
    file.is_index = true;
    name.remove_suffix(kIndexSuffix.size());
  }
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  if (name.size() < kPrefix.size() + kSuffix.size()) return std::nullopt;
  const auto digits = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  const auto* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, file.number);
  // Only as base_file_name() writes it.
  if (error != std::errc() || stop != end || base_file_name(file.number) != name) {
    return std::nullopt;
  }
  return file;
}

// Whether a merge that was cut off leaves a file with such a hidden name. Others are the user's.
bool is_hidden_rest_of_base(std::string_view name) {
  const auto suffix_dot = name.rfind('.');
  if (!name.starts_with('.') || suffix_dot == 0) return false;
  const auto locked = name.substr(1, suffix_dot - 1);
  if (parsed(locked) && storage::lock_name(locked) == name) return true;
  const auto digits_dot = name.rfind('.', suffix_dot - 1);
  if (digits_dot == 0) return false;
  const auto file = name.substr(1, digits_dot - 1);
  return parsed(file) && std::ranges::any_of(kHiddenSuffixes, [&](std::string_view suffix) {
           return storage::is_hidden_name_of(name, file, suffix);
         });
}

bool is_needed(const BaseFile& file, const std::optional<BaseFacts>& base) {
  if (!base) return false;
  if (file.number == base->number) return true;
  return !file.is_index && std::ranges::binary_search(base->kept, file.number);
}

// Merges make regular files only; whatever else has such a name is the user's.
Result<bool> is_regular(const storage::Directory& directory, const std::string& name) {
  const auto status = directory.status(name);
  if (!status && status.error().kind() == ErrorKind::kNotFound) return false;
  if (!status) return status.error();
  return storage::is_type(status.value().mode, storage::kTypeRegular);
}

// False: somebody holds it.
Result<bool> remove_unless_held(storage::Env& env, const std::string& path) {
  {
    const auto file = env.open(path);
    if (!file && file.error().kind() == ErrorKind::kNotFound) return true;
    if (!file) return file.error();
    const auto locked = file.value()->lock();
    if (!locked && locked.error().kind() == ErrorKind::kBusy) return false;
    if (!locked && locked.error().kind() != ErrorKind::kUnsupported) return locked.error();
    DGFS_CHECK(env.remove(path));
  }
  return true;
}

}  // namespace

Result<HeldBase> HeldBase::hold(storage::Env& env, const std::string& directory,
                                const Manifest& manifest) {
  HeldBase held;
  if (!manifest.base) return held;
  const auto hold_one = [&](const std::string& name, bool is_needed) -> Status {
    auto file = env.open(directory + "/" + name);
    if (!file && file.error().kind() == ErrorKind::kNotFound && !is_needed) return ok();
    if (!file && file.error().kind() == ErrorKind::kNotFound) {
      return Error(ErrorKind::kCorrupt, 7615, name + " is missing; restore it from a backup")
          .in_file(directory);
    }
    if (!file) return std::move(file).error();
    const auto locked = file.value()->lock_shared();
    if (!locked && locked.error().kind() != ErrorKind::kUnsupported) return locked.error();
    held.files_.push_back(std::move(file).value());
    return ok();
  };
  const auto name = base_file_name(manifest.base->number);
  DGFS_CHECK(hold_one(name, true));
  DGFS_CHECK(hold_one(name + std::string(kIndexSuffix), false));  // the base has a copy of it
  for (const std::uint64_t number : manifest.base->kept) {
    DGFS_CHECK(hold_one(base_file_name(number), false));
  }
  return held;
}

bool is_base_file(std::string_view name) { return parsed(name).has_value(); }

Result<Removal> remove_unneeded_bases(storage::Env& env, const std::string& directory,
                                      const Manifest& manifest) {
  DGFS_TRY(opened, env.open_directory(directory));
  DGFS_TRY(names, opened->list());
  Removal removal;
  // No merge of this delta has made a file with a higher number yet.
  const auto end = next_base_number(manifest);
  for (const std::string& name : names) {
    const auto file = parsed(name);
    if (!file && !is_hidden_rest_of_base(name)) continue;
    if (file && (is_needed(*file, manifest.base) || file->number > end)) continue;
    DGFS_TRY(is_file, is_regular(*opened, name));
    if (!is_file) continue;
    DGFS_TRY(is_gone, remove_unless_held(env, directory + "/" + name));
    ++(is_gone ? removal.removed : removal.held);
  }
  if (removal.removed != 0) {
    DGFS_CHECK(env.sync_directory(directory));
  }
  return removal;
}

}  // namespace dgfs::delta
