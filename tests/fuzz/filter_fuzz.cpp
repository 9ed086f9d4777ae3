// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The filter of objects, as a store loads it: a table, and a file of blocks that has its stages.
// Checksums of the stages are made to fit.
#include <algorithm>

#include "delta/store/filter/filter_blocks.h"
#include "format/checksum.h"
#include "storage/memory/env.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::size_t kFileBytesMax = std::size_t{1} << 16;

bool is_within(const Place& place, Bytes file) {
  return place.length_bytes <= file.size() &&
         place.offset_bytes <= file.size() - place.length_bytes;
}

void fit_checksums(FilterTable& table, Bytes file) {
  for (auto& stage : table.stages) {
    if (!is_within(stage.place, file)) continue;
    stage.place.checksum =
        format::checksum64(file.subspan(static_cast<std::size_t>(stage.place.offset_bytes),
                                        static_cast<std::size_t>(stage.place.length_bytes)));
  }
}

void check_table(const FilterTable& table, const OlderObjects& older) {
  require(table.stages.size() <= PrefixFilter::kStagesMax);
  for (const auto& stage : table.stages) {
    require(FilterStage::is_capacity(stage.capacity) && stage.count <= stage.capacity);
  }
  require(PrefixRanges::is_valid(table.ranges, older));
  const auto again = decode_filter_table(encode_filter_table(table), older);
  require(again && again.value() == table);
}

// A loaded filter lets its prefixes through, takes more, and can be written.
void use(BlockFile& file, const Place& table, std::uint64_t born_object) {
  PrefixFilter filter(born_object, 32);
  FilterBlocks blocks(file, filter);
  blocks.load(table);
  blocks.mark_used_space();
  for (std::uint64_t object = 0; object < 100; ++object) {
    filter.add(ObjectPrefix{1, object});
    require(filter.may_have(ObjectPrefix{1, object}));
  }
  if (filter.ranges()) {
    for (const auto& range : filter.ranges()->all()) require(filter.may_have(range.first));
  }
  require(blocks.write().has_value());
  while (blocks.load_stage()) {
  }
  PrefixFilter again(born_object);
  FilterBlocks loaded(file, again);
  loaded.load(blocks.place());
  while (loaded.load_stage()) {
  }
  for (std::uint64_t object = 0; object < 1000; ++object) {
    require(filter.may_have(ObjectPrefix{1, object}) == again.may_have(ObjectPrefix{1, object}));
  }
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs;
  using namespace dgfs::test;
  FuzzInput input({data, size_bytes});
  const auto born_object = input.take<std::uint64_t>();
  const auto table_bytes = input.take<std::uint16_t>();
  auto bytes = input.rest();
  bytes.resize(std::min(bytes.size(), kFileBytesMax));
  const OlderObjects older(born_object);
  const auto table = Bytes(bytes).first(std::min<std::size_t>(table_bytes, bytes.size()));
  Buffer block(table.begin(), table.end());
  Buffer content(bytes.begin() + static_cast<std::ptrdiff_t>(table.size()), bytes.end());
  if (auto decoded = delta::decode_filter_table(table, older)) {
    fit_checksums(decoded.value(), content);
    check_table(decoded.value(), older);
    block = delta::encode_filter_table(decoded.value());
  }
  content.resize(static_cast<std::size_t>(delta::padded_bytes(content.size())));
  const delta::Place place{content.size(), block.size(), format::checksum64(block)};
  content.insert(content.end(), block.begin(), block.end());
  const auto env = storage::make_memory_env(1);
  auto file = std::move(env->open("/b", {storage::OpenOptions::Mode::kCreateNew})).value();
  require(file->write_at(0, content).has_value());
  delta::BlockFile blocks(std::move(file));
  use(blocks, place, born_object);
  return 0;
}
