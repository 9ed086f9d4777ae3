// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IndexTables: the parts of an index that stay in memory while it is open.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "format/entry/attribute_table.h"
#include "format/header/volume_header.h"
#include "format/model.h"
#include "format/page/directory.h"
#include "format/page_open.h"
#include "format/section/directory_table.h"
#include "format/section/inode_runs.h"
#include "format/section/state_id.h"
#include "format/section/volume_origins.h"
#include "format/zstd/content_dictionary.h"
#include "reader/index/source.h"
#include "reader/node.h"

namespace dgfs::reader {

/// Models and attribute tables by id. Immutable once loaded, thread-safe.
class Dictionaries final : public format::PageDictionaries {
 public:
  Dictionaries();
  /// kCorrupt if the id is taken.
  [[nodiscard]] Status add(std::shared_ptr<const format::Model> model);
  [[nodiscard]] Status add(format::AttributeTable table);

  [[nodiscard]] const format::Model* model(std::uint16_t id) const override;
  [[nodiscard]] const format::AttributeTable* attribute_table(std::uint16_t id) const override;
  [[nodiscard]] std::size_t memory_bytes() const;
  /// By id.
  [[nodiscard]] std::vector<Generation> model_list() const;
  /// By id.
  [[nodiscard]] std::vector<Generation> attribute_table_list() const;

 private:
  std::unordered_map<std::uint16_t, std::shared_ptr<const format::Model>> models_;
  std::unordered_map<std::uint16_t, format::AttributeTable> tables_;
};

/// Decodes a block of the models section. Errors: kCorrupt; kUnsupported (F-220, F-221).
[[nodiscard]] Result<std::shared_ptr<const format::Model>> decode_model(Bytes body);

struct IndexTables {
  format::PageDirectory pages;
  format::DirectoryTable directories;
  format::InodeRuns inodes;
  Dictionaries dictionaries;
  format::ContentDictionaries content_dictionaries;
  std::vector<format::VolumeRecord> volumes;
  std::vector<format::VolumeOrigin> origins;  ///< of volumes of other images
  std::optional<format::StateId> state;       ///< of a delta, which the tree equals
  std::uint64_t zone = 0;                     ///< zone of the tree's names
  bool may_be_nameless = false;               ///< a link record may have no names

  [[nodiscard]] std::size_t memory_bytes() const;

  /// Reads all sections except pages and side records (one read each), checks each, and checks that
  /// they agree. Cost is proportional to their length. A damaged block comes from the other copy.
  [[nodiscard]] static Result<IndexTables> load(const IndexSource& source, CounterCells& counters);
};

/// Checks the sections of one copy that load() reads, and the page root. Reports the damage.
void check_tables(const IndexCopy& copy, const std::function<void(const Error&)>& damaged);

}  // namespace dgfs::reader
