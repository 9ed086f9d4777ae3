// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_compression TREE SCRATCH: size of a tree as an image, and time to build it, by level and by
// the longest dictionary of a class; prints one line of JSON for each. SCRATCH is a directory.
//   --levels 3,6,12      levels of zstd
//   --dictionaries 0,124 KiB; at most 256
//   --no-dedup           also stores identical contents
// Frames: --frames 16,64,128,1024 (KiB) only cuts contents into frames of that size in memory, at
// each level and without dictionaries: shows what larger frames would save, without an image.
#include <fmt/format.h>
#include <zstd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "builder/build.h"
#include "format/header/index_path.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

struct Options {
  std::string tree;
  std::string scratch;
  std::vector<int> levels = {3, 6, 12};
  std::vector<std::size_t> dictionary_kibibytes = {124};
  std::vector<std::size_t> frame_kibibytes;
  bool no_dedup = false;
};

int build_images(const Options& options) {
  const auto env = storage::make_posix_env();
  for (const int level : options.levels) {
    for (const auto kibibytes : options.dictionary_kibibytes) {
      builder::BuildOptions build;
      build.source = options.tree;
      build.image_path = options.scratch + "/compression.dgfs";
      build.compression = builder::Compression{level, kibibytes << 10};
      build.dedup = !options.no_dedup;
      const auto report = builder::build(*env, build);
      if (!report) {
        fmt::print(stderr, "dgfs_compression: {}\n", report.error().message());
        return 1;
      }
      const auto& dictionaries =
          report.value().superblock.section(format::SectionKind::kDictionaries);
      fmt::print(
          "{{\"level\":{},\"dictionary_bytes\":{},\"image_bytes\":{},\"index_bytes\":{},"
          "\"dictionaries_bytes\":{},\"stored_bytes\":{},\"seconds\":{:.3f}}}\n",
          level, kibibytes << 10, report.value().image_bytes, report.value().index_bytes,
          dictionaries.length_bytes, report.value().superblock.stored_bytes,
          static_cast<double>(report.value().elapsed_ns) / 1e9);
      std::fflush(stdout);
      std::filesystem::remove(build.image_path);
      std::filesystem::remove(format::default_index_path(build.image_path));
    }
  }
  return 0;
}

Buffer read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void compress_frames(const Options& options) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
  for (const int level : options.levels) {
    for (const auto kibibytes : options.frame_kibibytes) {
      const auto frame_bytes = kibibytes << 10;
      Buffer out(ZSTD_compressBound(frame_bytes));
      std::uint64_t stored_bytes = 0;
      const auto begin = std::clock();
      for (const auto& item : std::filesystem::recursive_directory_iterator(options.tree)) {
        if (!item.is_regular_file() || item.is_symlink()) continue;
        const auto content = read_file(item.path());
        for (std::size_t at = 0; at < content.size(); at += frame_bytes) {
          const auto part = std::min(frame_bytes, content.size() - at);
          stored_bytes += std::min(part, ZSTD_compressCCtx(context.get(), out.data(), out.size(),
                                                           content.data() + at, part, level));
        }
      }
      fmt::print("{{\"level\":{},\"frame_bytes\":{},\"stored_bytes\":{},\"cpu_seconds\":{:.1f}}}\n",
                 level, frame_bytes, stored_bytes,
                 static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  dgfs::bench::Options options;
  CLI::App app("What a tree takes compressed, by level, dictionary and frame size");
  app.add_option("tree", options.tree)->required();
  app.add_option("scratch", options.scratch)->required();
  app.add_option("--levels", options.levels)->delimiter(',');
  app.add_option("--dictionaries", options.dictionary_kibibytes)->delimiter(',');
  app.add_option("--frames", options.frame_kibibytes)->delimiter(',');
  app.add_flag("--no-dedup", options.no_dedup);
  CLI11_PARSE(app, argc, argv);
  if (options.frame_kibibytes.empty()) return dgfs::bench::build_images(options);
  dgfs::bench::compress_frames(options);
  return 0;
}
