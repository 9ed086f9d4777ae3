// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "format/coding.h"
#include "reader/index/page_root_check.h"
#include "reader/index/section_blocks.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

using format::SectionKind;

// Memory of a combination: it stands in a vector and in a hash table, where it has a small vector
// of its own.
constexpr std::size_t kCombinationBytes = sizeof(format::AttributeCombination) + 64;
// Loading a table of so many directories takes about as long as starting a thread.
constexpr std::uint64_t kApartDirectoriesMin = 16384;
constexpr std::uint64_t kVolumesMax = 65536;  // F-035: numbers of 16 bits, each once

Error disagree(std::uint16_t code, const IndexCopy& copy, SectionKind kind, std::string text) {
  return Error(ErrorKind::kCorrupt, code, std::move(text))
      .in_file(copy.path())
      .in_section(format::section_name(kind))
      .at_offset(copy.section_offset(kind));
}

// F-243, F-320: the names of the tree come first, in one zone; link records follow.
Status check_zones(const IndexCopy& copy, const format::PageDirectory& pages) {
  const auto names = copy.superblock().namespace_entries;
  const auto zone = pages.record(0).zone;
  if (zone == format::kLinkZone) {
    return disagree(3011, copy, SectionKind::kPageDirectory, "the first page is not of a tree");
  }
  const auto last_page = pages.find_ordinal(names - 1);
  if (!last_page || pages.record(*last_page).zone != zone) {
    return disagree(3012, copy, SectionKind::kPageDirectory, "names in more than one zone");
  }
  if (*last_page + 1 < pages.size()) {
    const auto next = pages.record(*last_page + 1);
    if (next.zone != format::kLinkZone || next.first_ordinal != names) {
      return disagree(3013, copy, SectionKind::kPageDirectory,
                      "link records do not begin where the names end");
    }
  }
  return ok();
}

// A block of a few bytes may decode to many records with long bounds, so both are bounded.
Result<format::PageDirectory> load_records(const HealingCopy& index) {
  const auto& copy = index.copy;
  const auto pages =
      copy.superblock().section(SectionKind::kPages).length_bytes / format::kPageBytes;
  ExpansionBudget budget(copy);
  format::PageDirectory::Loader loader(pages);
  DGFS_CHECK(for_each_block(index, SectionKind::kPageDirectory, [&](Bytes body) -> Status {
    const auto bound_bytes = loader.bound_bytes();
    DGFS_CHECK(loader.add(body));
    if (loader.page_count() > pages) {
      return Error(ErrorKind::kCorrupt, 3024, "more records than there are pages");
    }
    return budget.take(loader.bound_bytes() - bound_bytes);
  }));
  if (loader.page_count() != pages) {
    return disagree(3014, copy, SectionKind::kPageDirectory, "fewer records than there are pages");
  }
  return std::move(loader).finish();
}

Result<format::PageDirectory> load_pages(const HealingCopy& index) {
  const auto& copy = index.copy;
  DGFS_TRY(pages, load_records(index));
  const auto& superblock = copy.superblock();
  // F-025
  if (superblock.namespace_entries > pages.entry_count() ||
      superblock.link_entries != pages.entry_count() - superblock.namespace_entries) {
    return disagree(3015, copy, SectionKind::kPageDirectory,
                    "the number of entries differs from the superblock");
  }
  DGFS_CHECK(check_zones(copy, pages));
  return pages;
}

Result<format::DirectoryTable> load_directories(const HealingCopy& index) {
  const auto& copy = index.copy;
  constexpr auto kKind = SectionKind::kDirectoryTable;
  const auto& superblock = copy.superblock();
  format::DirectoryTable::Loader loader(superblock.namespace_entries, superblock.directories);
  DGFS_CHECK(for_each_block(index, kKind, [&](Bytes body) { return loader.add(body); }));
  return placed_result(std::move(loader).finish(), copy.path(), format::section_name(kKind),
                       copy.section_offset(kKind));
}

Result<Dictionaries> load_dictionaries(const HealingCopy& index) {
  Dictionaries dictionaries;
  ExpansionBudget budget(index.copy);
  DGFS_CHECK(for_each_block(index, SectionKind::kModels, [&](Bytes body) -> Status {
    DGFS_TRY(model, decode_model(body));
    DGFS_CHECK(budget.take(model->memory_bytes()));
    return dictionaries.add(std::move(model));
  }));
  DGFS_CHECK(for_each_block(index, SectionKind::kAttributeTables, [&](Bytes body) -> Status {
    DGFS_TRY(table, format::AttributeTable::decode(body));
    DGFS_CHECK(budget.take(table.size() * kCombinationBytes));
    return dictionaries.add(std::move(table));
  }));
  return dictionaries;
}

