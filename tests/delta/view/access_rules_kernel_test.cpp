// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The rules of modes and access lists, compared with those of the kernel: the test does the same on
// a real directory, with random lists, modes and umasks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "delta/view/access_rules.h"
#include "format/entry/access_list.h"
#include "tests/support/random.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using format::AccessEntry;
using format::AccessList;
using format::AccessTag;
using format::encode_access_list;

constexpr int kRounds = 100;

/// While it lives, new files of this process lack these bits.
class Umask {
 public:
  explicit Umask(std::uint32_t bits) : before_(umask(bits)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

/// Returns 0, or the kernel's error number.
int set_xattr(const std::string& path, std::string_view name, Bytes value) {
  const int done = lsetxattr(path.c_str(), name.data(), value.data(), value.size(), 0);
  return done == 0 ? 0 : errno;
}

/// Returns nullopt if the object has no such list.
std::optional<Buffer> list_at(const std::string& path, std::string_view name) {
  Buffer value(65536);
  const auto size = lgetxattr(path.c_str(), name.data(), value.data(), value.size());
  if (size < 0) {
    EXPECT_EQ(errno, ENODATA);
    return std::nullopt;
  }
  value.resize(static_cast<std::size_t>(size));
  return value;
}

view::Attributes attributes_at(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  view::Attributes attributes;
  attributes.mode = status.st_mode;
  attributes.uid = status.st_uid;
  attributes.gid = status.st_gid;
  return attributes;
}

/// Draws modes and lists, and makes a directory for the objects that get them.
class AccessRulesOfKernel : public testing::Test {
 protected:
  void SetUp() override {
    const auto value = encode_access_list(drawn_list());
    if (set_xattr(dir_.path(), format::kDefaultListXattr, value) == EOPNOTSUPP) {
      DGFS_SKIP("the file system of temporary files has no access lists");
    }
    ASSERT_EQ(set_xattr(dir_.path(), format::kDefaultListXattr, {}), 0);
  }

  std::uint32_t drawn_permissions() { return static_cast<std::uint32_t>(random_.below(8)); }
  std::uint32_t drawn_mode() { return static_cast<std::uint32_t>(random_.below(010000)); }
  bool is_root() const { return geteuid() == 0; }

  void add_named(AccessList& list, AccessTag tag) {
    for (auto count = random_.below(3); count > 0; --count) {
      const auto id = static_cast<std::uint32_t>(random_.below(4));
      list.push_back({.tag = tag, .permissions = drawn_permissions(), .id = id});
    }
  }

  /// A random valid list.
  AccessList drawn_list() {
    AccessList list = {{.tag = AccessTag::kOwner, .permissions = drawn_permissions()}};
    add_named(list, AccessTag::kUser);
    list.push_back({.tag = AccessTag::kOwningGroup, .permissions = drawn_permissions()});
    add_named(list, AccessTag::kGroup);
    if (list.size() > 2 || random_.one_in(3)) {
      list.push_back({.tag = AccessTag::kMask, .permissions = drawn_permissions()});
    }
    list.push_back({.tag = AccessTag::kOther, .permissions = drawn_permissions()});
    return list;
  }

  /// A valid list with one change, which may leave it valid.
  Buffer changed_list() {
    auto list = drawn_list();
    const auto at = static_cast<std::ptrdiff_t>(random_.below(list.size()));
    const auto place = list.begin() + at;
    switch (random_.below(7)) {
      case 0:
        list.erase(place);
        break;
      case 1:
        list.insert(place, AccessEntry(*place));
        break;
      case 2:
        std::swap(*place, list[random_.below(list.size())]);
        break;
      case 3:
        place->tag = AccessTag{static_cast<std::uint16_t>(random_.below(66))};
        break;
      case 4:
        place->permissions = static_cast<std::uint32_t>(random_.below(32));
        break;
      case 5:
        place->id = 0xFFFFFFFF;
        break;
      case 6:
        list.resize(random_.below(2));
        break;
    }
    auto value = encode_access_list(list);
    if (random_.one_in(10)) value.resize(random_.below(value.size() + 1));
    return value;
  }

  /// Returns a new name for each round.
  std::string next_path() { return dir_ / std::to_string(++last_name_); }

  std::string new_object(bool is_directory) {
    auto path = next_path();
    const Umask none(0);
    const bool is_made =
        is_directory ? mkdir(path.c_str(), 0755) == 0 : mknod(path.c_str(), S_IFREG | 0644, 0) == 0;
    EXPECT_TRUE(is_made) << path;
    return path;
  }

  TempDir dir_;
  Random random_{20};
  std::uint64_t last_name_ = 0;
};

void expect_is(const std::string& path, const view::Inherited& wanted) {
  const auto found = attributes_at(path);
  EXPECT_EQ(found.mode, wanted.mode);
  EXPECT_EQ(found.uid, wanted.uid);
  EXPECT_EQ(found.gid, wanted.gid);
  if (format::is_symlink(wanted.mode)) return;
  EXPECT_EQ(list_at(path, format::kAccessListXattr), wanted.access_list);
  EXPECT_EQ(list_at(path, format::kDefaultListXattr), wanted.default_list);
}

/// Makes an object with the type and the permissions of the mode.
void make(const std::string& path, std::uint32_t mode) {
  if (format::is_directory(mode)) {
    ASSERT_EQ(mkdir(path.c_str(), mode), 0);
  } else if (format::is_symlink(mode)) {
    ASSERT_EQ(symlink("target", path.c_str()), 0);
  } else {
    ASSERT_EQ(mknod(path.c_str(), mode, 0), 0);
  }
}

TEST_F(AccessRulesOfKernel, NewObjectsBeginAlike) {
  constexpr std::uint32_t kTypes[] = {format::kTypeRegular, format::kTypeDirectory,
                                      format::kTypeFifo, format::kTypeSocket, format::kTypeSymlink};
  for (int round = 0; round < kRounds; ++round) {
    const auto parent = new_object(true);
    if (is_root()) {
      ASSERT_EQ(lchown(parent.c_str(), 7, static_cast<gid_t>(random_.below(3))), 0);
    }
    ASSERT_EQ(chmod(parent.c_str(), random_.one_in(2) ? 02777 : 0777), 0);
    if (!random_.one_in(3)) {
      const auto value = encode_access_list(drawn_list());
      ASSERT_EQ(set_xattr(parent, format::kDefaultListXattr, value), 0);
    }
    const view::Credentials who = {
        .uid = geteuid(), .gid = getegid(), .umask = drawn_mode() & 0777};
    const auto type = kTypes[random_.below(std::size(kTypes))];
    // mkdir(2) passes no other bits to the file system.
    const auto mode = type | (drawn_mode() & (format::is_directory(type) ? 01777U : 07777U));
    SCOPED_TRACE(testing::Message()
                 << "round " << round << std::oct << ", mode " << mode << ", umask " << who.umask);
    const Umask mask(who.umask);
    ASSERT_NO_FATAL_FAILURE(make(parent + "/made", mode));
    expect_is(parent + "/made",
              view::inherit(attributes_at(parent), list_at(parent, format::kDefaultListXattr), mode,
                            who));
  }
}

TEST_F(AccessRulesOfKernel, ListsAreSetAndModesChangedAlike) {
  int kept = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const auto path = new_object(random_.one_in(2));
    ASSERT_EQ(chmod(path.c_str(), drawn_mode()), 0);
    for (int step = 0; step < 3; ++step) {
      const auto value = random_.one_in(5) ? Buffer() : encode_access_list(drawn_list());
      const auto set = view::set_access_list(attributes_at(path).mode, value);
      ASSERT_TRUE(set);
      ASSERT_EQ(set_xattr(path, format::kAccessListXattr, value), 0);
      ASSERT_EQ(attributes_at(path).mode, set.value().mode);
      ASSERT_EQ(list_at(path, format::kAccessListXattr).value_or(Buffer()),
                set.value().access_list);
      const auto before = list_at(path, format::kAccessListXattr);
      const auto permissions = drawn_mode();
      const auto wanted = view::chmod(attributes_at(path).mode, permissions, before);
      ASSERT_EQ(chmod(path.c_str(), permissions), 0);
      ASSERT_EQ(attributes_at(path).mode, wanted.mode);
      ASSERT_EQ(list_at(path, format::kAccessListXattr), wanted.access_list);
      kept += before ? 1 : 0;
    }
  }
  EXPECT_GT(kept, kRounds);
}

/// Returns 0 for errors that the rules do not tell.
int number_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument:
      return EINVAL;
    case ErrorKind::kPermission:
      return EACCES;
    case ErrorKind::kUnsupported:
      return EOPNOTSUPP;
    case ErrorKind::kOutOfRange:
      return ERANGE;
    default:
      return 0;
  }
}

