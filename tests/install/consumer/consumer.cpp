// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A program of another project: opens an image and packs a tree through the installed libraries.
// Both calls must fail, since neither input exists. The test is that the program links and runs.
#include <cstdio>

#include "builder/build.h"
#include "reader/image.h"
#include "storage/posix/env.h"

int main() {
  const auto env = dgfs::storage::make_posix_env();
  const auto image = dgfs::reader::Image::open(*env, "/nonexistent/tree.dgfs");
  dgfs::builder::BuildOptions options;
  options.source = "/nonexistent/tree";
  options.image_path = "/nonexistent/tree.dgfs";
  const auto report = dgfs::builder::build(*env, options);
  if (image.has_value() || report.has_value()) return 1;
  std::printf("%s\n%s\n", image.error().message().c_str(), report.error().message().c_str());
  return image.error().kind() == dgfs::ErrorKind::kNotFound &&
                 report.error().kind() == dgfs::ErrorKind::kNotFound
             ? 0
             : 1;
}
