// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What an Image is made of. Private to the reader.
#pragma once

#include <optional>
#include <string>

#include "reader/content.h"
#include "reader/content_map.h"
#include "reader/counter_cells.h"
#include "reader/digests.h"
#include "reader/image.h"
#include "reader/index_source.h"
#include "reader/index_tables.h"
#include "reader/namespace.h"
#include "reader/opener.h"
#include "reader/page_store.h"
#include "reader/side_records.h"
#include "reader/volumes.h"
#include "reader/walker.h"

namespace dgfs::reader {

/// Parts refer to one another, so it stays where it was made.
struct Image::Impl {
  Impl(storage::Env& environment, OpenedFiles&& files, const OpenOptions& options);
  /// Fills tables; call once, before anything else.
  Status load(OpenedFiles&& files);

  /// Data segments of a sparse file; the node must have a map.
  [[nodiscard]] Result<ContentMapPointer> segments(const Node& node);
  /// Bytes of content: the file's size without its holes.
  [[nodiscard]] Result<std::uint64_t> content_bytes(const Node& node);
  [[nodiscard]] Result<std::size_t> read(const Node& node, std::uint64_t offset, MutableBytes out);
  [[nodiscard]] Status read_sparse(const Node& node, std::uint64_t offset, MutableBytes out);

  storage::Env& env;
  std::string index_path;
  std::optional<FoundVolume> volume_zero;
  CounterCells counters;
  IndexSource source;
  IndexTables tables;
  std::optional<Volumes> volumes;
  PageStore pages;
  FrameCache frames;
  ContentMapCache maps;
  Namespace names;
  Walker walker;
  SideRecords side_records;
  Digests digests;
  bool check_contents;
  std::optional<Content> content;
};

}  // namespace dgfs::reader
