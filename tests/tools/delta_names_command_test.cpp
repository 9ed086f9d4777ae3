// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs delta check --image: names that are sound, broken, and mended.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "delta/view/record/attributes_record.h"
#include "delta/view/record/keys.h"
#include "delta/view/view.h"
#include "tests/reader/packed_tree.h"
#include "tests/tools/tool_run.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::RecordClass;

// An image with a delta in "/d", in which a directory has a file.
class DeltaNamesTest : public testing::Test {
 protected:
  DeltaNamesTest() {
    tree_.directory("dir");
    tree_.pack();
    options_.parameters = {1024, 4096, 4, 1 << 18, 256};
    image_ = tree_.open();
    expect_ok(delta::DeltaDirectory::create(env(), "/d", image_->superblock().uuid,
                                            image_->superblock().next_inode, options_));
    change([&](delta::DeltaDirectory& delta) {
      const auto view = value_of(view::View::open(env(), *image_, delta));
      dir_ = value_of(view->lookup(kRoot, "dir")).object;
      file_ = value_of(view->create(dir_, "a b", {}, {})).object;
      expect_ok(view->sync());
    });
  }

  [[nodiscard]] storage::Env& env() { return tree_.memory(); }
  void change(const std::function<void(delta::DeltaDirectory&)>& change) {
    const auto delta = value_of(delta::DeltaDirectory::open(env(), "/d", options_));
    change(*delta);
    expect_ok(delta->close());
  }
  // The file loses its name, but its directory still counts it.
  void lose() {
    change([&](delta::DeltaDirectory& delta) {
      delta::Batch batch;
      batch.remove(view::key_of(RecordClass::kDentry, dir_, "a b"));
      value_of(delta.newest().apply(batch));
    });
  }
  int run(const std::vector<std::string>& arguments) {
    ToolRun tool(env());
    const int code = tool.run(arguments);
    out_ = tool.out();
    err_ = tool.err();
    return code;
  }
  [[nodiscard]] bool says(const std::string& line) const {
    return out_.find(line) != std::string::npos;
  }

  PackedTree tree_;
  delta::StoreOptions options_;
  std::unique_ptr<const reader::Image> image_;
  view::ObjectNumber dir_ = 0;
  view::ObjectNumber file_ = 0;
  std::string out_;
  std::string err_;
};

TEST_F(DeltaNamesTest, AreCheckedWithAnImage) {
  EXPECT_EQ(run({"delta", "check", "/d"}), 0) << err_;
  EXPECT_TRUE(out_.ends_with("\nnames: not checked, because that needs the image (--image)\n"))
      << out_;
  EXPECT_EQ(run({"delta", "check", "/d", "--image", kImage}), 0) << err_;
  EXPECT_TRUE(out_.starts_with("0001: no damage in ")) << out_;
  EXPECT_TRUE(out_.ends_with("\nnames: sound\n")) << out_;
  EXPECT_EQ(run({"delta", "check", "-q", "/d", "--image", kImage}), 0);
  EXPECT_EQ(run({"delta", "check", "-q", "/d"}), 0);
  EXPECT_EQ(out_ + err_, "");
  EXPECT_EQ(run({"delta", "check", "--json", "/d", "--image", kImage}), 0);
  EXPECT_TRUE(says("\n{\"names_sound\":true,\"broken_places\":0,\"mended_places\":0}\n")) << out_;
}

TEST_F(DeltaNamesTest, ThatAreBrokenAreToldAndLeftAlone) {
  lose();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run({"delta", "check", "-q", "/d", "--image", kImage}), 1);
    EXPECT_TRUE(says("broken: '/dir/a b': a name in its records does not lead to it\n")) << out_;
    EXPECT_TRUE(says("broken: /dir: its count of names is 1 instead of 0\n")) << out_;
    EXPECT_TRUE(says("broken: object " + std::to_string(file_) + ": no name leads to it\n"))
        << out_;
    EXPECT_TRUE(says("\nnames: 3 places broken\n")) << out_;
  }
  EXPECT_EQ(run({"delta", "check", "--json", "/d", "--image", kImage}), 1);
  EXPECT_TRUE(says("{\"broken\":\"recorded-name\",\"object\":" + std::to_string(file_) +
                   ",\"directory\":" + std::to_string(dir_) +
                   ",\"name\":\"a b\",\"path\":\"/dir/a b\",\"reason\":\""))
      << out_;
  EXPECT_TRUE(out_.ends_with("\n{\"names_sound\":false,\"broken_places\":3,\"mended_places\":0}\n"))
      << out_;
}

