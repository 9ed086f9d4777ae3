// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/batch_filler.h"
#include "builder/build.h"

#include <gtest/gtest.h>

#include "builder/image_builder.h"
#include "format/coding.h"
#include "format/content/extent.h"
#include "storage/memory/env.h"
#include "storage/testing/counting_env.h"

namespace dgfs::builder {
namespace {

/// Fills every file with as many "x" as its size says.
class Crosses final : public BatchFiller {
 public:
  void fill(Batch& batch) override {
    batch.reserve_data(kBatchBytesMax);
    for (const BatchItem& item : batch.items) {
      const Bytes record = batch.record(item);
      if (record_kind(record) == RecordKind::kDirectory) continue;
      const auto entry = decode_entry_record(record);
      if (!needs_reading(entry.value(), item)) continue;
      Buffer extent;
      format::append_raw_extent(Buffer(entry.value().size_bytes, 'x'), extent);
      batch.checksums.push_back(format::load<std::uint64_t>(extent, 0));
      std::copy(extent.begin(), extent.end(), batch.next_data(extent.size()).begin());
      batch.data_bytes += extent.size();
    }
  }
};

Buffer file_bytes(storage::Env& env, const std::string& path) {
  const auto file = env.open(path).value();
  Buffer bytes(static_cast<std::size_t>(file->size().value()));
  EXPECT_TRUE(storage::read_exactly(*file, 0, bytes));
  return bytes;
}

TEST(BatchFillerTest, ContentsComeFromItAndNoFileOfTheSourceIsRead) {
  const auto memory = storage::make_memory_env(1);
  ASSERT_TRUE(memory->make_directory("/tree", 0755));
  const auto tree = memory->open_directory("/tree").value();
  for (const char* const name : {"a", "b", "empty"}) {
    const Buffer content(name[1] == '\0' ? 5000 : 0, 'x');
    ASSERT_TRUE(tree->create_file(name, 0644).value()->write_at(0, content));
  }
  const auto counting = storage::make_counting_env(*memory);
  BuildOptions options;
  options.source = "/tree";
  options.image_path = "/given.dgfs";
  const auto given =
      ImageBuilder(*counting, options, {}, [] { return std::make_unique<Crosses>(); }).run();
  ASSERT_TRUE(given);
  EXPECT_EQ(counting->counts("/tree/a").reads, 0U);
  options.image_path = "/read.dgfs";
  options.dedup = false;  // stores made-up contents as they come
  ASSERT_TRUE(build(*counting, options));
  EXPECT_EQ(counting->counts("/tree/a").reads, 1U);
  EXPECT_EQ(file_bytes(*memory, "/given.dgfs"), file_bytes(*memory, "/read.dgfs"));
  EXPECT_EQ(file_bytes(*memory, "/given.dgfs.idx"), file_bytes(*memory, "/read.dgfs.idx"));
}

}  // namespace
}  // namespace dgfs::builder
