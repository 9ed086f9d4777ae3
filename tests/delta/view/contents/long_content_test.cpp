// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Ten million small writes to files, compared with a copy in memory. The store is as large as
// usual, so that patches lie on all levels of its tree. One program, so that it can report the
// number of writes.
#include <cstdio>
#include <string>
#include <vector>

#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

constexpr std::uint64_t kWrites = 10'000'000;
constexpr std::uint64_t kFileBytes = std::uint64_t{4} << 20;
constexpr int kFiles = 4;

class Shadowed {
 public:
  Shadowed() {
    for (int i = 0; i < kFiles; ++i) {
      shadows_.push_back(std::string(i % 2 == 0 ? kFileBytes : 0, static_cast<char>('a' + i)));
      if (i % 2 == 0) viewed_.tree().file(name_of(i), shadows_.back());
    }
    viewed_.set_chunk_bytes(std::uint64_t{64} << 10);
    viewed_.options() = {};
    viewed_.options().create = true;
    viewed_.options().table_bytes = std::size_t{1} << 20;
    viewed_.options().dirty_bytes = std::size_t{1} << 20;
    viewed_.open();
    for (int i = 0; i < kFiles; ++i) {
      if (i % 2 != 0) value_of(viewed_.view().create(kRoot, name_of(i), {}, {}));
    }
    find();
  }

  void write(Random& random) {
    const auto at = random.below(files_.size());
    auto& shadow = shadows_[at];
    const auto offset = static_cast<std::size_t>(random.below(kFileBytes));
    const std::string bytes(1 + random.below(64), static_cast<char>(random.below(256)));
    if (shadow.size() < offset + bytes.size()) shadow.resize(offset + bytes.size(), '\0');
    shadow.replace(offset, bytes.size(), bytes);
    ASSERT_EQ(value_of(viewed_.view().write(files_[at], offset, as_bytes(bytes))), bytes.size());
  }
  void resize(Random& random) {
    const auto at = random.below(files_.size());
    view::AttributeChange change;
    change.size_bytes = random.below(kFileBytes);
    shadows_[at].resize(static_cast<std::size_t>(*change.size_bytes), '\0');
    value_of(viewed_.view().set_attributes(files_[at], change));
  }
  void reopen() {
    viewed_.reopen();
    find();
  }
  void seal() {
    viewed_.seal();
    find();
  }
  void expect_equal() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      Buffer bytes(shadows_[i].size() + 1);
      ASSERT_EQ(value_of(viewed_.view().read(files_[i], 0, bytes)), shadows_[i].size());
      bytes.pop_back();
      ASSERT_TRUE(as_text(bytes) == shadows_[i]) << "file " << i;
    }
  }

 private:
  static std::string name_of(int i) { return "file" + std::to_string(i); }
  void find() {
    files_.clear();
    for (int i = 0; i < kFiles; ++i) {
      files_.push_back(value_of(viewed_.view().lookup(kRoot, name_of(i))).object);
    }
  }

  ViewedTree viewed_;
  std::vector<std::string> shadows_;
  std::vector<ObjectNumber> files_;
};

TEST(LongContents, AreThoseOfAShadow) {
  Random random(1);
  Shadowed files;
  std::uint64_t writes = 0;
  while (writes < kWrites && !testing::Test::HasFailure()) {
    files.write(random);
    ++writes;
    if (writes % 20'000 == 0) files.resize(random);
    if (writes % 500'000 == 0) files.expect_equal();
    if (writes % 1'000'000 == 0) files.reopen();
    if (writes % 4'000'000 == 0) files.seal();
  }
  files.expect_equal();
  std::printf("%llu writes\n", static_cast<unsigned long long>(writes));
}

}  // namespace
}  // namespace dgfs::test
