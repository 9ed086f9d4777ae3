// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A delta in memory with layers, and files that stand for bases: the directory of a delta never
// reads what is in them. The start for tests of bases.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/states.h"
#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/sealed_delta.h"

namespace dgfs::test {

/// Both steps of a change of the base.
inline Status commit_base(delta::DeltaDirectory& delta, const delta::BasePlan& plan) {
  DGFS_TRY(prepared, delta.prepare_base(plan));
  return delta.commit_base(std::move(prepared));
}

class BasedDelta : public testing::Test {
 protected:
  using Names = std::vector<std::string>;
  static constexpr std::uint64_t kBorn = 1000;

  BasedDelta() {
    format::Uuid image{};
    image.fill(0x42);
    EXPECT_TRUE(delta::DeltaDirectory::create(*disk_, "/d", image, kBorn, options()));
  }
  static delta::StoreOptions options(delta::StoreAccess access = delta::StoreAccess::kReadWrite) {
    Random random(3);
    auto tiny = tiny_options(random);
    tiny.create = false;
    tiny.access = access;
    return tiny;
  }
  std::unique_ptr<delta::DeltaDirectory> open(
      delta::StoreAccess access = delta::StoreAccess::kReadWrite) {
    auto opened = delta::DeltaDirectory::open(*disk_, "/d", options(access));
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? std::move(opened).value() : nullptr;
  }
  Result<std::unique_ptr<delta::DeltaDirectory>> open_state(const std::string& text) {
    const auto find = [&](const delta::Manifest& manifest) {
      return delta::find_state(manifest, text, "/d");
    };
    return delta::DeltaDirectory::open_state(*disk_, "/d", find, options());
  }
  /// Changes the key "key", and seals.
  void seal(const std::string& value, const std::string& name, std::uint64_t end = kBorn) {
    put(value);
    const auto sealed = seal_delta(*disk_, "/d", end, options(), name);
    ASSERT_TRUE(sealed) << sealed.error().message();
  }
  void put(const std::string& value) {
    const auto opened = open();
    delta::Batch batch;
    batch.put("key", value);
    ASSERT_TRUE(opened->newest().apply(batch));
    ASSERT_TRUE(opened->newest().sync());
  }
  static std::string value_in(delta::Store& store) {
    const auto value = store.get("key").value();
    return value ? std::string(as_text(as_bytes(*value))) : "none";
  }
  void make_file(const std::string& name) {
    const auto file = disk_->open("/d/" + name, {storage::OpenOptions::Mode::kCreateNew});
    ASSERT_TRUE(file) << name;
    ASSERT_TRUE(file.value()->write_at(0, as_bytes(name)));
  }
  /// A plan whose files are there.
  delta::BasePlan plan(const delta::Manifest& manifest, std::size_t layers,
                       std::vector<std::uint64_t> kept = {}) {
    delta::BasePlan made;
    made.base.number = delta::next_base_number(manifest);
    made.base.uuid.fill(static_cast<std::uint8_t>(made.base.number));
    made.base.end_of_numbers = 5000;
    made.base.kept = std::move(kept);
    made.layers = layers;
    make_file(delta::base_file_name(made.base.number));
    make_file(delta::base_file_name(made.base.number) + ".idx");
    return made;
  }
  /// A whole merge. Returns the number of the base.
  std::uint64_t merge(std::size_t layers, std::vector<std::uint64_t> kept = {}) {
    const auto opened = open();
    const auto made = plan(opened->manifest(), layers, std::move(kept));
    const auto committed = commit_base(*opened, made);
    EXPECT_TRUE(committed) << committed.error().message();
    EXPECT_TRUE(opened->remove_unneeded());
    return made.base.number;
  }
  [[nodiscard]] Names names() {
    auto listed = disk_->open_directory("/d").value()->list().value();
    std::sort(listed.begin(), listed.end());
    return listed;
  }
  [[nodiscard]] bool has(const std::string& name) {
    return disk_->status("/d/" + name).has_value();
  }
  [[nodiscard]] delta::Manifest manifest() {
    return delta::read_present_manifest(*disk_, "/d").value();
  }
  /// For what no program writes.
  void rewrite(const delta::Manifest& manifest) {
    const auto file = disk_->open("/d/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto next = manifest;
    ++next.generation;
    ASSERT_TRUE(delta::write_both_slots(*file, next));
  }

  std::unique_ptr<storage::MemoryEnv> disk_ = storage::make_memory_env(1);
};

}  // namespace dgfs::test
