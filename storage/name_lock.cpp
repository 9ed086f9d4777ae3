// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/name_lock.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "storage/file_mode.h"
#include "storage/mix.h"
#include "storage/names.h"

namespace dgfs::storage {
namespace {

constexpr std::string_view kSuffix = "lock";
// In each round another process has removed or made the file. More than a few such rounds in a row
// do not happen by chance.
constexpr int kAttemptsMax = 100;
// Memory that was short a moment ago may be free again.
constexpr int kReleasesMax = 2;
// No process id has more digits.
constexpr std::size_t kNumberBytesMax = 20;

bool is_same_file(const FileStatus& a, const FileStatus& b) {
  return a.device == b.device && a.inode == b.inode;
}

// Names the holder of the lock, if the holder has written its process id already.
std::string holder_text(const File& file) {
  std::array<std::uint8_t, kNumberBytesMax> bytes{};
  const auto count = file.read_at(0, bytes);
  std::uint64_t number = 0;
  if (count) {
    const auto text = as_text(Bytes(bytes).first(count.value()));
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  const auto process = number == 0 ? "" : " (process " + std::to_string(number) + ")";
  return "another dgfs command" + process + " is writing this file";
}

// Names the output, not its lock, since the user asked for the output.
Error refusal(const File& file, const std::string& path) {
  return Error(ErrorKind::kBusy, 1170, holder_text(file)).in_file(path);
}

}  // namespace

std::string lock_name(std::string_view name) {
  if (name.size() + kSuffix.size() + 2 <= kNameBytesMax) {
    return "." + std::string(name) + "." + std::string(kSuffix);
  }
  std::array<std::uint8_t, 8> digits{};
  std::uint64_t hash = 0;
  for (const char c : name) hash = mix(hash, static_cast<std::uint8_t>(c));
  for (auto& digit : digits) {
    digit = static_cast<std::uint8_t>(hash);
    hash >>= 8;
  }
  return hidden_name(name, digits, kSuffix);
}

Result<std::unique_ptr<NameLock>> NameLock::take(Env& env, const std::string& path) {
  DGFS_CHECK(check_name(base_name(path), parent_path(path)));
  DGFS_TRY(directory, env.open_directory(parent_path(path)));
  std::unique_ptr<NameLock> lock(new NameLock(std::move(directory), lock_name(base_name(path))));
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    DGFS_TRY(outcome, lock->try_to_take(env, path));
    if (outcome == Outcome::kDone) return lock;
  }
  return Error(ErrorKind::kBusy, 1171, "other dgfs commands are about to write this file")
      .in_file(path);
}

NameLock::~NameLock() {
  for (int attempt = 0; attempt < kReleasesMax; ++attempt) {
    try {
      release();
      return;
    } catch (const std::bad_alloc&) {  // the file stays, unlocked
    }
  }
}

void NameLock::release() {
  if (is_unsettled_) settle();
  if (!status_) return;
  const auto current = is_current();
  if (current && current.value()) remove_file();
}

// Memory ran out while the file was made. The file may exist; it is ours if we can lock it.
void NameLock::settle() {
  status_.reset();
  if (!file_) {
    auto opened = directory_->open_file(name_);
    if (!opened) return;
    file_ = std::move(opened).value();
  }
  if (!file_->lock()) return;
  if (const auto status = file_->status()) status_ = status.value();
}

// The file loses its name before it is closed and so unlocked: no process finds it unlocked.
void NameLock::remove_file() { static_cast<void>(directory_->remove(name_)); }

Result<NameLock::Outcome> NameLock::try_to_take(Env& env, const std::string& path) {
  file_.reset();
  status_.reset();
  is_unsettled_ = true;
  auto outcome = make_or_find(env, path);
  is_unsettled_ = false;
  return outcome;
}

Result<NameLock::Outcome> NameLock::make_or_find(Env& env, const std::string& path) {
  auto created = directory_->create_file(name_, 0666);
  if (created) {
    file_ = std::move(created).value();
    return lock_new(env, path);
  }
  if (created.error().kind() == ErrorKind::kExists) return lock_old(env, path);
  return std::move(created).error();
}

Result<NameLock::Outcome> NameLock::lock_new(Env& env, const std::string& path) {
  auto locked = file_->lock();
  if (!locked && locked.error().kind() == ErrorKind::kBusy) return refusal(*file_, path);
  if (!locked) {
    remove_file();
    if (locked.error().kind() == ErrorKind::kUnsupported) return Outcome::kDone;
    return std::move(locked).error();
  }
  // The lock works without the process id, too.
  const auto number = std::to_string(env.process_id());
  static_cast<void>(file_->write_at(0, as_bytes(number)));
  auto status = file_->status();
  if (!status) {
    remove_file();
    return std::move(status).error();
  }
  status_ = status.value();
  auto current = is_current();
  if (!current) {
    remove_file();
    status_.reset();
    return std::move(current).error();
  }
  if (current.value()) return Outcome::kDone;
  status_.reset();  // another process took it for a leftover and removed it
  return Outcome::kAgain;
}

// A file that exists already is never written: it may be a hard link to any other file. Returns
// null if it has gone meanwhile.
Result<std::unique_ptr<File>> NameLock::open_old(Env& env, const std::string& path) const {
  const auto lock_path = join_path(parent_path(path), name_);
  const auto named = directory_->status(name_);
  if (!named && named.error().kind() == ErrorKind::kNotFound) return nullptr;
  if (!named) return named.error();
  if (!is_type(named.value().mode, kTypeRegular)) {
    return Error(ErrorKind::kExists, 1172, "is there, and is no lock file of dgfs")
        .in_file(lock_path);
  }
  // Some network file systems lock only files that are open for writing.
  auto opened = env.open(lock_path, {OpenOptions::Mode::kReadWrite});
  if (!opened && opened.error().kind() == ErrorKind::kPermission) {
    opened = directory_->open_file(name_);
  }
  if (!opened && opened.error().kind() == ErrorKind::kNotFound) return nullptr;
  return opened;
}

Result<NameLock::Outcome> NameLock::lock_old(Env& env, const std::string& path) {
  DGFS_TRY(opened, open_old(env, path));
  if (opened == nullptr) return Outcome::kAgain;
  file_ = std::move(opened);
  const auto locked = file_->lock();
  if (!locked && locked.error().kind() == ErrorKind::kUnsupported) return Outcome::kDone;
  if (!locked && locked.error().kind() == ErrorKind::kBusy) return refusal(*file_, path);
  if (!locked) return locked.error();
  DGFS_TRY(status, file_->status());
  status_ = status;
  DGFS_TRY(current, is_current());
  // The file was unlocked: its holder was killed. It is made anew, with the right process id in it.
  const auto removed = current ? directory_->remove(name_) : Status(ok());
  // In a directory where users cannot remove each other's files, the file serves as it is.
  if (!removed && removed.error().kind() == ErrorKind::kPermission) return Outcome::kDone;
  status_.reset();
  if (!removed && removed.error().kind() != ErrorKind::kNotFound) return removed.error();
  return Outcome::kAgain;
}

Result<bool> NameLock::is_current() const {
  const auto named = directory_->status(name_);
  if (named) return is_same_file(named.value(), *status_);
  if (named.error().kind() == ErrorKind::kNotFound) return false;
  return named.error();
}

Result<NameLocks> lock_names(Env& env, const std::vector<std::string>& paths) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string, std::string>> places;
  for (const std::string& path : paths) {
    DGFS_TRY(directory, env.status(parent_path(path)));
    places.emplace_back(directory.device, directory.inode, base_name(path), path);
  }
  std::sort(places.begin(), places.end());
  NameLocks locks;
  for (const auto& place : places) {
    DGFS_TRY(lock, NameLock::take(env, std::get<3>(place)));
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace dgfs::storage
