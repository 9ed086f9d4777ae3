// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta: its output about stores that are sound, damaged, in use, or missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "delta/store/directory/delta_directory.h"
#include "storage/memory/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/sealed_delta.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

class DeltaCommandTest : public testing::Test {
 protected:
  DeltaCommandTest() {
    options_.create = true;
    options_.parameters = {512, 1024, 4, 1 << 16};
    auto store = open_store(*env_, options_);
    for (int i = 0; i < 60; ++i) {
      delta::Batch batch;
      batch.put("key" + std::to_string(i), std::string(100, 'v'));
      EXPECT_TRUE(store->apply(batch));
    }
    EXPECT_TRUE(store->checkpoint());
    delta::Batch batch;
    batch.put("last", "value");
    EXPECT_TRUE(store->apply(batch));
    EXPECT_TRUE(store->sync());
  }

  int run(const std::vector<std::string>& arguments) {
    ToolRun tool(*env_);
    const int code = tool.run(arguments);
    out_ = tool.out();
    err_ = tool.err();
    return code;
  }
  void flip(const std::string& path, std::uint64_t offset_bytes) {
    const auto file = env_->open(path, {storage::OpenOptions::Mode::kReadWrite}).value();
    Buffer byte(1);
    ASSERT_TRUE(storage::read_exactly(*file, offset_bytes, byte));
    byte[0] ^= 1;
    ASSERT_TRUE(file->write_at(offset_bytes, byte));
  }
  void damage_all_blocks(const std::string& path = "/s/blocks") {
    const auto size = env_->status(path).value().size_bytes;
    for (std::uint64_t at = 0; at < size; at += 512) flip(path, at);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  delta::StoreOptions options_;
  std::string out_;
  std::string err_;
};

TEST_F(DeltaCommandTest, InfoExplainsAStore) {
  EXPECT_EQ(run({"delta", "info", "/s/"}), 0) << err_;
  for (const char* line :
       {"store       /s\n", "\nformat      6   checksums xxh3-64\n",
        "\nparameters  basement 512 B, buffers of a node 1.02 KB, fan-out 4, log segment 65.5 KB, "
        "values up to ",
        " in the tree\n", "\ncheckpoints 2 so far; the tree has the batches up to 60\n",
        "\nlog         1 group that the tree lacks, batches up to 61; 4.10 KB in use, log.",
        " is 6 % full\n", "\ntree        height 1, 5 nodes, 15 basements of ",
        "\nvalues      0 large values of ", "\nwaiting     ", "\nfiles       ", "\n  log.1  "}) {
    EXPECT_NE(out_.find(line), std::string::npos) << line << out_;
  }
  EXPECT_EQ(out_.find(" keys"), std::string::npos);
  EXPECT_EQ(run({"delta", "info", "--scan", "/s"}), 0) << err_;
  EXPECT_NE(out_.find(" with 60 keys\n"), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "info", "--json", "/s"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"store\":\"/s\",\"uuid\":\"")) << out_;
  EXPECT_NE(out_.find("\"groups\":1,\"sequence\":61,\"used_bytes\":4096}"), std::string::npos);
  EXPECT_TRUE(out_.ends_with("}],\"damaged\":[]}\n")) << out_;
}

TEST_F(DeltaCommandTest, CheckSaysThatAllIsWell) {
  EXPECT_EQ(run({"delta", "check", "/s"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("no damage in ")) << out_;
  EXPECT_NE(out_.find(", 1 group of the log, "), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "check", "-q", "/s"}), 0);
  EXPECT_EQ(out_ + err_, "");
  EXPECT_EQ(run({"delta", "check", "--json", "/s"}), 0);
  EXPECT_TRUE(out_.starts_with("{\"sound\":true,\"damaged_places\":0,")) << out_;
}

