// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The index file under construction: its first page kept free for the superblock, then sections
// one after another, hashed as they are written.
#pragma once

#include <cstdint>

#include "builder/spool/append_file.h"
#include "builder/spool/content_hash.h"
#include "builder/spool/spool.h"
#include "builder/stop.h"
#include "format/header/superblock.h"

namespace dgfs::builder {

class IndexFile {
 public:
  /// @param file  empty; must outlive this
  IndexFile(storage::File& file, StopFlag stop);

  /// What follows belongs to `kind`, until the next begin() or finish(). Empty sections do not
  /// appear in the superblock.
  /// @param hashed  whether it is content, as opposed to circumstances of the build
  [[nodiscard]] Status begin(format::SectionKind kind, bool hashed = true);
  [[nodiscard]] Status append(Bytes bytes);
  [[nodiscard]] Status append(const Spool& spool);
  /// Pads to whole pages and notes sections and length in `superblock`.
  [[nodiscard]] Status finish(format::Superblock& superblock);
  [[nodiscard]] Status write_superblock(const format::Superblock& superblock);

  /// Of the sections finished so far.
  [[nodiscard]] const ContentHash& hash() const { return hash_; }

 private:
  void end_section();

  storage::File& file_;
  AppendFile appender_;
  StopFlag stop_;
  ContentHash hash_;
  bool hashed_ = true;
  format::SectionPlace current_;
  std::array<format::SectionPlace, format::kSectionKinds> places_{};
};

}  // namespace dgfs::builder
