// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Editor: operations that change attributes and extended attributes of an object.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/view/contents/chunks.h"
#include "delta/view/contents/composed_chunks.h"
#include "delta/view/writer.h"

namespace dgfs::view {

/// As of View. Thread-safe.
class Editor {
 public:
  /// Both must outlive it.
  Editor(Writer& writer, ComposedChunks& composed, const Chunks& chunks)
      : writer_(writer), composed_(composed), chunks_(chunks) {}

  [[nodiscard]] Result<Attributes> set_attributes(ObjectNumber object, const AttributeChange& wish);
  [[nodiscard]] Status set_xattr(ObjectNumber object, std::string_view name, Bytes value,
                                 XattrMode mode, std::uint32_t cleared_permissions);
  [[nodiscard]] Status remove_xattr(ObjectNumber object, std::string_view name);

 private:
  [[nodiscard]] static Result<std::optional<bool>> set_xattr_in(Change& change, ObjectNumber object,
                                                                std::string_view name, Bytes value,
                                                                XattrMode mode,
                                                                std::uint32_t cleared_permissions);
  [[nodiscard]] static Result<std::optional<bool>> remove_xattr_in(Change& change,
                                                                   ObjectNumber object,
                                                                   std::string_view name);

  Writer& writer_;
  ComposedChunks& composed_;
  const Chunks chunks_;
};

}  // namespace dgfs::view
