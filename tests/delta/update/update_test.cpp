// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/update.h"

#include <gtest/gtest.h>

#include "delta/store/directory/states.h"
#include "delta/view/offline_seal.h"
#include "tests/delta/update/updated_tree.h"

namespace dgfs::test {
namespace {

class UpdateTest : public testing::Test {
 protected:
  UpdateTest() {
    for (const char* directory : {"d", "d/e", "gone"}) tree_.source().directory(directory);
    tree_.source().file("a", pattern(5000, 1));
    tree_.source().file("d/b", "bytes");
    tree_.source().file("d/e/c", "more bytes");
    tree_.source().file("gone/x", "x");
    tree_.source().symlink("l", "d/b");
    tree_.source().link("a", "d/a");
    tree_.pack();
  }

  [[nodiscard]] ErrorKind kind_of_refusal(const update::UpdateRequest& request) {
    const auto before = tree_.files_of_delta();
    const auto updated = tree_.try_update(request);
    EXPECT_FALSE(updated.has_value());
    EXPECT_TRUE(tree_.files_of_delta() == before);
    return updated ? ErrorKind::kIo : updated.error().kind();
  }
  [[nodiscard]] std::vector<std::string> state_names() {
    std::vector<std::string> names;
    const auto manifest = tree_.manifest();
    for (std::size_t i = 0; i < delta::layers_of(manifest); ++i) {
      names.push_back(manifest.stores[i].layer.name);
    }
    return names;
  }

  UpdatedTree tree_;
};

TEST_F(UpdateTest, WritesNothingIfNothingDiffers) {
  const auto before = tree_.files_of_delta();
  const auto report = tree_.update();
  EXPECT_EQ(report.entries, 10U);
  EXPECT_EQ(report.changed + report.created + report.removed, 0U);
  EXPECT_FALSE(report.sealed.outcome);
  EXPECT_TRUE(tree_.files_of_delta() == before);
}

TEST_F(UpdateTest, MakesAStateOfTheDifference) {
  tree_.file("d/new", "new");
  tree_.write("a", 100, "changed");
  tree_.remove("gone");
  auto request = request_of();
  request.name = "first";
  const auto report = tree_.update_whole(request);
  EXPECT_EQ(report.changed, 3U);  // a, d and the root
  EXPECT_EQ(report.created, 1U);
  EXPECT_EQ(report.removed, 2U);
  EXPECT_EQ(report.written_bytes, 512U + 3U);
  EXPECT_EQ(state_names(), (std::vector<std::string>{"first"}));
  EXPECT_EQ(tree_.names_in_delta(), (std::vector<std::string>{"0002", "0003", "MANIFEST", "lock"}));
  EXPECT_EQ(tree_.shown()["d/new"], "new");
}

TEST_F(UpdateTest, KeepsStatesInARow) {
  auto request = request_of();
  for (const char* name : {"one", "two", "three"}) {
    tree_.file("d/b", name);
    request.name = name;
    tree_.update_whole(request);
  }
  EXPECT_EQ(state_names(), (std::vector<std::string>{"one", "two", "three"}));
  // Without a change, the name goes to the newest state if that has none.
  tree_.file("d/b", "four");
  tree_.update(request_of());
  request.name = "four";
  tree_.update(request);
  EXPECT_EQ(state_names(), (std::vector<std::string>{"one", "two", "three", "four"}));
}

TEST_F(UpdateTest, ChangesOfAMountBecomeAStateBelow) {
  tree_.changed().change([](view::View& view) {
    make_file(view, "made", "here");
    remove_name(view, "d/b");
  });
  tree_.update_whole();
  EXPECT_EQ(state_names(), (std::vector<std::string>{"", ""}));
  // The same without a difference.
  tree_.changed().change([](view::View& view) { write_at(view, object_at(view, "d/b"), 0, "b"); });
  tree_.changed().change([](view::View& view) {
    view::AttributeChange change;
    change.mtime = value_of(view.attributes(object_at(view, "d"))).mtime;
    value_of(view.set_attributes(object_at(view, "d"), change));
  });
  tree_.update();
  EXPECT_EQ(tree_.difference_from_source(), "");
}

TEST_F(UpdateTest, KeepsWhatTheSourceLacksUnlessItDeletes) {
  tree_.remove("d");
  tree_.remove("l");
  tree_.file("n", "n");
  auto request = request_of();
  request.deletes = false;
  const auto report = tree_.update(request);
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(report.created, 1U);
  const auto shown = tree_.shown();
  EXPECT_TRUE(shown.contains("d/e/c"));
  EXPECT_TRUE(shown.contains("l"));
  EXPECT_EQ(shown.at("n"), "n");
}

// A name that stays must not show what another name of its object becomes.
TEST_F(UpdateTest, BreaksALinkToANameThatStays) {
  const auto before = tree_.shown().at("d/a");
  tree_.remove("d/a");
  tree_.write("a", 0, "changed");
  auto request = request_of();
  request.deletes = false;
  tree_.update(request);
  EXPECT_EQ(tree_.shown().at("d/a"), before);
  EXPECT_EQ(tree_.shown().at("a").substr(0, 7), "changed");
}

TEST_F(UpdateTest, ExcludedEntriesAreNeitherComparedNorRemoved) {
  tree_.file("d/skip.o", "object");
  tree_.write("d/b", 0, "X");
  tree_.remove("gone");
  auto request = request_of();
  request.rules.add(rules::RuleAction::kExclude, "*.o");
  request.rules.add(rules::RuleAction::kExclude, "/gone/");
  request.rules.add(rules::RuleAction::kExclude, "/d/b");
  tree_.update(request);
  const auto shown = tree_.shown();
  EXPECT_FALSE(shown.contains("d/skip.o"));
  EXPECT_TRUE(shown.contains("gone/x"));
  EXPECT_EQ(shown.at("d/b"), "bytes");
}

TEST_F(UpdateTest, ADirectoryWithExcludedEntriesStays) {
  tree_.remove("d");
  auto request = request_of();
  request.rules.add(rules::RuleAction::kExclude, "c");
  tree_.update(request);
  const auto shown = tree_.shown();
  EXPECT_TRUE(shown.contains("d/e/c"));
  EXPECT_FALSE(shown.contains("d/b"));
}

TEST_F(UpdateTest, UpdatesASubdirectory) {
  auto request = request_of();
  request.at = "/d/./e/";
  tree_.update(request);
  auto shown = tree_.shown();
  EXPECT_EQ(shown.at("d/e/d/b"), "bytes");
  EXPECT_FALSE(shown.contains("d/e/c"));
  EXPECT_TRUE(shown.contains("gone/x"));
  EXPECT_TRUE(shown.contains("d/e/d/e/c"));
  request.at = "made";
  tree_.update(request);
  EXPECT_EQ(tree_.shown().at("made/d/b"), "bytes");
  request.at = "no/such";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kNotFound);
  request.at = "l/x";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kNotDirectory);
  request.at = "d/../x";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kInvalidArgument);
}

