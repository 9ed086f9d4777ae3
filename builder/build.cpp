// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/build.h"

#include <exception>

#include "builder/image_builder.h"

namespace dgfs::builder {

Result<BuildReport> build(storage::Env& env, const BuildOptions& options) {
  try {
    return ImageBuilder(env, options).run();
  } catch (const std::exception& exception) {  // usually out of memory
    return Error(ErrorKind::kLimit, 4099, std::string("cannot build: ") + exception.what());
  }
}

}  // namespace dgfs::builder
