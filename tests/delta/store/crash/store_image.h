// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What is in the files of a store in "/s", whichever they are, to begin many runs with.
#pragma once

#include <map>
#include <string>

#include "storage/memory/env.h"

namespace dgfs::test {

/// A value. Empty: no store.
class StoreImage {
 public:
  StoreImage() = default;
  /// What reads see now.
  explicit StoreImage(storage::Env& env);

  /// A disk that has these files and nothing else, all of it durable.
  [[nodiscard]] std::unique_ptr<storage::MemoryEnv> make_disk() const;

  [[nodiscard]] const std::map<std::string, Buffer>& files() const& { return files_; }
  void files() && = delete;  // would dangle

 private:
  std::map<std::string, Buffer> files_;  ///< by name
};

}  // namespace dgfs::test