Result<format::ContentDictionaries> load_content_dictionaries(const HealingCopy& index) {
  format::ContentDictionaries dictionaries;
  DGFS_CHECK(for_each_block(index, SectionKind::kDictionaries, [&](Bytes body) -> Status {
    DGFS_TRY(dictionary, format::decode_content_dictionary(body));
    return dictionaries.add(std::move(dictionary));
  }));
  return dictionaries;
}

// So many times the stored bytes of the section may runs take in memory. An honest run takes a byte
// or more where old and new numbers alternate, and 28 bytes in memory.
constexpr std::uint64_t kRunExpansionMax = 64;

// A block of a few bytes may decode to millions of runs, as many as pages of a few bytes claim to
// have entries.
Result<format::InodeRuns> load_inodes(const HealingCopy& index) {
  const auto& copy = index.copy;
  constexpr auto kKind = SectionKind::kInodeRuns;
  const auto& superblock = copy.superblock();
  const bool is_split = (superblock.incompat & format::feature::kIncompatSplitInodes) != 0;
  ExpansionBudget budget(copy);
  budget.add(kRunExpansionMax * superblock.section(kKind).length_bytes);
  format::InodeRuns::Loader loader(superblock.namespace_entries);
  std::uint64_t blocks = 0;
  DGFS_CHECK(for_each_block(index, kKind, [&](Bytes body) -> Status {
    if (++blocks > 1 && !is_split) {
      return Error(ErrorKind::kCorrupt, 3025, "a second block of runs");
    }
    DGFS_TRY(count, loader.count(body));
    DGFS_CHECK(budget.take(count * format::InodeRuns::kRunBytes));
    return loader.add(body);
  }));
  DGFS_TRY(runs,
           placed_result(std::move(loader).finish(is_split ? format::Numbering::kSplit
                                                           : format::Numbering::kWhole),
                         copy.path(), format::section_name(kKind), copy.section_offset(kKind)));
  if (runs.end_inode() > superblock.next_inode) {  // F-064
    return disagree(3017, copy, kKind, "a number is above the superblock's next one");
  }
  return runs;
}

Result<std::vector<format::VolumeRecord>> load_volumes(const HealingCopy& index) {
  const auto& copy = index.copy;
  constexpr auto kKind = SectionKind::kVolumes;
  const auto* name = format::section_name(kKind);
  DGFS_TRY(body, only_block(index, kKind));
  DGFS_CHECK(placed_result(check_count(body, kVolumesMax, "volumes"), copy.path(), name,
                           copy.section_offset(kKind)));
  return placed_result(format::decode_volume_table(body), copy.path(), name,
                       copy.section_offset(kKind));
}

// F-350, F-353
Result<std::vector<format::VolumeOrigin>> load_origins(
    const HealingCopy& index, const std::vector<format::VolumeRecord>& volumes) {
  const auto& copy = index.copy;
  constexpr auto kKind = SectionKind::kVolumeOrigins;
  const auto& superblock = copy.superblock();
  if ((superblock.incompat & format::feature::kIncompatForeignVolumes) == 0) {
    return std::vector<format::VolumeOrigin>();
  }
  if (superblock.section(kKind).length_bytes == 0) {
    return disagree(3026, copy, SectionKind::kVolumes, "the origins of volumes are missing");
  }
  DGFS_TRY(body, only_block(index, kKind));
  DGFS_TRY(origins, placed_result(format::decode_volume_origins(body), copy.path(),
                                  format::section_name(kKind), copy.section_offset(kKind)));
  for (const format::VolumeOrigin& origin : origins) {
    const auto volume =
        std::ranges::lower_bound(volumes, origin.number, {}, &format::VolumeRecord::number);
    if (volume == volumes.end() || volume->number != origin.number) {
      return disagree(3027, copy, kKind, "of a volume that the image does not have");
    }
    if (origin.dead_bytes > volume->data_end - format::kPageBytes) {
      return disagree(3028, copy, kKind, "more dead bytes than the volume has");
    }
  }
  return origins;
}

// None: the image states none.
Result<std::optional<format::StateId>> load_state(const HealingCopy& index) {
  using State = std::optional<format::StateId>;
  const auto& copy = index.copy;
  constexpr auto kKind = SectionKind::kState;
  if (copy.superblock().section(kKind).length_bytes == 0) return State();
  DGFS_TRY(body, only_block(index, kKind));
  DGFS_TRY(state, placed_result(format::decode_state_id(body), copy.path(),
                                format::section_name(kKind), copy.section_offset(kKind)));
  return State(state);
}

std::vector<Generation> sorted(std::vector<Generation> list) {
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return list;
}

}  // namespace