TEST_F(DeltaCommandTest, DamageIsToldWithItsPlace) {
  damage_all_blocks();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"delta", "check", "/s"}, {"delta", "check", "-q", "/s"}}) {
    EXPECT_EQ(run(arguments), 1);
    EXPECT_TRUE(out_.starts_with("damaged: /s/blocks: blocks, offset ")) << out_;
    EXPECT_TRUE(out_.ends_with("\n2 places damaged; nothing below 1 node was checked\n")) << out_;
  }
  EXPECT_EQ(run({"delta", "check", "--json", "/s"}), 1);
  EXPECT_TRUE(out_.starts_with("{\"damaged\":\"/s/blocks\",\"section\":\"blocks\",\"offset\":"))
      << out_;
  EXPECT_NE(out_.find("\n{\"sound\":false,\"damaged_places\":2,\"unread_nodes\":1,"),
            std::string::npos)
      << out_;
  EXPECT_EQ(run({"delta", "info", "/s"}), 1);
  EXPECT_TRUE(err_.starts_with("dgfs: delta: damaged: /s/blocks: blocks, offset ")) << err_;
  EXPECT_NE(out_.find("; 1 node unreadable\n"), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "info", "--json", "/s"}), 1);
  EXPECT_NE(out_.find("\"damaged\":[\"/s/blocks: blocks, offset "), std::string::npos) << out_;
  EXPECT_EQ(err_, "");
}

TEST_F(DeltaCommandTest, ManyPlacesAreListedUpToAHundred) {
  {
    const auto store = open_store(*env_, options_);
    for (int i = 0; i < 120; ++i) {
      delta::Batch batch;
      batch.put("more" + std::to_string(i), std::string(500, 'v'));
      EXPECT_TRUE(store->apply(batch));
    }
    EXPECT_TRUE(store->checkpoint());
  }
  const auto size = env_->status("/s/blocks").value().size_bytes;
  for (std::uint64_t at = 0; at < size; at += 512) {
    flip("/s/blocks", at);
    static_cast<void>(run({"delta", "info", "/s"}));
    // The block is a node.
    if (out_.find("unreadable") != std::string::npos) flip("/s/blocks", at);
  }
  EXPECT_EQ(run({"delta", "check", "/s"}), 1);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 102) << out_;
  EXPECT_NE(out_.find(" more in the store (--json lists all)\n"), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "check", "--json", "/s"}), 1);
  EXPECT_GT(std::count(out_.begin(), out_.end(), '\n'), 120);
  EXPECT_EQ(run({"delta", "info", "--scan", "/s"}), 1);
  EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 101);
}

TEST_F(DeltaCommandTest, ATornSuperblockIsNoDamage) {
  flip("/s/store", 4096 + 100);
  EXPECT_EQ(run({"delta", "check", "/s"}), 0) << out_;
  EXPECT_TRUE(out_.starts_with("superblocks: one of the two is not whole, ")) << out_;
  EXPECT_EQ(run({"delta", "info", "/s"}), 0) << out_;
  EXPECT_NE(out_.find("\nsuperblock  one of the two is not whole, "), std::string::npos) << out_;
  flip("/s/store", 100);
  EXPECT_EQ(run({"delta", "check", "/s"}), 1);
  EXPECT_EQ(err_,
            "dgfs: delta: /s/store: no superblock is whole: this is not a store, or it is "
            "damaged\n");
}

TEST_F(DeltaCommandTest, AStoreInUseIsNotDamaged) {
  const auto store = open_store(*env_, options_);
  for (const char* what : {"check", "info"}) {
    EXPECT_EQ(run({"delta", what, "/s"}), 1);
    EXPECT_EQ(out_, "");
    EXPECT_EQ(err_, "dgfs: delta: /s: the store is in use by another process\n");
  }
}

// A delta of two stores in "/d".
class StackCommandTest : public DeltaCommandTest {
 protected:
  StackCommandTest() {
    options_.create = false;
    format::Uuid image{};
    image.fill(0x11);
    EXPECT_TRUE(delta::DeltaDirectory::create(*env_, "/d", image, 100, options_));
    {
      const auto made = open();
      delta::Batch batch;
      batch.put("key", "value");
      EXPECT_TRUE(made->newest().apply(batch));
    }
    EXPECT_TRUE(seal_delta(*env_, "/d", 200, options_));
  }
  std::unique_ptr<delta::DeltaDirectory> open() {
    return delta::DeltaDirectory::open(*env_, "/d", options_).value();
  }
};

