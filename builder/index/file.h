// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The index file under construction: a first page reserved for the superblock, then sections one
// after another, hashed while they are written.
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

  /// Begins section `kind`, which ends with the next begin() or finish(). Empty sections do not
  /// appear in the superblock.
  /// @param hashed  false for a section that depends on circumstances of the build and not on the
  ///                content
  [[nodiscard]] Status begin(format::SectionKind kind, bool hashed = true);
  [[nodiscard]] Status append(Bytes bytes);
  [[nodiscard]] Status append(const Spool& spool);
  /// Pads to whole pages, and sets sections and length in `superblock`.
  [[nodiscard]] Status finish(format::Superblock& superblock);
  [[nodiscard]] Status write_superblock(const format::Superblock& superblock);

  /// Hash of the bytes of hashed sections so far.
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
