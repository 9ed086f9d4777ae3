// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/build.h"

#include <exception>

#include "builder/image_builder.h"

namespace dgfs::builder {

namespace {

Result<BuildReport> build_from(storage::Env& env, const BuildSource& source,
                               const BuildOptions& options) {
  try {
    return ImageBuilder(env, options, source).run();
  } catch (const std::exception& exception) {  // usually out of memory
    return Error(ErrorKind::kLimit, 4099, std::string("cannot build: ") + exception.what());
  }
}

}  // namespace

Result<BuildReport> build(storage::Env& env, const BuildOptions& options) {
  return build_from(env, {}, options);
}

Result<BuildReport> build(storage::Env& env, const storage::Directory& source,
                          const BuildOptions& options) {
  return build_from(env, {&source, nullptr}, options);
}

Result<BuildReport> build(storage::Env& env, const KeptTree& source, const BuildOptions& options) {
  return build_from(env, {&source.root(), &source}, options);
}

}  // namespace dgfs::builder
