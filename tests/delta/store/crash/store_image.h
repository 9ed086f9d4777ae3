// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The contents of all files of a store in "/s", as a start for many runs.
#pragma once

#include <map>
#include <string>

#include "storage/memory/env.h"

namespace dgfs::test {

/// A value. Empty: no store.
class StoreImage {
 public:
  StoreImage() = default;
  /// Takes the contents that reads see now.
  explicit StoreImage(storage::Env& env);

  /// Makes a disk that has these files and nothing else, all of it durable.
  [[nodiscard]] std::unique_ptr<storage::MemoryEnv> make_disk() const;

  [[nodiscard]] const std::map<std::string, Buffer>& files() const& { return files_; }
  void files() && = delete;  // the reference would dangle

 private:
  std::map<std::string, Buffer> files_;  ///< by name
};

}  // namespace dgfs::test
