// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The small values to which records decode. The program compares them to tell header pages, index
// copies and extents apart, and tests compare results: a comparison must leave no field out.
#include "tests/format/compared_values.h"
#include "format/entry/attribute_table.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/page/directory_block.h"
#include "format/page/root.h"
#include "format/section/directory_table.h"
#include "format/section/inode_runs.h"
#include "format/section/sparse_map.h"

namespace dgfs::format {
namespace {

// Fully qualified, since the fixtures of sections are in format's own namespace `test`.
using dgfs::test::expect_all_compared;

TEST(ComparedValues, SuperblocksThatDifferInOneFieldDiffer) {
  expect_all_compared<Superblock>({},
                                  {[](auto& it) { ++it.version_major; },
                                   [](auto& it) { ++it.version_minor; },
                                   [](auto& it) { ++it.compat; },
                                   [](auto& it) { ++it.ro_compat; },
                                   [](auto& it) { ++it.incompat; },
                                   [](auto& it) { ++it.uuid[15]; },
                                   [](auto& it) { ++it.index_bytes; },
                                   [](auto& it) { ++it.namespace_entries; },
                                   [](auto& it) { ++it.link_entries; },
                                   [](auto& it) { ++it.next_inode; },
                                   [](auto& it) { ++it.created_seconds; },
                                   [](auto& it) { ++it.regular_files; },
                                   [](auto& it) { ++it.directories; },
                                   [](auto& it) { ++it.symlinks; },
                                   [](auto& it) { ++it.other_files; },
                                   [](auto& it) { ++it.content_bytes; },
                                   [](auto& it) { ++it.stored_bytes; },
                                   [](auto& it) { it.sections.back().kind = SectionKind::kPages; },
                                   [](auto& it) { ++it.sections.back().offset_bytes; },
                                   [](auto& it) { ++it.sections.back().length_bytes; }});
}

TEST(ComparedValues, VolumeRecordsThatDifferInOneFieldDiffer) {
  expect_all_compared<VolumeHeader>(
      {}, {[](auto& it) { ++it.incompat; }, [](auto& it) { ++it.image_uuid[0]; },
           [](auto& it) { ++it.number; }, [](auto& it) { ++it.data_end; },
           [](auto& it) { ++it.index_offset; }, [](auto& it) { ++it.index_bytes; },
           [](auto& it) { ++it.file_bytes; }});
  expect_all_compared<VolumeRecord>({},
                                    {[](auto& it) { ++it.number; }, [](auto& it) { ++it.data_end; },
                                     [](auto& it) { it.hint = "h"; }});
}

TEST(ComparedValues, PageRecordsThatDifferInOneFieldDiffer) {
  expect_all_compared<PageRecord>(
      {}, {[](auto& it) { ++it.zone; }, [](auto& it) { it.prefix = "p"; },
           [](auto& it) { it.separator = "s"; }, [](auto& it) { ++it.first_ordinal; },
           [](auto& it) { ++it.entry_count; }, [](auto& it) { ++it.volume; },
           [](auto& it) { ++it.first_data_offset; }, [](auto& it) { ++it.checksum; }});
  expect_all_compared<PageRootRow>(
      {}, {[](auto& it) { ++it.zone; }, [](auto& it) { it.bound = "b"; },
           [](auto& it) { ++it.first_ordinal; }, [](auto& it) { ++it.first_page; },
           [](auto& it) { ++it.page_count; }, [](auto& it) { ++it.offset_bytes; },
           [](auto& it) { ++it.length_bytes; }});
}

TEST(ComparedValues, RangesThatDifferInOneFieldDiffer) {
  expect_all_compared<ChildRange>({}, {[](auto& it) { ++it.first; }, [](auto& it) { ++it.count; },
                                       [](auto& it) { ++it.subdirectory_count; }});
  expect_all_compared<InodeRun>(
      {}, {[](auto& it) { ++it.first_inode; }, [](auto& it) { ++it.first_ordinal; },
           [](auto& it) { ++it.count; }});
  expect_all_compared<SparseMap::Segment>(
      {}, {[](auto& it) { ++it.begin; }, [](auto& it) { ++it.length; },
           [](auto& it) { ++it.content; }});
  expect_all_compared<SparseMap>({}, {[](auto& it) { it.add(4096, 1); }});
  expect_all_compared<AttributeCombination>(
      {}, {[](auto& it) { ++it.mode; }, [](auto& it) { ++it.uid; }, [](auto& it) { ++it.gid; }});
}

}  // namespace
}  // namespace dgfs::format
