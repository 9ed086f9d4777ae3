// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/tools/tree_fixture.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "storage/posix/env.h"

namespace dgfs::test {
namespace {

// Times: today, long ago with nanoseconds, and before 1970.
constexpr char kMakeTree[] = R"sh(set -e
umask 022
mkdir -p sub/deep empty .hidden_dir 'dir with space'
printf hello > hello.txt
: > nothing
head -c 600 /dev/zero | tr '\0' x > six_hundred
head -c 5000 /dev/zero | tr '\0' y > sub/five_thousand.c
head -c 200000 /dev/zero | tr '\0' z > sub/deep/large.bin
printf a > .hidden
printf b > 'dir with space/file with space'
printf c > "$(printf 'new\nline')"
printf d > "it's"
printf '#!/bin/sh\n' > script.sh
printf s > suid
ln hello.txt sub/hello.link
ln -s hello.txt link
ln -s sub link_to_dir
ln -s nowhere dangling
ln -s loop_b loop_a
ln -s loop_a loop_b
ln -s ../hello.txt sub/up
mkfifo fifo
truncate -s 1M sparse
printf end >> sparse
chmod 755 script.sh
chmod 4711 suid
chmod 640 six_hundred
chmod 1777 empty
touch -d '2001-02-03 04:05:06.789012345' six_hundred
touch -d '1965-01-01 00:00:00.5' suid
touch -h -d '2010-10-10 10:10:10' link
touch -d '10 days ago' sub/five_thousand.c
touch -d '2038-01-20 00:00:00' sub/deep/large.bin
)sh";

}  // namespace

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TreeFixture::TreeFixture()
    : env_(storage::make_posix_env()), tree_(dir_ / "tree"), image_(dir_ / "tree.dgfs") {}

void TreeFixture::SetUp() {
  ASSERT_TRUE(env_->make_directory(tree_, 0755));
  ASSERT_EQ(shell(kMakeTree), "");
  const Outcome built = run({"build", "--jobs", "2", tree_, image_});
  ASSERT_EQ(built.code, 0) << built.err;
}

Outcome TreeFixture::dgfs(const std::string& command, const std::vector<std::string>& rest,
                          ToolRunOptions options) {
  std::vector<std::string> arguments = {command, image_};
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return run(arguments, options);
}

Outcome TreeFixture::run(const std::vector<std::string>& arguments, ToolRunOptions options) {
  ToolRun tool(*env_, options);
  const int code = tool.run(arguments);
  return {code, tool.out(), tool.err()};
}

std::string TreeFixture::shell(const std::string& command) const {
  const std::string line = "export LC_ALL=C\ncd '" + tree_ + "' || exit 1\n" + command + "\n";
  std::FILE* pipe = ::popen(("exec 2>&1\n" + line).c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string out;
  std::array<char, 4096> chunk{};
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    out.append(chunk.data(), count);
  }
  ::pclose(pipe);
  return out;
}

}  // namespace dgfs::test