TEST_F(AccessRulesOfKernel, TheSameListsAreRefused) {
  int refused = 0;
  const auto path = new_object(true);
  for (int round = 0; round < 10 * kRounds; ++round) {
    const auto value = changed_list();
    SCOPED_TRACE(testing::Message() << "round " << round << ": " << testing::PrintToString(value));
    const auto access = view::set_access_list(attributes_at(path).mode, value);
    const int wanted = access ? 0 : number_of(access.error().kind());
    ASSERT_EQ(set_xattr(path, format::kAccessListXattr, value), wanted);
    if (access) {
      ASSERT_EQ(attributes_at(path).mode, access.value().mode);
    }
    const auto by_default = view::set_default_list(attributes_at(path).mode, value);
    ASSERT_EQ(by_default.has_value(), access.has_value());
    ASSERT_EQ(set_xattr(path, format::kDefaultListXattr, value), wanted);
    if (by_default) {
      ASSERT_EQ(list_at(path, format::kDefaultListXattr).value_or(Buffer()), by_default.value());
    }
    refused += wanted != 0 ? 1 : 0;
  }
  EXPECT_GT(refused, kRounds);
  EXPECT_LT(refused, 9 * kRounds);
}

// If several errors are possible, rules and kernel give the same one.
TEST_F(AccessRulesOfKernel, AnyBytesOfAnyObjectAreRefusedForTheSameReason) {
  const auto link = next_path();
  ASSERT_EQ(symlink("target", link.c_str()), 0);
  const std::array paths = {new_object(false), new_object(true), link};
  std::set<int> reasons;
  for (int round = 0; round < 10 * kRounds; ++round) {
    const auto& path = paths.at(random_.below(paths.size()));
    auto value = changed_list();
    if (!value.empty() && random_.one_in(4)) value[0] = static_cast<std::uint8_t>(random_.below(4));
    SCOPED_TRACE(testing::Message() << path << ": " << testing::PrintToString(value));
    const auto mode = attributes_at(path).mode;
    const auto access = view::set_access_list(mode, value);
    const auto by_default = view::set_default_list(mode, value);
    const int of_access = access ? 0 : number_of(access.error().kind());
    const int of_default = by_default ? 0 : number_of(by_default.error().kind());
    ASSERT_EQ(set_xattr(path, format::kAccessListXattr, value), of_access);
    ASSERT_EQ(set_xattr(path, format::kDefaultListXattr, value), of_default);
    reasons.insert(of_access);
    reasons.insert(of_default);
  }
  EXPECT_EQ(reasons, (std::set<int>{0, EINVAL, EACCES, EOPNOTSUPP}));
}

