// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/help/mount_help.h"

#include <gtest/gtest.h>

#include "fuse/mount_arguments.h"

namespace dgfs::tools {
namespace {

/// Returns whether a mount, with a delta or without, knows the option: an error about an unknown
/// option is not about its value.
bool is_known(const std::string& option) {
  for (const std::string value : {"", "1", "data", "/x", "4096", "64M", "auto"}) {
    std::vector<std::string> options = {option + (option.ends_with('=') ? value : "")};
    if (fuse::mount_arguments(options, "source", 0)) return true;
    options.emplace_back("delta=/x");
    if (fuse::mount_arguments(options, "source", 0)) return true;
  }
  return false;
}

TEST(MountHelp, NamesOptionsThatTheMountKnows) {
  EXPECT_GT(mount_option_names().size(), 10U);
  for (const std::string& option : mount_option_names()) EXPECT_TRUE(is_known(option)) << option;
  EXPECT_FALSE(is_known("nonsense"));
  EXPECT_FALSE(is_known("nonsense="));
}

TEST(MountHelp, ShowsEachOptionOnALineThatFits) {
  const std::string lines = mount_option_section().lines;
  for (const std::string& option : mount_option_names()) {
    EXPECT_NE(lines.find("  " + option), std::string::npos) << option;
  }
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << lines.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace dgfs::tools
