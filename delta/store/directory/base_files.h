// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The files of bases in the directory of a delta:
//
//   DIR/base.0003.dgfs, DIR/base.0003.dgfs.idx   the base and its index
//   DIR/base.0001.dgfs                           an earlier one with contents that it needs
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/store/directory/manifest.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Shared locks of the files that a base consists of: nobody removes them meanwhile. Moved, not
/// copied.
class HeldBase {
 public:
  HeldBase() = default;
  /// Holds the base of a manifest; nothing if there is none, and no earlier base that is missing.
  /// Errors: kCorrupt (the base is missing), kBusy (it is being removed), kIo.
  [[nodiscard]] static Result<HeldBase> hold(storage::Env& env, const std::string& directory,
                                             const Manifest& manifest);
  [[nodiscard]] bool empty() const { return files_.empty(); }

 private:
  std::vector<std::unique_ptr<storage::File>> files_;
};

/// Files or stores that nothing needs. A value.
struct Removal {
  std::size_t removed = 0;
  std::size_t held = 0;  ///< left, because a process uses them
};

/// For the files of the next base, above those of all bases and stores.
[[nodiscard]] std::uint64_t next_base_number(const Manifest& manifest);
/// Whether merges make files with this name, apart from hidden ones.
[[nodiscard]] bool is_base_file(std::string_view name);
/// Removes the files of bases that the manifest does not need and that nobody holds, and hidden
/// files that an interrupted merge has left. Directories, links and the like stay, whatever their
/// names. Errors: kIo.
[[nodiscard]] Result<Removal> remove_unneeded_bases(storage::Env& env, const std::string& directory,
                                                    const Manifest& manifest);

}  // namespace dgfs::delta
