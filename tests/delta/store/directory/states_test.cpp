// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/directory/states.h"

#include <gtest/gtest.h>

#include <string>

namespace dgfs::test {
namespace {

using namespace delta;

StateId id_of(std::uint8_t first, std::uint8_t second, std::uint8_t rest) {
  StateId id{};
  id.fill(rest);
  id[0] = first;
  id[1] = second;
  return id;
}

// Two layers with ids that begin alike, a third one, and the newest store.
Manifest three_states() {
  Manifest manifest;
  manifest.version = kStatesManifestVersion;
  manifest.stores.resize(4);
  const auto layer = [&](std::size_t at, const StateId& id, std::int64_t seconds,
                         const std::string& name) {
    manifest.stores[at].layer.state = id;
    manifest.stores[at].layer.sealed_at = {seconds, 0};
    manifest.stores[at].layer.name = name;
  };
  layer(0, id_of(0xa9, 0x1f, 1), 100, "nightly-01");
  layer(1, id_of(0xa9, 0x1f, 2), 200, "");
  layer(2, id_of(0x77, 0x00, 3), 300, "release.1_0");
  return manifest;
}

int code_of(const Status& status) { return status ? 0 : status.error().code(); }

TEST(StatesTest, NamesFollowTheRules) {
  for (const char* name : {"a.b", "nightly-02", "Z", "0x", "2026-01-02", "g", "abcdefg", "bases"}) {
    EXPECT_TRUE(is_state_name(name)) << name;
  }
  EXPECT_TRUE(is_state_name(std::string(63, 'a') + "z"));
  EXPECT_EQ(code_of(check_state_name("")), 7532);
  EXPECT_EQ(code_of(check_state_name(std::string(65, 'z'))), 7532);
  for (const char* name : {"a/b", "a b", "a@b", "\xc3\xa4", "a\n"}) {
    EXPECT_EQ(code_of(check_state_name(name)), 7533) << name;
  }
  for (const char* name : {".a", "-a", "_a"}) EXPECT_EQ(code_of(check_state_name(name)), 7534);
  for (const char* name : {"a", "1234", "DEADbeef", "0"}) {
    EXPECT_EQ(code_of(check_state_name(name)), 7535) << name;
  }
  for (const char* name : {"base", "newest", "Base", "now", "today", "Yesterday"}) {
    EXPECT_EQ(code_of(check_state_name(name)), 7536) << name;
  }
}

TEST(StatesTest, AreFoundByNameIdAndTime) {
  const auto manifest = three_states();
  const auto find = [&](const std::string& text) {
    return find_state(manifest, text, "/d").value();
  };
  EXPECT_EQ(layers_of(manifest), 3U);
  EXPECT_EQ(find("base"), 0U);
  EXPECT_EQ(find("newest"), 4U);
  EXPECT_EQ(find("nightly-01"), 1U);
  EXPECT_EQ(find("release.1_0"), 3U);
  EXPECT_EQ(find("7700"), 3U);
  EXPECT_EQ(find("770003030303"), 3U);
  EXPECT_EQ(find("A91F02"), 2U);
  EXPECT_EQ(find(state_text(manifest.stores[1].layer.state)), 2U);
  const auto at = [&](std::int64_t seconds) { return find_state_at(manifest, {seconds, 0}, "/d"); };
  EXPECT_EQ(at(100).value(), 1U);
  EXPECT_EQ(at(299).value(), 2U);
  EXPECT_EQ(at(1'000'000).value(), 3U);
  EXPECT_EQ(at(99).error().code(), 7487);
}

TEST(StatesTest, AJoinedLayerHasTheChangesOfItsLayers) {
  StackedStore layer;
  layer.first_sequence = 7;
  layer.layer.last_sequence = 9;
  EXPECT_EQ(changes_in(layer), 3U);
  layer.layer.last_sequence = 9 + 2 * kBatchesUntilSwitch + 4;  // three layers, sealed by a mount
  EXPECT_EQ(changes_in(layer), 7U);
  layer.layer.last_sequence = layer.first_sequence - 1;
  EXPECT_EQ(changes_in(layer), 0U);
}

TEST(StatesTest, AMissingOrAmbiguousStateIsExplained) {
  const auto manifest = three_states();
  const auto missing = find_state(manifest, "nightly-09", "crawl.delta");
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(missing.error().message(),
            "no state \"nightly-09\"; 'dgfs delta log crawl.delta' lists them");
  EXPECT_EQ(find_state(manifest, "a9", "/d").error().code(), 7485) << "an id has four digits";
  const auto ambiguous = find_state(manifest, "a91f", "/d");
  EXPECT_EQ(ambiguous.error().kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(ambiguous.error().message(), "\"a91f\" may be any of nightly-01 (a91f0101), a91f0202");
}

TEST(StatesTest, ShortIdsAreAsLongAsTheyMustBe) {
  auto manifest = three_states();
  EXPECT_EQ(short_state_text(manifest, manifest.stores[0].layer.state), "a91f0101");
  manifest.stores[1].layer.state = manifest.stores[0].layer.state;
  manifest.stores[1].layer.state[6] = 0x1f;
  EXPECT_EQ(short_state_text(manifest, manifest.stores[0].layer.state), "a91f010101010");
  EXPECT_EQ(state_title(manifest, 0), "base");
  EXPECT_EQ(state_title(manifest, 3), "release.1_0 (77000303)");
}

// The same states over a base, which is an earlier one with an id that begins like others.
Manifest over_base() {
  auto manifest = three_states();
  BaseFacts base;
  base.state = id_of(0xa9, 0x1f, 9);
  base.sealed_at = {50, 0};
  base.name = "weekly-07";
  manifest.base = base;
  manifest.absorbed = {id_of(0x12, 0x34, 5), id_of(0xa9, 0x1f, 7)};
  return manifest;
}

TEST(StatesOverABase, TheBaseIsFoundLikeAnyOther) {
  const auto manifest = over_base();
  const auto find = [&](const std::string& text) {
    return find_state(manifest, text, "/d").value();
  };
  EXPECT_EQ(find("base"), 0U);
  EXPECT_EQ(find("weekly-07"), 0U);
  EXPECT_EQ(find("a91f09"), 0U);
  EXPECT_EQ(find(state_text(manifest.base->state)), 0U);
  EXPECT_EQ(find("nightly-01"), 1U);
  EXPECT_EQ(find("newest"), 4U);
  EXPECT_EQ(find_state(manifest, "a91f", "/d").error().message(),
            "\"a91f\" may be any of weekly-07 (a91f0909), nightly-01 (a91f0101), a91f0202");
  const auto at = [&](std::int64_t seconds) { return find_state_at(manifest, {seconds, 0}, "/d"); };
  EXPECT_EQ(at(49).error().code(), 7487);
  EXPECT_EQ(at(50).value(), 0U);
  EXPECT_EQ(at(99).value(), 0U);
  EXPECT_EQ(at(100).value(), 1U);
}

TEST(StatesOverABase, OneThatAMergeTookIsExplained) {
  auto manifest = over_base();
  const auto gone = find_state(manifest, "1234", "/d");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), 7614);
  EXPECT_EQ(gone.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(gone.error().message(),
            "/d: the state \"1234\" is gone: a merge has taken it into the base, which is the "
            "later state weekly-07 (a91f0909)");
  EXPECT_EQ(find_state(manifest, "A91F07", "/d").error().code(), 7614);
  EXPECT_EQ(find_state(manifest, "a91f02", "/d").value(), 2U) << "those that are there come first";
  EXPECT_EQ(find_state(manifest, "123", "/d").error().code(), 7485) << "an id has four digits";
  manifest.base->name.clear();
  EXPECT_NE(find_state(manifest, "1234", "/d").error().message().find("later state a91f0909"),
            std::string::npos);
}

TEST(StatesOverABase, ItHasATitleAndTellsOthersApart) {
  auto manifest = over_base();
  EXPECT_EQ(state_title(manifest, 0), "weekly-07 (a91f0909)");
  EXPECT_EQ(state_title(manifest, 1), "nightly-01 (a91f0101)");
  manifest.base->name.clear();
  EXPECT_EQ(state_title(manifest, 0), "a91f0909");
  manifest.base->state = manifest.stores[1].layer.state;
  manifest.base->state[6] = 0x1f;
  EXPECT_EQ(state_title(manifest, 0), "a91f020202021");
  EXPECT_EQ(state_title(manifest, 2), "a91f020202020");
  EXPECT_EQ(state_title(manifest, 3), "release.1_0 (77000303)");
  manifest.stores.erase(manifest.stores.begin(), manifest.stores.end() - 1);
  EXPECT_EQ(layers_of(manifest), 0U);
  EXPECT_EQ(state_title(manifest, 0), "a91f0202") << "nothing else begins like it";
}

}  // namespace
}  // namespace dgfs::test
