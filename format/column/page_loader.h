// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ColumnPageLoader: decodes columns of untrusted bytes into a ColumnPage, with one function per
// column, in the order in which encode_columns() writes them.
#pragma once

#include "format/column/page.h"
#include "format/column/reader.h"

namespace dgfs::format {

/// Where a column that was read ends.
struct ColumnMark {
  const char* name = nullptr;
  std::size_t body_end = 0;    ///< from the beginning of the columns
  std::uint64_t bits_end = 0;  ///< in the bit stream
};
using ColumnMarks = std::vector<ColumnMark>;

/// Decodes the output of encode_columns(), and trusts nothing. Errors: kCorrupt with the offset in
/// `columns`.
[[nodiscard]] Result<std::shared_ptr<const DecodedPage>> decode_columns(
    Bytes columns, std::size_t entry_count, const AttributeTable& attributes);

/// Lists the columns and where each ends: decodes all, but keeps nothing else. Errors: as
/// decode_columns().
[[nodiscard]] Result<ColumnMarks> measure_columns(Bytes columns, std::size_t entry_count,
                                                  const AttributeTable& attributes);

class ColumnPageLoader {
 public:
  /// @param marks  receives where each column ends; null: not wanted
  ColumnPageLoader(ColumnReader& in, ColumnPage& page, std::size_t entry_count,
                   const AttributeTable& attributes, ColumnMarks* marks = nullptr)
      : in_(in), page_(page), count_(entry_count), attributes_(attributes), marks_(marks) {}

  [[nodiscard]] Status load();

 private:
  /// Ends the column `name`, which holds everything read since the last mark.
  void mark(const char* name) {
    if (marks_ != nullptr) marks_->push_back({name, in_.body_position(), in_.bit_position()});
  }
  void load_keys();
  std::vector<std::string_view> load_suffixes();
  void load_kinds();
  void load_kind(std::size_t index, std::uint8_t kind);
  void load_attributes();
  void load_times();
  void spread_times(const std::vector<std::uint32_t>& changes);
  void load_extents();
  void load_links();
  void load_other_times(Column column, SparseColumn<Time>& times);
  void load_targets();
  void load_devices();
  void load_short_targets();
  void load_data_offsets();

  /// How many bytes of `before` the next key keeps; `suffix` follows them. The directory part of
  /// `before` has `directory` bytes.
  std::size_t load_shared_bytes(std::string_view before, std::size_t directory,
                                std::string_view suffix);
  void reserve_keys(std::size_t bytes);
  void append_key(std::size_t index, std::size_t kept_bytes, std::string_view suffix);
  Time load_time(std::int64_t base_seconds);
  void load_nanoseconds(Time& time);
  SideRef load_ref(std::uint64_t& base_offset);
  /// Indexes of the entries that have a value in an optional column, among those that `may_have`
  /// one; empty if the column is absent or corrupt.
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
  /// Whether the page has an entry of `kind`, which is at least kKindOther.
  [[nodiscard]] bool has_kind(std::size_t kind) const {
    return (kinds_seen_ >> (kind - kKindOther) & 1) != 0;
  }
  [[nodiscard]] bool has_links() const { return kinds_seen_ >> (kKindLink - kKindOther) != 0; }
  /// The bytes that entry `index` adds to the running sum of data, until load_data_offsets() sums
  /// them up.
  [[nodiscard]] std::uint64_t& stored(std::size_t index) { return page_.data_offsets_[index + 1]; }

  ColumnReader& in_;
  ColumnPage& page_;
  std::size_t count_;
  const AttributeTable& attributes_;
  ColumnMarks* marks_;
  std::uint32_t kinds_seen_ = 0;  ///< one bit for each kind from kKindOther on
};

template <class MayHave>
std::vector<std::uint32_t> ColumnPageLoader::load_indexes(Column column, MayHave may_have) {
  std::vector<std::uint32_t> indexes;
  if (in_.failed() || !in_.has(column)) return indexes;
  const auto picked = static_cast<std::size_t>(in_.small_up_to(count_));
  indexes.reserve(picked);
  std::size_t at = 0;
  for (std::size_t i = 0; i < picked; ++i, ++at) {
    auto gap = in_.small();
    while (at < count_ && (!may_have(at) || gap-- > 0)) ++at;
    if (at == count_) in_.fail("column has a value for an entry that is not there");  // F-137
    if (in_.failed()) return {};
    indexes.push_back(static_cast<std::uint32_t>(at));
  }
  return indexes;
}

template <class MayHave>
std::vector<std::uint32_t> ColumnPageLoader::load_refs(Column column, SparseColumn<SideRef>& refs,
                                                       MayHave may_have) {
  auto indexes = load_indexes(column, may_have);
  std::uint64_t base_offset = 0;
  for (const auto i : indexes) refs.add(i, load_ref(base_offset));
  return indexes;
}

}  // namespace dgfs::format
