// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount_arguments.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dgfs::fuse {
namespace {

constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kNobody = 65534;

Result<MountArguments> parse(const std::vector<std::string>& options,
                             std::uint32_t user_id = kRoot) {
  return mount_arguments(options, "x", user_id);
}

bool has(const MountArguments& arguments, const std::string& wanted) {
  return std::count(arguments.arguments.begin(), arguments.arguments.end(), wanted) != 0;
}

TEST(MountArguments, AlwaysReadOnlyAndChecked) {
  const auto arguments = mount_arguments({}, "/a/b.dgfs", kRoot);
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(has(arguments.value(), "-oro"));
  EXPECT_TRUE(has(arguments.value(), "-odefault_permissions"));
  EXPECT_TRUE(has(arguments.value(), "-osubtype=dgfs"));
  EXPECT_TRUE(has(arguments.value(), "-ofsname=/a/b.dgfs"));
}

TEST(MountArguments, FlagsArePassedOn) {
  const std::vector<std::string> options = {"allow_other", "noexec", "dev", "suid"};
  const auto arguments = parse(options);
  ASSERT_TRUE(arguments);
  for (const auto& option : options) EXPECT_TRUE(has(arguments.value(), "-o" + option));
}

TEST(MountArguments, WhatMountKeepsForItselfIsTaken) {
  const std::vector<std::string> options = {"user=me", "uhelper=dgfs", "defaults",
                                            "noauto",  "user",         "",
                                            "nofail",  "_netdev",      "x-systemd.automount=1"};
  const auto plain = parse({});
  const auto arguments = parse(options);
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().arguments, plain.value().arguments);
}