TEST_F(AccessRulesOfKernel, DirectoriesAloneHaveDefaultLists) {
  const auto path = new_object(false);
  for (const auto& value : {encode_access_list(drawn_list()), encode_access_list({}), Buffer()}) {
    const auto set = view::set_default_list(attributes_at(path).mode, value);
    EXPECT_EQ(set_xattr(path, format::kDefaultListXattr, value),
              set ? 0 : number_of(set.error().kind()));
  }
  EXPECT_EQ(removexattr(path.c_str(), format::kDefaultListXattr.data()), 0);
  EXPECT_EQ(removexattr(path.c_str(), format::kAccessListXattr.data()), 0);
  const auto link = next_path();
  ASSERT_EQ(symlink("target", link.c_str()), 0);
  const auto value = encode_access_list(drawn_list());
  EXPECT_EQ(set_xattr(link, format::kAccessListXattr, value), EOPNOTSUPP);
  EXPECT_EQ(set_xattr(link, format::kDefaultListXattr, {}), EOPNOTSUPP);
}

TEST_F(AccessRulesOfKernel, AChangeOfOwnerTakesTheSameBits) {
  for (int round = 0; round < kRounds; ++round) {
    const auto path = new_object(random_.one_in(2));
    ASSERT_EQ(chmod(path.c_str(), drawn_mode()), 0);
    const auto before = attributes_at(path);
    // Without root's rights, uid and gid stay as they are.
    const auto uid = is_root() ? static_cast<uid_t>(random_.below(2)) : before.uid;
    ASSERT_EQ(lchown(path.c_str(), uid, before.gid), 0);
    EXPECT_EQ(attributes_at(path).mode, view::chown_mode(before.mode)) << std::oct << before.mode;
  }
}

TEST_F(AccessRulesOfKernel, AWriteAndATruncationTakeTheSameBits) {
  for (int round = 0; round < kRounds; ++round) {
    const auto path = new_object(false);
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_GE(file, 0);
    ASSERT_EQ(chmod(path.c_str(), drawn_mode()), 0);
    const auto before = attributes_at(path);
    // Linux exempts users who may set the bits, so the call runs as another file-system user.
    const auto user = setfsuid(is_root() ? 65534 : geteuid());
    const bool is_done = random_.one_in(2) ? write(file, "x", 1) == 1 : ftruncate(file, 5) == 0;
    setfsuid(static_cast<uid_t>(user));
    EXPECT_TRUE(is_done);
    EXPECT_EQ(attributes_at(path).mode, view::written_mode(before.mode)) << std::oct << before.mode;
    close(file);
  }
}

TEST_F(AccessRulesOfKernel, TheSameNamesOfAttributesAreTaken) {
  const auto path = new_object(false);
  std::vector<std::string> names = {"user.a",
                                    "user.",
                                    "system.",
                                    "system.posix_acl_access.",
                                    "system.posix_acl_acces",
                                    "User.a",
                                    "",
                                    "user." + std::string(250, 'a'),
                                    "user." + std::string(251, 'a')};
  // For these names Linux tells other users only that they may not.
  if (is_root()) names.insert(names.end(), {"trusted.", "trusted.a", "security.", "security.a"});
  for (const auto& name : names) {
    const auto checked = view::check_xattr_name(name);
    EXPECT_EQ(set_xattr(path, name, as_bytes("v")), checked ? 0 : number_of(checked.error().kind()))
        << name;
  }
}

}  // namespace
}  // namespace dgfs::test
