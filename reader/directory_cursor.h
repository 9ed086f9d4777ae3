// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DirectoryCursor: pulls the names of one directory of an image, in order. Image::list() pushes
// names to its caller; a caller that merges the names with other names needs a cursor.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "reader/node.h"

namespace dgfs::reader {

class Namespace;

/// For one thread. The image must outlive it. A new cursor and a cursor behind the last name stand
/// at no name.
class DirectoryCursor {
 public:
  /// For Image::directory(). Errors: kNotFound, kNotDirectory.
  [[nodiscard]] static Result<DirectoryCursor> make(const Namespace& names, InodeNumber directory);
  ~DirectoryCursor();
  /// The moved-from cursor may only be destroyed or assigned to.
  DirectoryCursor(DirectoryCursor&& other) noexcept;
  /// As the move constructor.
  DirectoryCursor& operator=(DirectoryCursor&& other) noexcept;

  /// Number of names. No read.
  [[nodiscard]] std::uint64_t count() const;

  /// Moves to the first name that is not before `name`, by bytes. One page read, or two if that
  /// name begins the next page. Errors of all moves: kIo, and kCorrupt, which says how many names
  /// are lost. After an error the cursor stands at no name, and behind_lost() says where to go on.
  [[nodiscard]] Status seek(std::string_view name);
  /// Moves to a 0-based position; from count() on to no name.
  [[nodiscard]] Status seek_to(std::uint64_t position);
  /// Moves to the next name. The cursor must stand at a name.
  [[nodiscard]] Status next();
  /// After a failed move: the first position behind the damaged page.
  [[nodiscard]] std::uint64_t behind_lost() const;

  /// Whether the cursor stands at a name.
  [[nodiscard]] bool is_at_name() const;
  // The calls below need a cursor at a name.
  /// The name is valid until the cursor moves.
  [[nodiscard]] ListedName name() const;
  /// All attributes. One page read for a hard link, else none. Errors: kIo, kCorrupt.
  [[nodiscard]] Result<Node> node() const;

 private:
  struct State;
  explicit DirectoryCursor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dgfs::reader