TEST(MountArguments, ValuesReplaceDefaultsAndKeepCommas) {
  const auto arguments = parse({"fsname=a,b", "subtype=other"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(has(arguments.value(), "-ofsname=a\\,b"));
  EXPECT_TRUE(has(arguments.value(), "-osubtype=other"));
  EXPECT_FALSE(has(arguments.value(), "-ofsname=x"));
}

TEST(MountArguments, MaxReadGoesToBothSides) {
  const auto arguments = parse({"max_read=65536"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().max_read_bytes, 65536u);
  EXPECT_TRUE(has(arguments.value(), "-omax_read=65536"));
}

TEST(MountArguments, SecurityContextsArePassedOnAndQuotedIfTheyHaveCommas) {
  for (const std::string name : {"context", "fscontext", "defcontext", "rootcontext"}) {
    const auto plain = parse({name + "=u:r:t:s0"});
    ASSERT_TRUE(plain) << name;
    EXPECT_TRUE(has(plain.value(), "-o" + name + "=u:r:t:s0"));
    EXPECT_TRUE(plain.value().has_security_context);
    for (const std::string value : {"\"u:r:t:s0:c1,c2\"", "u:r:t:s0:c1,c2"}) {
      const auto listed = parse({name + "=" + value});
      ASSERT_TRUE(listed) << name << value;
      EXPECT_TRUE(has(listed.value(), "-o" + name + "=\"u:r:t:s0:c1\\,c2\""));
    }
    for (const std::string value : {"", "\"\"", "\"u:r:t", "u\":r:t", "\""}) {
      EXPECT_FALSE(parse({name + "=" + value})) << name << value;
    }
  }
  EXPECT_FALSE(parse({}).value().has_security_context);
}

TEST(MountArguments, AnIdleTimeHasAUnit) {
  EXPECT_EQ(parse({}).value().idle.count(), 0);
  for (const auto& [text, seconds] : std::vector<std::pair<std::string, int>>{
           {"0", 0}, {"90", 90}, {"90s", 90}, {"10m", 600}, {"2h", 7200}, {"8784h", 31622400}}) {
    const auto arguments = parse({"idle=" + text});
    ASSERT_TRUE(arguments) << text;
    EXPECT_EQ(arguments.value().idle.count(), seconds) << text;
  }
  EXPECT_TRUE(parse({"idle=1m", "delta=/d"}));
  for (const std::string bad : {"idle=", "idle=m", "idle=-1", "idle=1d", "idle=1ms", "idle=8785h",
                                "idle=18446744073709551615h", "idle"}) {
    EXPECT_FALSE(parse({bad})) << bad;
  }
}

TEST(MountArguments, LibfuseDoesNotGetAutoUnmount) {
  const auto arguments = parse({"auto_unmount"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments.value().unmounts_after_death);
  EXPECT_FALSE(has(arguments.value(), "-oauto_unmount"));
  EXPECT_FALSE(parse({}).value().unmounts_after_death);
}

TEST(MountArguments, PrefetchingCanBeLeftOut) {
  EXPECT_TRUE(parse({"noatime"}).value().prefetch);
  EXPECT_FALSE(parse({"noprefetch"}).value().prefetch);
}

TEST(MountArguments, ThreadsAreAnOptionToo) {
  EXPECT_EQ(parse({}).value().threads, 0u);
  EXPECT_EQ(parse({"threads=3"}).value().threads, 3u);
  for (const char* bad : {"threads=", "threads=-1", "threads=x", "threads=1000000"}) {
    EXPECT_FALSE(parse({bad})) << bad;
  }
}

TEST(MountArguments, CachesHaveSizes) {
  EXPECT_EQ(parse({}).value().page_cache_bytes, std::nullopt);
  const auto arguments = parse({"page_cache=5G", "frame_cache=0"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().page_cache_bytes, std::uint64_t{5} << 30);
  EXPECT_EQ(arguments.value().frame_cache_bytes, 0u);
  EXPECT_EQ(parse({"page_cache=4T", "page_cache=70000"}).value().page_cache_bytes, 70000u);
}

TEST(MountArguments, WhatAttributesShow) {
  const auto none = parse({});
  ASSERT_TRUE(none);
  EXPECT_FALSE(none.value().overrides.any());
  const auto all = parse({"uid=1000", "gid=4294967294", "umask=027"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all.value().overrides.uid, 1000u);
  EXPECT_EQ(all.value().overrides.gid, 0xFFFFFFFEu);
  EXPECT_EQ(all.value().overrides.umask, 027u);
}

TEST(MountArguments, WhereTheImageLies) {
  const auto arguments = parse({"index=/a.idx", "volume=/b", "volume=/c", "offset=3M"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().index_path, "/a.idx");
  EXPECT_EQ(arguments.value().volume_paths, (std::vector<std::string>{"/b", "/c"}));
  EXPECT_EQ(arguments.value().offset_bytes, 3u << 20);
  EXPECT_EQ(parse({"offset=512"}).value().offset_bytes, 512u);
}

TEST(MountArguments, WhatIsChecked) {
  EXPECT_EQ(parse({}).value().check, Check::kData);
  EXPECT_EQ(parse({"check=off"}).value().check, Check::kOff);
  EXPECT_EQ(parse({"check=off", "check=data"}).value().check, Check::kData);
  EXPECT_EQ(parse({"check=all"}).value().check, Check::kAll);
}

TEST(MountArguments, OnlyRootGivesSuidAndDev) {
  for (const std::string option : {"suid", "dev"}) {
    EXPECT_TRUE(parse({option}));
    const auto refused = parse({option}, kNobody);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), ErrorKind::kPermission);
    EXPECT_NE(refused.error().text().find(option), std::string::npos);
  }
  EXPECT_TRUE(parse({"nosuid", "nodev"}, kNobody));
}

TEST(MountArguments, SloppyLeavesUnknownOnesOut) {
  EXPECT_TRUE(parse({"sloppy", "colour", "colour=red"}));
  EXPECT_FALSE(parse({"sloppy", "uid=red"}))
      << "a known option with a bad value is not an unknown one";
  EXPECT_FALSE(parse({"sloppy", "remount"}));
}

TEST(MountArguments, UnknownOnesAndBadValuesAreNamed) {
  for (const std::string option : {"colour",
                                   "colour=red",
                                   "max_read=x",
                                   "max_read=",
                                   "max_read=1",
                                   "max_read=99999999999",
                                   "allow_other=1",
                                   "fsname=",
                                   "subtype=",
                                   "index=",
                                   "volume=",
                                   "uid",
                                   "uid=",
                                   "uid=root",
                                   "uid=-1",
                                   "uid=4294967295",
                                   "gid=x",
                                   "umask=8",
                                   "umask=1000",
                                   "umask=",
                                   "offset=",
                                   "offset=K",
                                   "offset=1X",
                                   "offset=-1",
                                   "offset=9999999999999T",
                                   "page_cache=",
                                   "page_cache=M",
                                   "page_cache=5T",
                                   "frame_cache=lots",
                                   "frame_cache=-1",
                                   "frame_cache",
                                   "check=",
                                   "check=on",
                                   "check",
                                   "delta=",
                                   "size=1G",
                                   "commit=1",
                                   "memory=64M",
                                   "writeback",
                                   "writethrough",
                                   "rw",
                                   "remount"}) {
    const auto arguments = parse({option});
    ASSERT_FALSE(arguments) << option;
    EXPECT_EQ(arguments.error().kind(), ErrorKind::kInvalidArgument);
    EXPECT_NE(arguments.error().text().find(option.substr(0, option.find('='))), std::string::npos);
  }
}

TEST(MountArguments, ADeltaMakesTheMountOneToWriteTo) {
  const auto arguments = parse({"delta=/d", "size=1G", "commit=5", "memory=32M", "writeback"});
  ASSERT_TRUE(arguments);
  const auto& found = arguments.value();
  EXPECT_EQ(found.delta_path, "/d");
  EXPECT_FALSE(found.is_read_only);
  EXPECT_FALSE(has(found, "-oro"));
  EXPECT_TRUE(has(found, "-odefault_permissions"));
  EXPECT_EQ(found.size_bytes_max, std::uint64_t{1} << 30);
  EXPECT_EQ(found.commit_interval, std::chrono::seconds(5));
  EXPECT_EQ(found.memory_bytes, std::size_t{32} << 20);
  EXPECT_TRUE(found.writes_back);
  EXPECT_TRUE(parse({"delta=/d", "rw"}));
}

TEST(MountArguments, TheLastOfRoAndRwCounts) {
  const auto first = parse({"delta=/d", "rw", "ro"});
  ASSERT_TRUE(first);
  EXPECT_TRUE(first.value().is_read_only);
  EXPECT_TRUE(has(first.value(), "-oro"));
  const auto second = parse({"delta=/d", "ro", "rw"});
  ASSERT_TRUE(second);
  EXPECT_FALSE(second.value().is_read_only);
}

TEST(MountArguments, AStateOfThePastIsReadOnly) {
  const auto arguments = parse({"delta=/d", "as_of=nightly", "as_of_time=@1700000000.000000017"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments.value().is_read_only);
  EXPECT_TRUE(has(arguments.value(), "-oro"));
  EXPECT_EQ(arguments.value().as_of, "nightly");
  EXPECT_EQ(arguments.value().as_of_time, (Time{1'700'000'000, 17}));
  EXPECT_EQ(parse({"delta=/d", "as_of=x", "as_of_time=@5"}).value().as_of_time, (Time{5, 0}));
  for (const std::string option : {"as_of=", "as_of_time=5", "as_of_time=@", "as_of_time=@5.1",
                                   "as_of_time=@x", "as_of_time=@99999999999999999999", "rw"}) {
    EXPECT_FALSE(parse({"delta=/d", "as_of=nightly", option})) << option;
  }
  EXPECT_FALSE(parse({"as_of=nightly"})) << "only with a delta";
}

TEST(MountArguments, SealsComeAtATimeOrASize) {
  const auto arguments = parse({"delta=/d", "seal=24h", "seal=10G"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().seal_interval, std::chrono::hours(24));
  EXPECT_EQ(arguments.value().seal_bytes, std::uint64_t{10} << 30);
  for (const std::string option :
       {"seal=", "seal=0s", "seal=24", "seal=1K", "seal=h", "seal=10g", "seal=999999999h"}) {
    EXPECT_FALSE(parse({"delta=/d", option})) << option;
  }
  EXPECT_FALSE(parse({"seal=24h"})) << "only with a delta";
  EXPECT_FALSE(parse({"delta=/d", "ro", "seal=24h"})) << "nothing changes there";
}

TEST(MountArguments, OwnersMayBeShownWithADelta) {
  const auto arguments = parse({"delta=/d", "uid=1", "gid=2", "umask=022"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments.value().overrides.uid, 1U);
  EXPECT_EQ(arguments.value().overrides.umask, 022U);
}

// libfuse checks the users of requests then, which mapped ids would hide.
TEST(MountArguments, AllowRootRefusesMappedIds) {
  EXPECT_TRUE(parse({"allow_other"}).value().allows_idmaps);
  EXPECT_FALSE(parse({"allow_root"}).value().allows_idmaps);
}

TEST(MountArguments, SyncMakesEachChangeDurableAtOnce) {
  for (const std::string option : {"sync", "dirsync", "commit=0"}) {
    const auto arguments = parse({"delta=/d", option});
    ASSERT_TRUE(arguments) << option;
    EXPECT_EQ(arguments.value().commit_interval.count(), 0) << option;
  }
}

TEST(MountArguments, WhatIsOfMountsWithoutADeltaIsRefusedWithOne) {
  for (const std::string option :
       {"page_cache=1M", "frame_cache=1M", "size=1M", "commit=301", "memory=1M"}) {
    const auto arguments = parse({"delta=/d", option});
    ASSERT_FALSE(arguments) << option;
    EXPECT_EQ(arguments.error().kind(), ErrorKind::kInvalidArgument) << option;
  }
}

}  // namespace
}  // namespace dgfs::fuse
