// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents that are all zeros and take no time: a batch gets the checksums of zeros for its files'
// sizes, each computed only once, and an untouched buffer of the right length. The index equals
// that of a tree whose files hold zeros.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builder/read/batch_filler.h"

namespace dgfs::bench {

class ZeroContents final : public builder::BatchFiller {
 public:
  ZeroContents();
  /// Supports files of one frame; sets Batch::failure for others.
  void fill(builder::Batch& batch) override;

 private:
  [[nodiscard]] Status fill_items(builder::Batch& batch) const;

  std::vector<std::uint64_t> checksum_of_size_;
};

}  // namespace dgfs::bench
