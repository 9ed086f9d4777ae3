// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta merge of a delta that is not mounted, and the other commands on a delta with a base.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "delta/view/view.h"
#include "tests/reader/packed_tree.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

using view::kRoot;

class DeltaMergeCommand : public testing::Test {
 protected:
  DeltaMergeCommand() {
    tree_.directory("dir");
    tree_.file("dir/old", std::string(3000, 'o'));
    tree_.file("gone", "of the image");
    tree_.pack();
    options_.parameters = {1024, 4096, 4, 1 << 18, 256};
    const auto image = tree_.open();
    expect_ok(delta::DeltaDirectory::create(env(), "/d", image->superblock().uuid,
                                            image->superblock().next_inode, options_));
    make("new");
  }
  storage::MemoryEnv& env() { return tree_.memory(); }
  void change(const std::function<void(view::View&)>& change) {
    const auto delta = value_of(delta::DeltaDirectory::open(env(), "/d", options_));
    const auto image =
        value_of(view::bottom_of_delta(env(), tree_.open(), kImage, "/d", delta->manifest(), {}));
    const auto view = value_of(view::View::open(env(), *image, *delta));
    change(*view);
    expect_ok(view->close());
  }
  // Makes a file whose content is its name.
  void make(const std::string& name) {
    change([&](view::View& view) {
      const auto file = value_of(view.create(kRoot, name, {}, {})).object;
      value_of(view.write(file, 0, as_bytes(name)));
    });
  }
  int run(const std::vector<std::string>& arguments) {
    ToolRun tool(env());
    const int code = tool.run(arguments);
    out_ = tool.out();
    err_ = tool.err();
    return code;
  }
  int merge(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"delta", "merge", "/d", "--image", kImage};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void expect_merged(const std::vector<std::string>& more = {}) {
    ASSERT_EQ(merge(more), 0) << err_;
    ASSERT_TRUE(manifest().base);
  }
  [[nodiscard]] delta::Manifest manifest() {
    return value_of(delta::read_present_manifest(env(), "/d"));
  }
  [[nodiscard]] std::string base_path() {
    return "/d/" + delta::base_file_name(manifest().base.value().number);
  }
  [[nodiscard]] std::string base_id() {
    const auto now = manifest();
    return delta::short_state_text(now, now.base.value().state);
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return out_.find(text) != std::string::npos;
  }
  void expect_usage(const std::vector<std::string>& arguments, const std::string& text) {
    EXPECT_EQ(run(arguments), 2) << out_;
    EXPECT_NE(err_.find(text), std::string::npos) << err_;
    EXPECT_FALSE(manifest().base);
  }

  PackedTree tree_;
  delta::StoreOptions options_;
  std::string out_;
  std::string err_;
};

TEST_F(DeltaMergeCommand, SaysWhatItHasDone) {
  EXPECT_EQ(run({"delta", "merge", "/d/", "--image", kImage}), 0) << err_;
  EXPECT_TRUE(std::regex_match(
      out_, std::regex("/d: merged [0-9]+ changes in 0:0[0-9]; [0-9.]+ [KM]?B instead of "
                       "[0-9.]+ [KM]?B; base\\.0003\\.dgfs needs t\\.dgfs\n")))
      << out_;
  EXPECT_EQ(err_, "");
  make("newer");
  EXPECT_EQ(merge({"-q"}), 0);
  EXPECT_EQ(out_ + err_, "");
  EXPECT_EQ(merge({"--repack"}), 0);
  EXPECT_TRUE(out_.ends_with("; " + base_path().substr(3) + " needs no other file\n")) << out_;
}

TEST_F(DeltaMergeCommand, SaysItInJson) {
  EXPECT_EQ(merge({"--json"}), 0) << err_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 1) << out_;
  EXPECT_TRUE(std::regex_match(
      out_, std::regex("\\{\"changes\":[0-9]+,\"took_ms\":[0-9]+,\"bytes_before\":[1-9][0-9]*,"
                       "\"bytes_after\":[1-9][0-9]*,\"base\":\"base.0003.dgfs\","
                       "\"needs\":\\[\"t.dgfs\"\\],\"packed_files\":1,\"packed_bytes\":3,"
                       "\"kept_bytes\":[0-9]+,\"dead_bytes\":0,\"peak_bytes\":0,"
                       "\"unsealed_bytes\":0,\"largest\":\\[\\]\\}\n")))
      << out_;
}

