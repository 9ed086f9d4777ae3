// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// EntryUpdate: makes one object of a delta what an entry of the source is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "builder/scan/source_file.h"
#include "builder/spool/tree_record.h"
#include "delta/update/changes.h"
#include "delta/update/content_update.h"
#include "delta/update/former_tree.h"
#include "delta/update/source_tree.h"

namespace dgfs::update {

/// What an entry of the source is, without its name. Its views point into memory of its maker.
struct SourceFacts {
  const builder::EntryAttributes& attributes;
  std::uint64_t rdev = 0;
  std::string_view target;
  Bytes xattrs;  ///< encoded; empty: none
};

/// An entry of the source. A value.
struct SourceItem {
  builder::EntryAttributes attributes;
  std::uint64_t rdev = 0;
  std::string prefix;  ///< of its directory, as in a tree spool
  std::string name;
  std::string target;
  Buffer xattrs;  ///< encoded; empty: none

  [[nodiscard]] std::string path() const;
  [[nodiscard]] SourceFacts facts() const { return {attributes, rdev, target, xattrs}; }
};

/// What became of an object.
enum class Effect : std::uint8_t {
  kSame,     ///< it was like the source already
  kChanged,  ///< it is now
  kLeft,     ///< it is as it was: the source could not be read, which is noted as a loss
};

/// For one thread. Errors of all calls: those of the delta; those of the source unless losses are
/// allowed.
class EntryUpdate {
 public:
  /// All must outlive it.
  EntryUpdate(FormerTree& former, Changes& changes, SourceTree& source, bool compares_all)
      : former_(former),
        changes_(changes),
        source_(source),
        compares_all_(compares_all),
        contents_(changes, former.chunk_bytes(), source.stop()) {}

  /// Whether edits alone can make a former object what an entry is.
  [[nodiscard]] Result<bool> can_become(const FormerObject& former, const SourceFacts& facts) const;
  /// Whether an object with the type, target and device of an entry may differ from it: all files,
  /// if contents are to be compared.
  [[nodiscard]] Result<bool> differs(const FormerObject& former, const SourceFacts& facts) const;
  /// Edits an object that can become what the item is.
  [[nodiscard]] Result<Effect> edit(const FormerObject& former, const SourceItem& item);
  /// Makes a new object of an item, under its name.
  /// @param clear  frees the name, once the source has been read; empty: it is free
  /// nullopt: the source could not be read, and nothing was done.
  [[nodiscard]] Result<std::optional<view::ObjectNumber>> make(
      view::ObjectNumber directory, const SourceItem& item, const std::function<Status()>& clear);
  /// Sets the time of a directory after its names have changed.
  [[nodiscard]] Status set_time(view::ObjectNumber directory, const Time& mtime);

 private:
  /// A file of the source as it was read.
  struct Reading {
    std::optional<Error> failure;  ///< of the source
    builder::EntryAttributes attributes;
    Buffer xattrs;
    bool has_written = false;
  };

  [[nodiscard]] Result<Reading> read(const SourceItem& item, const SizedContent& before,
                                     view::ObjectNumber to);
  [[nodiscard]] Result<Reading> read_again_and_again(builder::SourceFile file, SizedContent before,
                                                     view::ObjectNumber to);
  [[nodiscard]] Status restore(const FormerObject& former);
  /// @param before  null: a new object
  [[nodiscard]] Result<bool> set_attributes(view::ObjectNumber object,
                                            const builder::EntryAttributes& wanted,
                                            const view::Attributes* before, bool has_written);
  [[nodiscard]] Result<bool> set_xattrs(view::ObjectNumber object, const SourceItem& item,
                                        Bytes wanted, const std::vector<Xattr>& before,
                                        bool is_mode_set);
  [[nodiscard]] Result<bool> has_xattrs(const FormerObject& former, Bytes wanted) const;

  FormerTree& former_;
  Changes& changes_;
  SourceTree& source_;
  const bool compares_all_;
  ContentUpdate contents_;
};

}  // namespace dgfs::update
