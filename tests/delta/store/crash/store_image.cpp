// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/crash/store_image.h"

#include <gtest/gtest.h>

namespace dgfs::test {

StoreImage::StoreImage(storage::Env& env) {
  const auto directory = env.open_directory("/s").value();
  const auto names = directory->list();
  for (const auto& entry : names.value()) {
    const auto file = env.open("/s/" + entry).value();
    Buffer content(static_cast<std::size_t>(file->size().value()));
    EXPECT_TRUE(storage::read_exactly(*file, 0, content));
    files_[entry] = std::move(content);
  }
}

std::unique_ptr<storage::MemoryEnv> StoreImage::make_disk() const {
  auto disk = storage::make_memory_env(1);
  if (files_.empty()) return disk;
  EXPECT_TRUE(disk->make_directory("/s", 0777));
  for (const auto& [name, content] : files_) {
    const auto file = disk->open("/s/" + name, {storage::OpenOptions::Mode::kCreateNew}).value();
    EXPECT_TRUE(file->write_at(0, content));
    EXPECT_TRUE(file->sync());
  }
  EXPECT_TRUE(disk->sync_directory("/s"));
  EXPECT_TRUE(disk->sync_directory("/"));
  return disk;
}

}  // namespace dgfs::test