TEST_F(DeltaMergeCommand, ADryRunSaysWhatWouldBePacked) {
  const auto before = tree_below(*value_of(env().open_directory("/")));
  EXPECT_EQ(merge({"--dry-run"}), 0) << err_;
  EXPECT_TRUE(std::regex_match(
      out_, std::regex("/d: would pack 3 B in 1 file, and take up to [0-9.]+ [KM]B of the disk\n"
                       " +3 B  new\n")))
      << out_;
  EXPECT_EQ(merge({"--dry-run", "--json"}), 0) << err_;
  EXPECT_TRUE(says("\"packed_files\":1,")) << out_;
  EXPECT_TRUE(says("\"largest\":[{\"path\":\"new\",\"bytes\":3}]")) << out_;
  EXPECT_EQ(tree_below(*value_of(env().open_directory("/"))), before);
  const auto changes = out_.substr(0, out_.find(','));
  expect_merged({"--json"});
  EXPECT_TRUE(out_.starts_with(changes + ",")) << out_ << changes;
}

TEST_F(DeltaMergeCommand, AStateEndsIt) {
  ASSERT_EQ(run({"delta", "seal", "/d"}), 0) << err_;
  const auto first = delta::state_text(manifest().stores[0].layer.state).substr(0, 8);
  make("second");
  ASSERT_EQ(run({"delta", "seal", "--name", "kept", "/d"}), 0) << err_;
  make("third");
  EXPECT_EQ(merge({"--to", "nothing"}), 1);
  EXPECT_EQ(err_, "dgfs: delta merge: no state \"nothing\"; 'dgfs delta log /d' lists them\n");
  expect_merged({"--to", first});
  EXPECT_EQ(base_id(), first);
  EXPECT_EQ(delta::layers_of(manifest()), 1U);
  expect_merged();
  EXPECT_EQ(manifest().base->name, "kept");
  EXPECT_EQ(merge(), 1);
  EXPECT_EQ(err_,
            "dgfs: delta merge: nothing to merge: the oldest named state is the base (kept)\n");
  EXPECT_EQ(run({"delta", "check", "--as-of", first, "/d"}), 1);
  EXPECT_NE(err_.find("is gone: a merge has taken it into the base, which is the later state kept"),
            std::string::npos)
      << err_;
}

TEST_F(DeltaMergeCommand, NeedsAnImageOrAMount) {
  EXPECT_EQ(run({"delta", "merge", "/d"}), 1);
  EXPECT_EQ(err_, "dgfs: delta merge: /d is not mounted; name its image with --image\n");
  EXPECT_EQ(run({"delta", "merge", "/d", "--cancel"}), 1);
  EXPECT_EQ(err_, "dgfs: delta merge: /d is not mounted for writing\n");
  EXPECT_EQ(run({"delta", "merge", "/nothing", "--image", kImage}), 1);
  EXPECT_EQ(run({"delta", "merge", "/d", "--image", "/nothing"}), 1);
  EXPECT_NE(err_.find("/nothing"), std::string::npos) << err_;
  change([&](view::View&) {
    EXPECT_EQ(merge(), 1);
    EXPECT_NE(err_.find("in use by another process"), std::string::npos) << err_;
  });
  EXPECT_FALSE(manifest().base);
}

TEST_F(DeltaMergeCommand, AnotherImageIsRefused) {
  const auto uuid = format::uuid_text(tree_.open()->superblock().uuid);
  tree_.file("more", "so that it is another");
  tree_.pack();
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--dry-run"}}) {
    EXPECT_EQ(merge(more), 1);
    EXPECT_EQ(err_,
              "dgfs: delta merge: /out/t.dgfs is not the image of /d, which was made over another "
              "image (uuid " +
                  uuid + ")\n");
  }
}