TEST_F(UpdateTest, TypesChange) {
  tree_.remove("d");
  tree_.file("d", "a file");
  tree_.remove("l");
  tree_.source().directory("l");
  tree_.file("l/in", "in");
  tree_.remove("a");
  tree_.source().symlink("a", "l");
  tree_.update_whole();
  tree_.remove("d");
  tree_.source().directory("d");
  tree_.file("d/again", "again");
  tree_.update_whole();
}

TEST_F(UpdateTest, ADirectoryIsNotReplacedUnlessItDeletes) {
  tree_.remove("d");
  tree_.file("d", "a file");
  auto request = request_of();
  request.deletes = false;
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kNotEmpty);
}

TEST_F(UpdateTest, LinksAreThoseOfTheSource) {
  tree_.source().link("d/b", "d/z");
  tree_.source().link("d/b", "0");  // comes before the name that leads to an object
  tree_.remove("d/a");
  tree_.file("d/a", pattern(5000, 1));  // no link any more
  const auto report = tree_.update_whole();
  EXPECT_EQ(report.written_bytes, 5000U);
}

TEST_F(UpdateTest, SparseFilesStaySparse) {
  tree_.file("holes", "");
  tree_.write("holes", 1 << 20, "end");
  const auto report = tree_.update_whole();
  EXPECT_LE(report.written_bytes, 4099U);
}

TEST_F(UpdateTest, ContentsAreReadIfAsked) {
  // The same size and time, as no program should leave them.
  const auto parent = tree_.source().parent("d/b");
  const auto mtime = value_of(parent->status("b")).modify_time;
  tree_.write("d/b", 0, "BYTES");
  expect_ok(parent->set_times("b", std::nullopt, mtime));
  EXPECT_EQ(tree_.update().changed, 0U);
  auto request = request_of();
  request.compares_all = true;
  EXPECT_EQ(tree_.update_whole(request).changed, 1U);
}

TEST_F(UpdateTest, ADryRunCountsTheSame) {
  tree_.file("d/new", "new");
  tree_.source().directory("d/new.d");
  tree_.file("d/new.d/f", "f");
  tree_.write("a", 100, "changed");
  tree_.remove("gone");
  auto request = request_of();
  request.dry_run = true;
  const auto files = tree_.files_of_delta();
  const auto would = value_of(tree_.try_update(request));
  EXPECT_TRUE(tree_.files_of_delta() == files);
  const auto did = tree_.update();
  EXPECT_EQ(would.changed, did.changed);
  EXPECT_EQ(would.created, did.created);
  EXPECT_EQ(would.removed, did.removed);
  EXPECT_EQ(would.written_bytes, did.written_bytes);
}

TEST_F(UpdateTest, RefusesASourceThatHoldsDeltaOrImage) {
  auto request = request_of();
  request.source = "/";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kInvalidArgument);
  request.source = "/delta";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kInvalidArgument);
  request.source = "/out";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kInvalidArgument);
  request.source = "/nothing";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kNotFound);
}

TEST_F(UpdateTest, RefusesADeltaInUse) {
  delta::StoreOptions options;
  const auto open =
      value_of(delta::DeltaDirectory::open(tree_.memory(), UpdatedTree::kDelta, options));
  tree_.write("a", 0, "x");
  EXPECT_EQ(kind_of_refusal(request_of()), ErrorKind::kBusy);
}

TEST_F(UpdateTest, RefusesNamesThatAreTakenAndMoreLayersThanThereMayBe) {
  auto request = request_of();
  request.name = "one";
  tree_.file("n", "1");
  tree_.update(request);
  tree_.file("n", "2");
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kExists);
  request.name = "two";
  tree_.update(request);
  request.name = "one";
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kExists);
  for (std::size_t layers = 2; layers < delta::kLayersMax; ++layers) {
    tree_.file("n", std::to_string(layers));
    tree_.update();
  }
  tree_.file("n", "too much");
  EXPECT_EQ(kind_of_refusal(request_of()), ErrorKind::kLimit);
}

TEST_F(UpdateTest, EndsAtASignal) {
  const std::atomic<bool> stop = true;
  auto request = request_of();
  request.stop = &stop;
  tree_.write("a", 0, "x");
  EXPECT_EQ(kind_of_refusal(request), ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace dgfs::test
