// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ColumnPage::Loader: columns of untrusted bytes to a ColumnPage, one function a column, in the
// order that encode_columns() wrote them.
#pragma once

#include "format/column_page.h"
#include "format/column_reader.h"

namespace dgfs::format {

class ColumnPage::Loader {
 public:
  Loader(ColumnReader& in, ColumnPage& page, std::size_t entry_count,
         const AttributeTable& attributes)
      : in_(in), page_(page), count_(entry_count), attributes_(attributes) {}

  [[nodiscard]] Status load();

 private:
  void load_keys();
  void load_kinds();
  void load_attributes();
  void load_times();
  void load_extents();
  void load_links();
  void load_other_times(Column column, SparseColumn<Time>& times);
  void load_targets();
  void load_data_offsets();

  void append_key(std::size_t index, std::size_t kept_bytes, std::string_view suffix);
  Time load_time(std::int64_t base_seconds);
  void load_nanoseconds(Time& time);
  SideRef load_ref(std::uint64_t& base_offset);
  /// Indexes of the entries that have a value in an optional column, each of which `may_have`
  /// one; empty if the column is absent or bad.
  template <class MayHave>
  std::vector<std::uint32_t> load_indexes(Column column, MayHave may_have);
  template <class MayHave>
  std::vector<std::uint32_t> load_refs(Column column, SparseColumn<SideRef>& refs,
                                       MayHave may_have);
  std::uint16_t add_combination(const AttributeCombination& combination);
  [[nodiscard]] bool is_regular_object(std::size_t index) const {
    return page_.kinds_[index] < kKindOther;
  }
  [[nodiscard]] bool is_link(std::size_t index) const { return is_link_kind(page_.kinds_[index]); }

  ColumnReader& in_;
  ColumnPage& page_;
  std::size_t count_;
  const AttributeTable& attributes_;
  /// stored_bytes of each entry as far as known; at last what it adds to the running sum.
  std::vector<std::uint64_t> stored_;
};

template <class MayHave>
std::vector<std::uint32_t> ColumnPage::Loader::load_indexes(Column column, MayHave may_have) {
  std::vector<std::uint32_t> indexes;
  if (in_.failed() || !in_.has(column)) return indexes;
  const auto picked = static_cast<std::size_t>(in_.small_up_to(count_));
  indexes.reserve(picked);
  std::size_t next = 0;
  for (std::size_t i = 0; i < picked; ++i) {
    const auto gap = in_.small();
    if (in_.failed()) return {};
    if (gap >= count_ - next || !may_have(next + static_cast<std::size_t>(gap))) {
      in_.fail("column has a value for an entry that can have none");
      return {};
    }
    next += static_cast<std::size_t>(gap);
    indexes.push_back(static_cast<std::uint32_t>(next++));
  }
  return indexes;
}

template <class MayHave>
std::vector<std::uint32_t> ColumnPage::Loader::load_refs(Column column, SparseColumn<SideRef>& refs,
                                                         MayHave may_have) {
  auto indexes = load_indexes(column, may_have);
  std::uint64_t base_offset = 0;
  for (const auto i : indexes) refs.add(i, load_ref(base_offset));
  return indexes;
}

}  // namespace dgfs::format