TEST_F(DeltaMergeCommand, WrongUsage) {
  const std::string merges_only = "--to and --repack are only for 'merge'";
  for (const char* option : {"--repack", "--repack=5", "--to=abcd"}) {
    for (const char* action : {"check", "compact", "info", "seal", "log", "wait", "repair"}) {
      expect_usage({"delta", action, option, "/d"}, merges_only);
    }
  }
  for (const char* action : {"check", "info", "seal", "log", "wait", "repair"}) {
    expect_usage({"delta", action, "--cancel", "/d"}, "--cancel is only for 'merge' and 'compact'");
  }
  const std::string alone = "--cancel goes with no other option of 'merge' and 'compact'";
  expect_usage({"delta", "compact", "--cancel", "--dry-run", "/d"}, alone);
  for (const char* option : {"--dry-run", "--repack", "--repack=5", "--to=abcd"}) {
    expect_usage({"delta", "merge", "--cancel", option, "/d"}, alone);
  }
  for (const char* percent :
       {"--repack=100", "--repack=-1", "--repack=x", "--repack=", "--repack=1.5"}) {
    expect_usage({"delta", "merge", "--image", kImage, percent, "/d"}, "--repack");
  }
  for (const char* state : {"--to=", "--to=a b"}) {
    expect_usage({"delta", "merge", "--image", kImage, state, "/d"},
                 "must be a name or an id of a state");
  }
  expect_usage({"delta", "log", "--image", kImage, "/d"},
               "--image is only for 'check' and 'merge'");
  expect_usage({"delta", "merge", "--repair", "--image", kImage, "/d"}, "only for 'check'");
  expect_usage({"delta", "merge", "--name", "x", "/d"}, "--name is only for 'seal'");
  expect_usage({"delta", "merge", "--as-of", "x", "/d"}, "--as-of is only for 'check'");
  expect_usage({"delta", "merge", "--scan", "/d"}, "--scan is only for 'info'");
  expect_usage({"delta", "merge"}, "");
  for (const char* action : {"check", "info", "seal", "log", "wait", "repair"}) {
    expect_usage({"delta", action, "--dry-run", "/d"}, "--dry-run is only for 'merge', ");
  }
}

TEST_F(DeltaMergeCommand, ItIsStopped) {
  ToolRun tool(env());
  tool.stop = true;
  EXPECT_EQ(tool.run({"delta", "merge", "/d", "--image", kImage}), 130);
  EXPECT_FALSE(manifest().base);
}

