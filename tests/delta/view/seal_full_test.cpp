// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Live seals at the size limit of a delta, and on a full disk: a seal without room is refused
// before it begins, and all stores together keep to the limit.
#include <fmt/format.h>

#include <map>
#include <string>

#include "delta/store/store_files.h"
#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using Contents = std::map<std::string, std::string>;

constexpr std::uint64_t kRoomBytes = std::uint64_t{10} << 20;
constexpr int kNames = 150;
constexpr std::uint64_t kDiskBytes = std::uint64_t{1} << 40;

class SealFull : public testing::TestWithParam<bool> {
 protected:
  SealFull() {
    tree_.options().parameters.segment_bytes = 1 << 17;
    if (is_capped()) tree_.options().max_bytes = kRoomBytes;
    tree_.open();
    if (is_capped()) return;
    memory().set_capacity(kDiskBytes);
    const auto file = value_of(memory().open("/delta/MANIFEST"));
    const auto used_bytes = kDiskBytes - value_of(file->free_bytes());
    memory().set_capacity(used_bytes - delta_bytes() + kRoomBytes);
  }
  [[nodiscard]] static bool is_capped() { return GetParam(); }
  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.tree().memory(); }
  [[nodiscard]] view::View& view() { return tree_.view(); }

  [[nodiscard]] std::uint64_t delta_bytes() {
    std::uint64_t bytes = 0;
    for (const auto& store : tree_.delta().present_manifest().stores) {
      bytes += value_of(delta::bytes_on_disk(
          memory(), fmt::format("{}/{:04}", ViewedTree::kDelta, store.number)));
    }
    return bytes;
  }

  /// Makes a file of noise, or removes one. False: there was no room.
  [[nodiscard]] bool change() {
    const auto name = std::to_string(random_.below(kNames));
    if (contents_.contains(name)) {
      const auto removed = view().unlink(kRoot, name);
      if (!removed) return expect_no_space(removed.error());
      contents_.erase(name);
      expect_ok(view().release(removed.value().object));
      return true;
    }
    const auto made = view().create(kRoot, name, {}, {});
    if (!made) return expect_no_space(made.error());
    std::string& content = contents_[name];
    std::string noise(random_.below(100'000), '\0');
    for (char& byte : noise) byte = static_cast<char>(random_.below(256));
    while (content.size() < noise.size()) {
      const auto rest = std::string_view(noise).substr(content.size());
      const auto written = view().write(made.value().object, content.size(), as_bytes(rest));
      if (!written) return expect_no_space(written.error());
      content += rest.substr(0, written.value());
    }
    return true;
  }

  void expect_contents(const view::View& of, const Contents& expected) {
    for (int i = 0; i < kNames; ++i) {
      const auto name = std::to_string(i);
      const auto found = of.lookup(kRoot, name);
      const auto wanted = expected.find(name);
      ASSERT_EQ(found.has_value(), wanted != expected.end()) << name;
      if (!found) continue;
      std::string bytes(static_cast<std::size_t>(found.value().attributes.size_bytes), '\0');
      value_of(of.read(found.value().object, 0, as_mutable_bytes(bytes)));
      EXPECT_TRUE(bytes == wanted->second) << name;
    }
  }

  ViewedTree tree_;
  Random random_{1};
  Contents contents_;

 private:
  [[nodiscard]] static bool expect_no_space(const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNoSpace) << error.message();
    return false;
  }
};

TEST_P(SealFull, RefusesASealBeforeItBegins) {
  std::map<std::size_t, Contents> states;
  int refused_changes = 0;
  int refused_seals = 0;
  for (int step = 0; step < 600 && !HasFailure(); ++step) {
    if (!change()) ++refused_changes;
    if (random_.one_in(12)) {
      const auto before = tree_.delta().present_manifest().stores.size();
      const auto sealed = view().seal({});
      if (sealed && sealed.value().outcome) {
        states[sealed.value().outcome->layers] = contents_;
      } else if (!sealed) {
        EXPECT_TRUE(sealed.error().kind() == ErrorKind::kNoSpace || sealed.error().code() == 7519)
            << sealed.error().message();
        EXPECT_EQ(tree_.delta().present_manifest().stores.size(), before);
        if (sealed.error().code() == 7520) ++refused_seals;  // before anything was made
      }
      tree_.wait_until_closed();
    }
    EXPECT_LE(delta_bytes(), kRoomBytes) << step;
    if (random_.one_in(100)) tree_.reopen();
  }
  EXPECT_GT(states.size(), 1U);
  EXPECT_GT(refused_changes, 10);
  EXPECT_GT(refused_seals, 3);
  expect_contents(view(), contents_);
  for (const auto& [layers, contents] : states) {
    expect_contents(*tree_.look_back(layers).view, contents);
  }
  tree_.reopen();
  expect_contents(view(), contents_);
}

INSTANTIATE_TEST_SUITE_P(Limits, SealFull, testing::Values(true, false),
                         [](const auto& limit) { return limit.param ? "Size" : "Disk"; });

}  // namespace
}  // namespace dgfs::test