TEST_F(StackCommandTest, InfoShowsEachStoreWithItsPlace) {
  EXPECT_EQ(run({"delta", "info", "/d/"}), 0) << err_;
  for (const char* line :
       {"delta       /d\nuuid        ", "\nimage       11111111-1111-1111-1111-111111111111\n",
        "\nstores      2, the newest is 0002\n\nstore       /d/0001\n",
        "\nplace       1 of 2, from object 100 and batch 1 on\n", "\n\nstore       /d/0002\n",
        "\nplace       2 of 2, from object 200 and batch 1 on\n"}) {
    EXPECT_NE(out_.find(line), std::string::npos) << line << out_;
  }
  EXPECT_EQ(run({"delta", "info", "--json", "/d"}), 0) << err_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
  EXPECT_TRUE(out_.starts_with("{\"store\":\"/d/0001\",\"number\":1,\"delta\":\"")) << out_;
  EXPECT_NE(out_.find("\n{\"store\":\"/d/0002\",\"number\":2,"), std::string::npos) << out_;
  EXPECT_NE(out_.find("\"born_object\":200,\"first_sequence\":1,"), std::string::npos) << out_;
}

TEST_F(StackCommandTest, CheckReadsAllStores) {
  EXPECT_EQ(run({"delta", "check", "/d"}), 0) << out_ << err_;
  EXPECT_TRUE(out_.starts_with("0001: no damage in ")) << out_;
  EXPECT_NE(out_.find("\n0002: no damage in "), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "check", "-q", "/d"}), 0);
  EXPECT_EQ(out_ + err_, "");
  damage_all_blocks("/d/0001/blocks");
  EXPECT_EQ(run({"delta", "check", "/d"}), 1);
  EXPECT_NE(out_.find("damaged: /d/0001/blocks: "), std::string::npos) << out_;
  EXPECT_NE(out_.find("\n0002: no damage in "), std::string::npos)
      << "the check continues with the next store" << out_;
  EXPECT_EQ(run({"delta", "check", "--json", "/d"}), 1);
  EXPECT_NE(out_.find("{\"sound\":true,"), std::string::npos) << out_;
  EXPECT_NE(out_.find("{\"sound\":false,"), std::string::npos) << out_;
}

TEST_F(StackCommandTest, AStoreThatTheManifestDoesNotNameIsDamage) {
  ASSERT_TRUE(env_->rename("/d/0002", "/d/other"));
  EXPECT_EQ(run({"delta", "check", "/d"}), 1);
  EXPECT_NE(err_.find("/d/0002"), std::string::npos) << err_;
  ASSERT_TRUE(env_->rename("/s", "/d/0002"));
  for (const char* what : {"check", "info"}) {
    EXPECT_EQ(run({"delta", what, "/d"}), 1);
    EXPECT_NE((out_ + err_).find("damaged: /d/0002/store: superblock: has UUID "),
              std::string::npos)
        << out_ << err_;
  }
}

TEST_F(StackCommandTest, AManifestIsShownWithASlotAndRefusedWithNone) {
  flip("/d/MANIFEST", 70);
  EXPECT_EQ(run({"delta", "check", "/d"}), 0);
  EXPECT_TRUE(out_.starts_with("manifest: one of the two slots is not whole; ")) << out_;
  EXPECT_EQ(run({"delta", "info", "/d"}), 0);
  EXPECT_NE(out_.find("\nmanifest    one of the two slots is not whole; "), std::string::npos)
      << out_;
  flip("/d/MANIFEST", delta::kStatesManifestSlotBytes + 70);
  EXPECT_EQ(run({"delta", "check", "/d"}), 1);
  EXPECT_EQ(err_, "dgfs: delta: /d/MANIFEST: manifest: neither of the two slots is whole\n");
}

