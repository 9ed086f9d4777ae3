// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Objects that no store mentions are answered without a snapshot of the store. Only a snapshot asks
// for the time.
#include "delta/view/untouched.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "delta/view/view.h"
#include "storage/forwarding_env.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

constexpr const char* kDelta = "/delta";

class TimeCountingEnv final : public storage::ForwardingEnv {
 public:
  using storage::ForwardingEnv::ForwardingEnv;
  std::uint64_t monotonic_ns() const override {
    ++asked;
    return storage::ForwardingEnv::monotonic_ns();
  }
  mutable int asked = 0;
};

class Untouched : public testing::Test {
 protected:
  Untouched() {
    tree_.directory("d");
    tree_.file("d/file", "bytes");
    tree_.symlink("d/symlink", "file");
    tree_.directory("changed");
    tree_.file("changed/file", "bytes");
    tree_.pack();
    image_ = value_of(reader::Image::open(env_, kImage));
    const auto& superblock = image_->superblock();
    delta::StoreOptions options;
    options.create = true;
    expect_ok(delta::DeltaDirectory::create(env_, kDelta, superblock.uuid, superblock.next_inode,
                                            options));
    delta_ = value_of(delta::DeltaDirectory::open(env_, kDelta, options));
    view_ = value_of(view::View::open(env_, *image_, *delta_));
  }
  [[nodiscard]] ObjectNumber object(const char* directory, const char* name) const {
    return value_of(view_->lookup(value_of(view_->lookup(kRoot, directory)).object, name)).object;
  }
  [[nodiscard]] int snapshots_of(const std::function<void()>& call) const {
    const int before = env_.asked;
    call();
    return env_.asked - before;
  }
  [[nodiscard]] ErrorKind refusal(ObjectNumber object, const char* name) const {
    return view_->xattr(object, name).error().kind();
  }

  PackedTree tree_;
  TimeCountingEnv env_{tree_.memory()};
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
};

TEST_F(Untouched, ObjectsWithoutXattrsAreKnownWithoutASnapshot) {
  const auto file = object("d", "file");
  const auto symlink = object("d", "symlink");
  const auto taken = snapshots_of([&] {
    EXPECT_EQ(value_of(view_->attributes(file)).size_bytes, 5U);
    EXPECT_TRUE(value_of(view_->xattr_names(file)).empty());
    EXPECT_EQ(refusal(file, "security.capability"), ErrorKind::kNoAttribute);
    EXPECT_EQ(refusal(kRoot, "system.posix_acl_default"), ErrorKind::kNoAttribute);
    EXPECT_TRUE(value_of(view_->xattr_names(symlink)).empty());
    EXPECT_EQ(refusal(symlink, "user.x"), refusal(symlink, "user.y"));
    EXPECT_NE(refusal(symlink, "system.posix_acl_access"), ErrorKind::kNoAttribute);
  });
  EXPECT_EQ(taken, 0);
}

TEST_F(Untouched, ChangedObjectsTakeOne) {
  const auto file = object("changed", "file");
  expect_ok(view_->set_xattr(file, "user.x", as_bytes("value")));
  EXPECT_EQ(as_text(value_of(view_->xattr(file, "user.x"))), "value");
  EXPECT_EQ(value_of(view_->xattr_names(file)).size(), 1U);
  EXPECT_GT(snapshots_of([&] { value_of(view_->xattr_names(file)); }), 0);
  expect_ok(view_->remove_xattr(file, "user.x"));
  EXPECT_EQ(refusal(file, "user.x"), ErrorKind::kNoAttribute);
}

// Its directory has a whiteout, so the image alone cannot tell whether it has ended.
TEST_F(Untouched, AnObjectThatHasEndedIsUnknown) {
  const auto file = object("changed", "file");
  const auto directory = value_of(view_->lookup(kRoot, "changed")).object;
  value_of(view_->unlink(directory, "file"));
  expect_ok(view_->release(file));
  EXPECT_EQ(refusal(file, "user.x"), ErrorKind::kNotFound);
  EXPECT_EQ(view_->xattr_names(file).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace dgfs::test
