// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Readers: the operations that only read, except streams of names.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/view/generations.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// Thread-safe. A call takes no lock, and reads one moment. The calls are those of View.
class Readers {
 public:
  /// @param generations  must outlive it
  explicit Readers(const Generations& generations) : generations_(generations) {}

  [[nodiscard]] Result<Entry> lookup(ObjectNumber directory, std::string_view name) const;
  [[nodiscard]] Result<Attributes> attributes(ObjectNumber object) const;
  [[nodiscard]] Result<std::string> read_link(ObjectNumber object) const;
  [[nodiscard]] Result<std::vector<std::string>> paths(ObjectNumber object) const;
  [[nodiscard]] Result<Buffer> xattr(ObjectNumber object, std::string_view name) const;
  [[nodiscard]] Result<std::vector<std::string>> xattr_names(ObjectNumber object) const;
  [[nodiscard]] Status list(ObjectNumber directory, std::string_view after,
                            const std::function<bool(const ListedName&)>& visit) const;

 private:
  [[nodiscard]] static Result<std::optional<std::string>> find_xattr(
      const GenerationRef& generation, ObjectNumber object, std::string_view name);

  const Generations& generations_;
};

}  // namespace dgfs::view