TEST_F(StackCommandTest, StatesAreSealedAndListed) {
  EXPECT_EQ(run({"delta", "seal", "/d/"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("nothing has changed since ")) << out_;
  {
    const auto delta = open();
    for (const char* key : {"first", "second"}) {
      delta::Batch batch;
      batch.put(key, "value");
      ASSERT_TRUE(delta->newest().apply(batch));
    }
    ASSERT_TRUE(delta->newest().sync());
  }
  EXPECT_EQ(run({"delta", "seal", "--name", "one", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("sealed one (")) << out_;
  EXPECT_NE(out_.find("): 2 changes, "), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "seal", "--json", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("{\"sealed\":false,\"id\":\"")) << out_;
  EXPECT_NE(out_.find("\"name\":\"one\"}"), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "log", "/d"}), 0) << err_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 3) << out_;
  EXPECT_NE(out_.find("2 changes"), std::string::npos) << out_;
  EXPECT_NE(out_.find("  one\n"), std::string::npos) << out_;
  EXPECT_NE(out_.find("\nbase      image                uuid 11111111-1111-"), std::string::npos)
      << out_;
  EXPECT_EQ(run({"delta", "log", "--json", "/d"}), 0) << err_;
  EXPECT_NE(out_.find("\"name\":\"one\",\"parent\":\""), std::string::npos) << out_;
  EXPECT_NE(out_.find("{\"id\":\"base\",\"uuid\":\"11111111-"), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "check", "--as-of", "one", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("0001: no damage in ")) << out_;
  EXPECT_EQ(out_.find("0003"), std::string::npos) << out_;
  EXPECT_EQ(run({"delta", "info", "/d"}), 0) << err_;
  EXPECT_NE(out_.find("log         none: the store is a sealed layer\n"), std::string::npos)
      << out_;
}

TEST_F(StackCommandTest, WrongStatesAndNamesAreRefused) {
  EXPECT_EQ(run({"delta", "seal", "--name", "beef", "/d"}), 1);
  EXPECT_EQ(err_, "dgfs: delta: \"beef\" is no name of a state: it would look like an id\n");
  EXPECT_EQ(run({"delta", "seal", "/nothing"}), 1);
  EXPECT_EQ(run({"delta", "log", "/nothing"}), 1);
  EXPECT_EQ(run({"delta", "check", "--as-of", "nightly-09", "/d"}), 1);
  EXPECT_EQ(err_, "dgfs: delta: no state \"nightly-09\"; 'dgfs delta log /d' lists them\n");
  EXPECT_EQ(run({"delta", "check", "--as-of", "base", "/d"}), 0);
  EXPECT_EQ(run({"delta", "check", "--name", "x", "/d"}), 2);
  EXPECT_EQ(run({"delta", "log", "--as-of", "x", "/d"}), 2);
  EXPECT_EQ(run({"delta", "seal", "--scan", "/d"}), 2);
  EXPECT_EQ(run({"delta", "check", "--as-of", "x", "--repair", "--image", "i", "/d"}), 2);
  EXPECT_EQ(run({"delta", "squash", "/d"}), 2);
  EXPECT_NE(err_.find("must be 'info', 'check', 'seal', 'log', 'drop', "), std::string::npos)
      << err_;
}

TEST_F(StackCommandTest, ADeltaInUseIsNotDamaged) {
  const auto delta = open();
  for (const char* what : {"check", "info"}) {
    EXPECT_EQ(run({"delta", what, "/d"}), 1);
    EXPECT_EQ(err_, "dgfs: delta: /d: the delta is in use by another process\n");
  }
}

TEST_F(DeltaCommandTest, NamesCannotFoolATerminal) {
  const std::string directory = "/s\x1b[31m\n";
  ASSERT_TRUE(env_->rename("/s", directory));
  for (const bool is_damaged : {false, true}) {
    if (is_damaged) flip(directory + "/blocks", 512);
    for (const char* what : {"check", "info"}) {
      for (const char* option : {"-q", "--json"}) {
        static_cast<void>(run({"delta", what, option, directory}));
        EXPECT_EQ((out_ + err_).find('\x1b'), std::string::npos) << out_ << err_;
        EXPECT_EQ((out_ + err_).find("m\n"), std::string::npos) << out_ << err_;
      }
    }
  }
}

TEST_F(DeltaCommandTest, StopsWhenAsked) {
  ToolRun tool(*env_);
  tool.stop = true;
  EXPECT_EQ(tool.run({"delta", "check", "/s"}), 130);
  EXPECT_EQ(tool.err(), "dgfs: delta: interrupted\n");
}

}  // namespace
}  // namespace dgfs::test
