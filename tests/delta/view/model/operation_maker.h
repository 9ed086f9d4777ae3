// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// OperationMaker: random operations on a tree that affect each other. Names are few, so that they
// collide. The maker looks in the model for the objects that a case needs, so that each case
// occurs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/delta/view/model/operation.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// The operations that a tree allows. All by default, as for a view. A value.
struct OperationLimits {
  std::size_t objects_max = 200;        ///< roughly; above it, most operations remove something
  std::size_t value_bytes_max = 65536;  ///< of extended attributes
  bool has_invalid_names = true;        ///< empty, with '/' or NUL
  bool has_devices = true;              ///< nodes
  bool has_whiteouts = true;
  bool has_unnamed = true;  ///< files by create_unnamed()
  bool has_contents = true;
  std::uint64_t file_bytes_max = 6000;  ///< longest contents, roughly
  bool has_xattrs = true;
  bool has_all_xattrs = true;            ///< not "user." alone
  bool has_long_xattr_names = true;      ///< up to the longest; a real disk may lack the room
  std::optional<view::Credentials> who;  ///< set: this user makes and owns everything
  std::uint32_t least_permissions = 0;   ///< bits that every object has
};

/// For one thread.
class OperationMaker {
 public:
  /// @param random  must outlive this
  OperationMaker(Random& random, const OperationLimits& limits);

  /// An operation that may succeed or fail. It never has two reasons to fail between which a view
  /// may choose, and never uses access lists.
  [[nodiscard]] Operation next(const ModelTree& tree);
  /// All possible values of an operation's `kind`.
  [[nodiscard]] static std::vector<std::string> kinds();

 private:
  using Made = std::optional<Operation>;  ///< nullopt: the tree has no fitting object
  struct Case {
    const char* kind;
    unsigned weight;
    Made (OperationMaker::*make)();
  };
  using Place = std::pair<ModelId, std::string>;
  using Wanted = std::function<bool(const ModelObject&)>;

  static const std::vector<Case>& cases();

  // Choices.
  [[nodiscard]] const ModelObject& object(ModelId id) const;
  [[nodiscard]] std::optional<ModelId> find(const Wanted& wanted);
  [[nodiscard]] std::optional<Place> find_place(const Wanted& wanted);
  [[nodiscard]] ModelId directory();
  [[nodiscard]] ModelId deep_directory();
  [[nodiscard]] ModelId some_object();
  [[nodiscard]] std::optional<ModelId> odd_directory();
  [[nodiscard]] std::string fresh_name();
  [[nodiscard]] std::string name_in(ModelId directory);
  [[nodiscard]] std::string bad_name();
  [[nodiscard]] std::uint32_t permissions(std::uint32_t mask);
  [[nodiscard]] view::Credentials who();
  [[nodiscard]] Time time();
  [[nodiscard]] std::optional<ModelId> file();
  [[nodiscard]] std::uint64_t offset_in(ModelId file);
  [[nodiscard]] std::uint64_t length();
  [[nodiscard]] std::optional<std::string> xattr_name(ModelId id);
  [[nodiscard]] Operation on_name(Verb verb, ModelId directory, std::string name);
  [[nodiscard]] Operation on_object(Verb verb, ModelId id);
  [[nodiscard]] Operation renamed(const Place& from, ModelId to, std::string new_name);
  [[nodiscard]] Made of_any_verb(ModelId directory, const std::string& name);

  // Cases.
  [[nodiscard]] Operation removal();
  Made lookup();
  Made lookup_of_dots();
  Made create_file();
  Made create_special();
  Made create_wrong_type();
  Made create_unnamed();
  Made make_directory();
  Made make_deep_directory();
  Made make_symlink();
  Made make_bad_symlink();
  Made link();
  Made link_unnamed();
  Made link_directory();
  Made unlink();
  Made unlink_directory();
  Made remove_directory();
  Made remove_empty_directory();
  Made remove_file_as_directory();
  Made rename();
  Made rename_without_replacing();
  Made exchange();
  Made exchange_with_whiteout();
  Made rename_with_whiteout();
  Made rename_onto_itself();
  Made rename_onto_link_of_itself();
  Made rename_into_itself();
  Made rename_onto_ancestor();
  Made exchange_with_ancestor();
  Made rename_over_directory();
  Made rename_far();
  Made attributes();
  Made set_permissions();
  Made set_owner();
  Made set_times();
  Made set_wrong_attributes();
  Made read_link();
  Made paths();
  Made release();
  Made release_unnamed();
  Made xattr();
  Made xattr_names();
  Made set_xattr();
  Made set_capability();
  Made remove_xattr();
  Made wrong_xattr();
  Made list();
  Made read();
  Made read_no_file();
  Made write();
  Made append();
  Made zero();
  Made copy();
  Made set_size();
  Made set_size_of_no_file();
  Made wrong_name();
  Made wrong_directory();

  Random& random_;
  OperationLimits limits_;
  const ModelTree* tree_ = nullptr;  ///< during next()
};

}  // namespace dgfs::test