// All is in the base, so that it is the newest state.
TEST_F(DeltaMergeCommand, SealWithoutChangesTellsAndNamesTheBase) {
  expect_merged();
  EXPECT_EQ(run({"delta", "seal", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("nothing has changed since ")) << out_;
  EXPECT_TRUE(says(base_id())) << out_;
  EXPECT_EQ(run({"delta", "seal", "--json", "--name", "late", "/d"}), 0) << err_;
  const auto id = delta::state_text(manifest().base->state);
  EXPECT_EQ(out_, "{\"sealed\":false,\"id\":\"" + id + "\",\"name\":\"late\"}\n");
  EXPECT_EQ(manifest().base->name, "late");
  EXPECT_EQ(run({"delta", "seal", "--name", "later", "/d"}), 0) << err_;
  EXPECT_NE(err_.find("there is no state \"later\""), std::string::npos) << err_;
}

// A delta with a base, a layer over it, and a file in the live store.
class DeltaWithABase : public DeltaMergeCommand {
 protected:
  DeltaWithABase() {
    change([](view::View& view) {
      const auto entry = value_of(view.unlink(kRoot, "gone"));
      expect_ok(view.release(entry.object));
    });
    EXPECT_EQ(merge(), 0) << err_;
    {
      const auto delta = value_of(delta::DeltaDirectory::open(env(), "/d", options_));
      expect_ok(delta->note_image(kImage));  // the command does not find it on the real disk
    }
    make("in layer");
    EXPECT_EQ(run({"delta", "seal", "--name", "one", "/d"}), 0) << err_;
    make("live");
  }
};

TEST_F(DeltaWithABase, LogShowsIt) {
  EXPECT_EQ(run({"delta", "log", "/d"}), 0) << err_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2) << out_;
  EXPECT_TRUE(std::regex_search(out_, std::regex("\nbase      [-0-9]+ [:0-9]+  base\\.0003\\.dgfs, "
                                                 "made of t\\.dgfs: " +
                                                 base_id() + "\n$")))
      << out_;
  EXPECT_EQ(run({"delta", "log", "--json", "/d"}), 0) << err_;
  EXPECT_TRUE(says("\n{\"id\":\"base\",\"uuid\":\"" + format::uuid_text(manifest().base->uuid) +
                   "\",\"image\":\"/out/t.dgfs\",\"base\":\"base.0003.dgfs\",\"state\":\"" +
                   delta::state_text(manifest().base->state) + "\",\"time\":\""))
      << out_;
  EXPECT_TRUE(says("\"name\":\"one\",\"parent\":\"base\"")) << out_;
}

TEST_F(DeltaWithABase, InfoShowsIt) {
  EXPECT_EQ(run({"delta", "info", "/d"}), 0) << err_;
  const auto size = std::string("[0-9.]+ [KM]?B");
  EXPECT_TRUE(std::regex_search(
      out_, std::regex("\nimage       " + format::uuid_text(manifest().image) +
                       "\nbase        base\\.0003\\.dgfs, of uuid " +
                       format::uuid_text(manifest().base->uuid) + "\nneeds       t\\.dgfs, " +
                       size + " of " + size + " not used\nstores      2, ")))
      << out_;
  EXPECT_EQ(run({"delta", "info", "--json", "/d"}), 0) << err_;
}

TEST_F(DeltaWithABase, CheckReadsTheStoresOverIt) {
  for (const auto& image : {std::string(kImage), base_path()}) {
    EXPECT_EQ(run({"delta", "check", "/d", "--image", image}), 0) << err_;
    EXPECT_TRUE(out_.ends_with("\nnames: sound\n")) << out_;
    EXPECT_EQ(run({"delta", "check", "/d", "--as-of", "one", "--image", image}), 0) << err_;
    EXPECT_TRUE(out_.ends_with("\nnames: sound\n")) << out_;
  }
  for (const auto& state : {std::string("base"), base_id()}) {
    EXPECT_EQ(run({"delta", "check", "/d", "--as-of", state}), 0) << err_;
    EXPECT_EQ(out_, "base is base.0003.dgfs alone, which 'dgfs verify' checks\n");
  }
  EXPECT_EQ(run({"verify", base_path(), "--volume", kImage}), 0) << out_ << err_;
}

TEST_F(DeltaWithABase, ItsNameIsTaken) {
  EXPECT_EQ(run({"delta", "seal", "/d", "--name", "two"}), 0) << err_;
  ASSERT_EQ(merge({"--to", "one"}), 0) << err_;
  EXPECT_EQ(run({"delta", "seal", "/d", "--name", "one"}), 1) << out_;
  EXPECT_NE(err_.find("there is a state \"one\" already"), std::string::npos) << err_;
}

TEST_F(DeltaWithABase, DiffFindsWhatHasChangedSince) {
  for (const auto& image : {std::string(kImage), base_path()}) {
    EXPECT_EQ(run({"diff", "/d@base", "/d@one", "--image", image}), 1) << err_;
    EXPECT_TRUE(says("in layer")) << out_;
    EXPECT_FALSE(says("live")) << out_;
    EXPECT_EQ(run({"diff", "/d@one", "/d@newest", "--image", image}), 1) << err_;
    EXPECT_TRUE(says("live")) << out_;
    EXPECT_FALSE(says("in layer")) << out_;
  }
  EXPECT_EQ(run({"diff", "/d@" + base_id(), "/d@newest"}), 1) << err_;
  EXPECT_TRUE(says("live") && says("in layer")) << out_;
  EXPECT_FALSE(says("gone") || says("new\n")) << out_ << "these are in the base";
}

TEST_F(DeltaWithABase, AnImageIsMadeOfIt) {
  for (const auto& image : {std::string(kImage), base_path()}) {
    const std::vector<std::string> merges = {"merge",    image,     "--delta", "/d",
                                             "--volume", "/out",    "-o",      "/out/made.dgfs",
                                             "--force",  "--repack"};
    EXPECT_EQ(run(merges), 0) << err_;
    for (const std::string name : {"new", "in layer", "live"}) {
      EXPECT_EQ(run({"cat", "/out/made.dgfs", name}), 0) << err_;
      EXPECT_EQ(out_, name);
    }
    EXPECT_EQ(run({"cat", "/out/made.dgfs", "gone"}), 1);
    EXPECT_EQ(run({"verify", "/out/made.dgfs"}), 0) << out_ << err_;
    auto of_state = merges;
    of_state.insert(of_state.end(), {"--as-of", "one"});
    EXPECT_EQ(run(of_state), 0) << err_;
    EXPECT_EQ(run({"cat", "/out/made.dgfs", "in layer"}), 0) << err_;
    EXPECT_EQ(run({"cat", "/out/made.dgfs", "live"}), 1);
  }
  EXPECT_EQ(run({"merge", kImage, "--delta", "/d", "--as-of", "base", "-o", "/out/x.dgfs"}), 1);
  EXPECT_NE(err_.find("there is nothing to merge"), std::string::npos) << err_;
}

TEST_F(DeltaWithABase, AMissingBaseIsToldByName) {
  expect_ok(env().rename(base_path(), "/away"));
  const std::string text = "/d: base.0003.dgfs is missing; restore it from a backup";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"delta", "merge", "/d", "--image", kImage},
        {"delta", "check", "/d", "--image", kImage},
        {"diff", "/d@base", "/d@newest"},
        {"merge", kImage, "--delta", "/d", "-o", "/out/x.dgfs"}}) {
    EXPECT_NE(run(command), 0) << command[0] << command[1] << out_;
    EXPECT_NE((out_ + err_).find(text), std::string::npos)
        << command[0] << " " << command[1] << ": " << out_ << err_;
  }
}

}  // namespace
}  // namespace dgfs::test
