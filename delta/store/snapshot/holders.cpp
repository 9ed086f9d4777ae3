// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/snapshot/holders.h"

#include <utility>

namespace dgfs::delta {

SnapshotHolders::Hold SnapshotHolders::add(std::string name, std::uint64_t since_ns) {
  std::list<Holder> added;
  added.push_back({std::move(name), since_ns});
  const auto at = added.begin();
  {
    const std::lock_guard lock(mutex_);
    holders_.splice(holders_.end(), added);
  }
  // If allocating the count of the shared_ptr fails, it calls the deleter, too.
  return {&*at, [this, at](const Holder*) {
            const std::lock_guard lock(mutex_);
            holders_.erase(at);
          }};
}

std::size_t SnapshotHolders::count() const {
  const std::lock_guard lock(mutex_);
  return holders_.size();
}

std::optional<SnapshotHolders::Holder> SnapshotHolders::oldest() const {
  const std::lock_guard lock(mutex_);
  if (holders_.empty()) return std::nullopt;
  return holders_.front();
}

}  // namespace dgfs::delta
