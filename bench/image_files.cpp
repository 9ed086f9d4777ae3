// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads whole files of an image with lookup() and read() of the library, for comparison with the
// other file readers.
//
//   dgfs_image_files read|direct IMAGE LIST THREADS [ROUNDS]
//
// direct: reads contents past the page cache. The image is opened before the clock starts.
#include <fmt/format.h>

#include <memory>

#include "bench/timed_reads.h"
#include "reader/image.h"
#include "storage/posix/env.h"

namespace {

using dgfs::reader::Image;

bool read_file(const Image& image, const std::string& path, dgfs::Buffer& buffer,
               std::uint64_t& bytes) {
  const auto node = image.lookup(path);
  if (!node) return false;
  buffer.resize(static_cast<std::size_t>(node.assume_value().size_bytes));
  if (!image.read(node.assume_value(), 0, buffer)) return false;
  bytes += buffer.size();
  return true;
}

dgfs::bench::ReadFile reader_of(const Image& image) {
  const auto buffer = std::make_shared<dgfs::Buffer>();
  return [&image, buffer](const std::string& path, std::uint64_t& bytes) {
    return read_file(image, path, *buffer, bytes);
  };
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 4) {
    fmt::print(stderr, "usage: {} read|direct IMAGE LIST THREADS [ROUNDS]\n", argv[0]);
    return 2;
  }
  const auto env = dgfs::storage::make_posix_env();
  dgfs::reader::OpenOptions options;
  options.contents_past_page_cache = arguments[0] == "direct";
  const auto image = Image::open(*env, arguments[1], options);
  const auto plan = dgfs::bench::read_plan({arguments.begin() + 2, arguments.end()});
  if (!image || plan.paths.empty()) {
    fmt::print(stderr, "{}: cannot open {} or {}\n", argv[0], arguments[1], arguments[2]);
    return 1;
  }
  return dgfs::bench::time_reads(plan, [&] { return reader_of(*image.assume_value()); });
}
