// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/scan/largest_contents.h"

#include <algorithm>
#include <functional>

#include "builder/spool/tree_path.h"

namespace dgfs::builder {

Result<std::vector<LargeContent>> largest_contents(const TreeSpool& tree, std::size_t count,
                                                   const StopFlag& stop) {
  std::vector<LargeContent> largest;
  TreeReader reader(tree);
  while (true) {
    DGFS_CHECK(stop.check());
    DGFS_TRY(record, reader.next());
    if (!record) return largest;
    if (record_kind(*record) == RecordKind::kDirectory) continue;
    DGFS_TRY(entry, decode_entry_record(*record));
    if (!entry.has_content() || entry.kept || entry.is_omitted()) continue;
    if (largest.size() == count && entry.size_bytes <= largest.back().bytes) continue;
    const auto behind =
        std::ranges::upper_bound(largest, entry.size_bytes, std::greater(), &LargeContent::bytes);
    largest.insert(behind, {entry.size_bytes, tree_path(reader.prefix(), entry.name)});
    if (largest.size() > count) largest.pop_back();
  }
}

}  // namespace dgfs::builder