TEST_F(DeltaNamesTest, WithoutAPathAreToldByNumber) {
  view::ObjectNumber lost = 0;
  view::ObjectNumber moved = 0;
  change([&](delta::DeltaDirectory& delta) {
    const auto view = value_of(view::View::open(env(), *image_, delta));
    lost = value_of(view->make_directory(kRoot, "lost", 0755, {})).object;
    moved = value_of(view->make_directory(dir_, "moved", 0755, {})).object;
    value_of(view->create(lost, "in it", {}, {}));
    value_of(view->link(file_, lost, "n"));
    expect_ok(view->sync());
  });
  change([&](delta::DeltaDirectory& delta) {
    delta::Batch batch;
    batch.remove(view::key_of(RecordClass::kDentry, kRoot, "lost"));
    batch.remove(view::name_key(lost, kRoot, "lost"));
    batch.remove(view::name_key(file_, lost, "n"));
    batch.put(view::key_of(RecordClass::kParent, moved), view::number_value(lost));
    batch.set_field(view::key_of(RecordClass::kAttributes, file_), view::field::kLinkCount, 1);
    value_of(delta.newest().apply(batch));
  });
  EXPECT_EQ(run({"delta", "check", "-q", "/d", "--image", kImage}), 1);
  const auto number = std::to_string(lost);
  EXPECT_TRUE(says("broken: n in directory " + number + ": object ")) << out_;
  EXPECT_TRUE(says("broken: object " + number + ": no name leads to it\n")) << out_;
  EXPECT_TRUE(says("broken: /dir/moved: its parent is directory " + number +
                   ", its name is in directory " + std::to_string(dir_) + " (/dir)\n"))
      << out_;
  EXPECT_EQ(run({"delta", "check", "--json", "/d", "--image", kImage}), 1);
  EXPECT_TRUE(says("\"directory\":" + number + ",\"name\":\"n\",\"reason\":")) << out_;
}

TEST_F(DeltaNamesTest, AreNotRepairedWhileTheDeltaIsInUse) {
  lose();
  change([&](delta::DeltaDirectory&) {
    EXPECT_EQ(run({"delta", "check", "--repair", "/d", "--image", kImage}), 1);
    EXPECT_EQ(err_, "dgfs: delta: /d: the delta is in use by another process\n");
    EXPECT_EQ(out_, "");
  });
  {
    auto how = options_;
    how.access = delta::StoreAccess::kReadOnly;
    const auto reading = value_of(delta::DeltaDirectory::open(env(), "/d", how));
    EXPECT_EQ(run({"delta", "check", "--repair", "/d", "--image", kImage}), 1);
    EXPECT_EQ(err_, "dgfs: delta: /d: the delta is in use by another process\n");
    EXPECT_FALSE(says("mended")) << out_;
    EXPECT_EQ(run({"delta", "check", "-q", "/d", "--image", kImage}), 1);
    EXPECT_TRUE(says("\nnames: 3 places broken\n")) << out_;
  }
  EXPECT_EQ(run({"delta", "check", "--repair", "/d", "--image", kImage}), 0) << err_;
}

// A repair on a disk that refuses all calls from some call on; tried for each call.
TEST_F(DeltaNamesTest, StayWhereADiskTakesNoMore) {
  for (const auto kind : {storage::FaultKind::kNoSpace, storage::FaultKind::kIoError}) {
    std::size_t refused = 0;
    std::size_t broke_off = 0;
    for (std::uint64_t at = 1;; ++at) {
      SCOPED_TRACE(at);
      lose();
      const auto faulty = storage::make_faulty_env(env(), at);
      faulty->only_for([](const std::string& path) { return path.starts_with("/d/0001/"); });
      faulty->arm({kind, at, true});
      ToolRun tool(*faulty);
      const int code = tool.run({"delta", "check", "--repair", "/d", "--image", kImage});
      if (faulty->fired() == 0) break;
      if (code == 1) {
        ++refused;
        EXPECT_TRUE(tool.err().starts_with("dgfs: delta: ") ||
                    tool.out().starts_with("0001: damaged: "))
            << tool.out() << tool.err();
        if (tool.err().find("; the repair is not complete; run it again\n") != std::string::npos)
          ++broke_off;
        EXPECT_EQ(tool.out().find("\nnames: "), std::string::npos) << tool.out();
      }
      // No worse than before, with three broken places.
      run({"delta", "check", "--json", "/d", "--image", kImage});
      EXPECT_TRUE(says("\"broken_places\":0,") || says("\"broken_places\":1,") ||
                  says("\"broken_places\":2,") || says("\"broken_places\":3,"))
          << out_;
      EXPECT_EQ(run({"delta", "check", "--repair", "/d", "--image", kImage}), 0) << err_;
      EXPECT_EQ(run({"delta", "check", "-q", "/d", "--image", kImage}), 0) << out_;
      change([&](delta::DeltaDirectory& delta) {
        const auto view = value_of(view::View::open(env(), *image_, delta));
        const auto saved = value_of(view->paths(file_));
        ASSERT_EQ(saved.size(), 1U);
        EXPECT_EQ(saved.front(), "lost+found/#" + std::to_string(file_));
        const auto found = value_of(view->lookup(kRoot, "lost+found")).object;
        value_of(view->rename(found, "#" + std::to_string(file_), dir_, "a b"));
        expect_ok(view->sync());
      });
    }
    EXPECT_GT(refused, 5U);
    EXPECT_GT(broke_off, 0U);
  }
}

