// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DirectoryCursor: goes through the names of one directory of an image, in order. Image::list()
// pushes names to its caller; this is for a caller that merges them with others.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "reader/node.h"

namespace dgfs::reader {

class Namespace;

/// For one thread. The image must outlive it. It stands at a name, or at none: behind the last one,
/// or before it was moved.
class DirectoryCursor {
 public:
  /// As Image::directory() gives it. Errors: kNotFound, kNotDirectory.
  [[nodiscard]] static Result<DirectoryCursor> make(const Namespace& names, InodeNumber directory);
  ~DirectoryCursor();
  /// The other one may be assigned to, or end, and nothing else.
  DirectoryCursor(DirectoryCursor&& other) noexcept;
  /// Likewise.
  DirectoryCursor& operator=(DirectoryCursor&& other) noexcept;

  /// How many names there are. No read.
  [[nodiscard]] std::uint64_t count() const;

  /// To the first name that is not before `name`, by bytes. One page read, or two where the name
  /// would be the last of a page. Errors of all moves: kIo; kCorrupt, which tells how many names
  /// are lost: it stands at none then, and behind_lost() tells where to go on.
  [[nodiscard]] Status seek(std::string_view name);
  /// To a 0-based position. @param position  count() or more: none
  [[nodiscard]] Status seek_to(std::uint64_t position);
  /// It must stand at a name.
  [[nodiscard]] Status next();
  /// After a move that failed: the first position that does not stand in the damaged page.
  [[nodiscard]] std::uint64_t behind_lost() const;

  /// False: it stands at none.
  [[nodiscard]] bool is_at_name() const;
  // While it stands there:
  /// As of ListedName; the name is valid until the cursor moves.
  [[nodiscard]] ListedName name() const;
  /// With all attributes. One page read more for a hard link. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<Node> node() const;

 private:
  struct State;
  explicit DirectoryCursor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dgfs::reader
