// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/view/base_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "builder/build.h"

namespace dgfs::bench {
namespace {

Status make_files(const std::string& directory, std::uint64_t count, std::uint64_t file_bytes) {
  std::filesystem::create_directory(directory);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto path = directory + "/" + file_name(i);
    std::string content = path;
    content.resize(file_bytes, '.');
    if (!std::ofstream(path).write(content.data(), static_cast<std::streamsize>(file_bytes))) {
      return Error(ErrorKind::kIo, 9032, "cannot be written").in_file(path);
    }
  }
  return ok();
}

// Writes bytes that do not compress.
Status make_big(const std::string& path, std::uint64_t mib) {
  std::ofstream out(path);
  std::mt19937_64 engine(1);
  std::vector<std::uint64_t> numbers((std::size_t{1} << 20) / sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < mib && out; ++i) {
    std::ranges::generate(numbers, [&] { return engine(); });
    out.write(reinterpret_cast<const char*>(numbers.data()), std::streamsize{1} << 20);
  }
  if (out) return ok();
  return Error(ErrorKind::kIo, 9035, "cannot be written").in_file(path);
}

}  // namespace

std::string file_name(std::uint64_t number) { return fmt::format("file-{:07}", number); }
std::string directory_name(std::uint64_t number) { return fmt::format("directory-{:05}", number); }
std::string small_path(std::uint64_t number) {
  return fmt::format("{}/{}", kSmall, directory_name(number));
}

Status make_tree(const BaseTree& tree, const std::string& path) {
  std::filesystem::create_directory(path);
  std::filesystem::create_directory(path + "/" + kSmall);
  DGFS_CHECK(make_files(path + "/" + kLarge, tree.large_files, tree.file_bytes));
  if (tree.big_mib != 0) {
    DGFS_CHECK(make_big(path + "/" + kBig, tree.big_mib));
  }
  for (std::uint64_t i = 0; i < tree.small_directories; ++i) {
    DGFS_CHECK(make_files(path + "/" + small_path(i), tree.small_files, tree.file_bytes));
  }
  return ok();
}

Status pack_tree(storage::Env& env, const std::string& path, const std::string& image) {
  builder::BuildOptions options;
  options.source = path;
  options.image_path = image;
  DGFS_CHECK(builder::build(env, options));
  std::filesystem::remove_all(path);
  return ok();
}

}  // namespace dgfs::bench