TEST_F(DeltaNamesTest, AreMended) {
  lose();
  EXPECT_EQ(run({"delta", "check", "--repair", "/d", "--image", kImage}), 0) << err_;
  EXPECT_TRUE(says("\nmended: '/dir/a b': ")) << out_;
  EXPECT_TRUE(says("; it is /lost+found/#" + std::to_string(file_) + " now\n")) << out_;
  EXPECT_TRUE(out_.ends_with("\nnames: 3 places mended\n")) << out_;
  EXPECT_EQ(run({"delta", "check", "--repair", "/d", "--image", kImage}), 0);
  EXPECT_TRUE(out_.ends_with("\nnames: sound\n")) << out_;
  change([&](delta::DeltaDirectory& delta) {
    const auto view = value_of(view::View::open(env(), *image_, delta));
    EXPECT_EQ(value_of(view->paths(file_)),
              std::vector<std::string>{"lost+found/#" + std::to_string(file_)});
  });
  change([&](delta::DeltaDirectory& delta) {
    delta::Batch batch;
    batch.set_field(view::key_of(RecordClass::kAttributes, dir_), view::field::kLinkCount, 7);
    value_of(delta.newest().apply(batch));
  });
  EXPECT_EQ(run({"delta", "check", "--json", "--repair", "/d", "--image", kImage}), 0);
  EXPECT_TRUE(
      says("\"reason\":\"its link count is 7 instead of 2\",\"mended\":\"counted again\"}\n"))
      << out_;
  EXPECT_TRUE(out_.ends_with("\n{\"names_sound\":true,\"broken_places\":1,\"mended_places\":1}\n"))
      << out_;
}

TEST_F(DeltaNamesTest, AreNotRepairedInStoresThatAreDamaged) {
  const auto size = env().status("/d/0001/blocks").value().size_bytes;
  const auto file = env().open("/d/0001/blocks", {storage::OpenOptions::Mode::kReadWrite}).value();
  const Buffer zeros(size);
  expect_ok(file->write_at(0, zeros));
  EXPECT_EQ(run({"delta", "check", "--repair", "/d", "--image", kImage}), 1);
  EXPECT_EQ(err_, "dgfs: delta: the stores are damaged, so their names are not repaired\n");
  EXPECT_FALSE(says("names: "));
  EXPECT_EQ(run({"delta", "check", "/d", "--image", kImage}), 1);
}

TEST_F(DeltaNamesTest, AnotherImageIsRefused) {
  const auto uuid = format::uuid_text(image_->superblock().uuid);
  tree_.file("more", "so that it is another");
  tree_.pack();
  EXPECT_EQ(run({"delta", "check", "/d", "--image", kImage}), 1);
  EXPECT_EQ(err_,
            "dgfs: delta: /out/t.dgfs is not the image of /d, which was made over another "
            "image (uuid " +
                uuid + ")\n");
}

TEST_F(DeltaNamesTest, WrongUsage) {
  EXPECT_EQ(run({"delta", "info", "/d", "--image", kImage}), 2);
  EXPECT_EQ(run({"delta", "info", "/d", "--repair"}), 2);
  EXPECT_EQ(run({"delta", "check", "/d", "--repair"}), 2);
  EXPECT_NE(err_.find("--repair needs the image (--image)"), std::string::npos) << err_;
}

}  // namespace
}  // namespace dgfs::test