Result<std::shared_ptr<const format::Model>> decode_model(Bytes body) {
  format::Decoder decoder(body);
  DGFS_TRY(id, decoder.fixed<std::uint16_t>());
  DGFS_TRY(kind, decoder.fixed<std::uint8_t>());
  DGFS_TRY(bytes, decoder.raw(decoder.remaining()));
  if (kind == static_cast<std::uint8_t>(format::ModelKind::kEmpty) ||  // F-220, F-221
      kind > static_cast<std::uint8_t>(format::ModelKind::kContextTokens)) {
    return Error(ErrorKind::kUnsupported, 3016, fmt::format("unknown model kind {}", kind));
  }
  return format::Model::make(id, static_cast<format::ModelKind>(kind), bytes);
}

Dictionaries::Dictionaries() { models_.emplace(std::uint16_t{0}, format::Model::empty()); }

Status Dictionaries::add(std::shared_ptr<const format::Model> model) {
  const auto id = model->id();
  if (models_.emplace(id, std::move(model)).second) return ok();
  return Error(ErrorKind::kCorrupt, 3019, fmt::format("a second model {}", id));
}

Status Dictionaries::add(format::AttributeTable table) {
  const auto id = table.id();
  if (tables_.emplace(id, std::move(table)).second) return ok();
  return Error(ErrorKind::kCorrupt, 3020, fmt::format("a second attribute table {}", id));
}

const format::Model* Dictionaries::model(std::uint16_t id) const {
  const auto found = models_.find(id);
  return found == models_.end() ? nullptr : found->second.get();
}

const format::AttributeTable* Dictionaries::attribute_table(std::uint16_t id) const {
  const auto found = tables_.find(id);
  return found == tables_.end() ? nullptr : &found->second;
}

std::vector<Generation> Dictionaries::model_list() const {
  std::vector<Generation> list;
  for (const auto& [id, model] : models_) list.push_back({id, model->bytes().size()});
  return sorted(std::move(list));
}

std::vector<Generation> Dictionaries::attribute_table_list() const {
  std::vector<Generation> list;
  for (const auto& [id, table] : tables_) list.push_back({id, table.size()});
  return sorted(std::move(list));
}

std::size_t Dictionaries::memory_bytes() const {
  std::size_t bytes = sizeof *this;
  for (const auto& [id, model] : models_) bytes += model->memory_bytes();
  for (const auto& [id, table] : tables_) bytes += table.size() * kCombinationBytes;
  return bytes;
}

std::size_t IndexTables::memory_bytes() const {
  return pages.memory_bytes() + directories.memory_bytes() + inodes.memory_bytes() +
         dictionaries.memory_bytes() + content_dictionaries.memory_bytes() +
         volumes.capacity() * sizeof(format::VolumeRecord) +
         origins.capacity() * sizeof(format::VolumeOrigin);
}

Result<IndexTables> IndexTables::load(const IndexSource& source, CounterCells& counters) {
  // Loads the two large tables at once, or one after the other if the system grants no thread.
  const auto policy = source.first().superblock().directories < kApartDirectoriesMin
                          ? std::launch::deferred
                          : std::launch::async | std::launch::deferred;
  auto later = std::async(policy, [&] { return source.load(counters, load_directories); });
  DGFS_TRY(pages, source.load(counters, load_pages));
  DGFS_TRY(directories, later.get());
  DGFS_TRY(inodes, source.load(counters, load_inodes));
  DGFS_TRY(dictionaries, source.load(counters, load_dictionaries));
  DGFS_TRY(contents, source.load(counters, load_content_dictionaries));
  DGFS_TRY(volumes, source.load(counters, load_volumes));
  DGFS_TRY(origins, source.load(counters, [&](const HealingCopy& index) {
    return load_origins(index, volumes);
  }));
  const auto state = source.load(counters, load_state);
  const auto zone = pages.record(0).zone;
  return IndexTables{
      std::move(pages),
      std::move(directories),
      std::move(inodes),
      std::move(dictionaries),
      std::move(contents),
      std::move(volumes),
      std::move(origins),
      state ? state.assume_value() : std::nullopt,  // F-360
      zone,
      (source.first().superblock().incompat & format::feature::kIncompatNamelessObjects) != 0};
}

void check_tables(const IndexCopy& copy, const std::function<void(const Error&)>& damaged) {
  const auto tell = [&](const auto& result) {
    if (!result) damaged(result.assume_error());
  };
  const auto pages = load_pages(copy);
  tell(pages);
  if (pages) tell(check_page_root(copy, pages.assume_value()));
  tell(load_directories(copy));
  tell(load_inodes(copy));
  tell(load_dictionaries(copy));
  tell(load_content_dictionaries(copy));
  const auto volumes = load_volumes(copy);
  tell(volumes);
  if (volumes) tell(load_origins(copy, volumes.assume_value()));
  tell(load_state(copy));
}

}  // namespace dgfs::reader
