// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/state_tree.h"

#include <algorithm>
#include <utility>

#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "delta/view/generation.h"
#include "delta/view/image_bottom.h"
#include "delta/view/moment.h"
#include "format/header/feature.h"
#include "tools/diff/image_tree.h"
#include "tools/paths/image_path.h"

namespace dgfs::tools {
namespace {

DiffEntry entry_of(std::string name, const view::Entry& entry) {
  const view::Attributes& attributes = entry.attributes;
  return {.name = std::move(name),
          .mode = attributes.mode,
          .uid = attributes.uid,
          .gid = attributes.gid,
          .link_count = attributes.link_count,
          .size_bytes = attributes.size_bytes,
          .rdev = attributes.rdev,
          .mtime = attributes.mtime,
          .device = 0,
          .inode = entry.object};
}

class StateContent final : public DiffContent {
 public:
  StateContent(const view::View& view, const view::Entry& file) : view_(view), file_(file) {}
  Result<std::size_t> read(std::uint64_t offset, MutableBytes out) const override {
    return view_.read(file_.object, offset, out);
  }
  Result<storage::DataSegment> next_data(std::uint64_t offset) const override {
    const auto size = file_.attributes.size_bytes;
    const storage::DataSegment none = {size, size};
    if (offset >= size) return none;
    const auto begin = view_.next_data(file_.object, offset);
    if (!begin && begin.error().kind() == ErrorKind::kNoData) return none;
    if (!begin) return begin.error();
    DGFS_TRY(end, view_.next_hole(file_.object, begin.value()));
    return storage::DataSegment{begin.value(), end};
  }

 private:
  const view::View& view_;
  const view::Entry file_;
};

class StateTree final : public DiffTree {
 public:
  explicit StateTree(const view::View& view) : view_(view) {}

  Result<DiffEntry> find(const std::string& path) override {
    DGFS_TRY(entry, entry_at(path));
    return entry_of(storage::base_name(path), entry);
  }
  Result<std::vector<DiffEntry>> list(const std::string& path, const Trouble& trouble) override {
    DGFS_TRY(directory, entry_at(path));
    std::vector<std::string> names;
    DGFS_CHECK(view_.list(directory.object, "", [&](const view::ListedName& listed) {
      names.emplace_back(listed.name);
      return true;
    }));
    std::vector<DiffEntry> entries;
    for (std::string& name : names) {
      auto entry = view_.lookup(directory.object, name);
      if (entry) {
        entries.push_back(entry_of(std::move(name), entry.value()));
      } else {
        trouble(joined_path(path, name), entry.error());
      }
    }
    return entries;
  }
  Result<std::string> read_link(const std::string& path) override {
    DGFS_TRY(entry, entry_at(path));
    return view_.read_link(entry.object);
  }
  Result<std::vector<Xattr>> xattrs(const std::string& path) override {
    DGFS_TRY(entry, entry_at(path));
    DGFS_TRY(names, view_.xattr_names(entry.object));
    std::vector<Xattr> xattrs;
    for (std::string& name : names) {
      DGFS_TRY(value, view_.xattr(entry.object, name));
      xattrs.push_back({std::move(name), std::move(value)});
    }
    return xattrs;
  }
  Result<std::unique_ptr<DiffContent>> open(const std::string& path) override {
    DGFS_TRY(entry, entry_at(path));
    return std::make_unique<StateContent>(view_, entry);
  }

 private:
  // The walk asks for many names of one directory in a row.
  Result<view::Entry> entry_at(const std::string& path) {
    if (path.empty()) {
      DGFS_TRY(attributes, view_.attributes(view::kRoot));
      return view::Entry{view::kRoot, attributes};
    }
    const auto cut = path.rfind('/');
    const auto above = cut == path.npos ? std::string() : path.substr(0, cut);
    if (!is_above_known_ || above != above_) {
      DGFS_TRY(directory, entry_at(above));
      above_ = above;
      above_object_ = directory.object;
      is_above_known_ = true;
    }
    return view_.lookup(above_object_, path.substr(cut == path.npos ? 0 : cut + 1));
  }

  const view::View& view_;
  bool is_above_known_ = false;
  std::string above_;
  view::ObjectNumber above_object_ = 0;
};

Result<std::unique_ptr<delta::DeltaDirectory>> open_stores(const Session& session,
                                                           const StateArgument& argument,
                                                           const delta::Manifest& manifest,
                                                           std::size_t stores) {
  delta::StoreOptions options;
  options.access = delta::StoreAccess::kReadOnly;
  if (stores == manifest.stores.size()) {
    return delta::DeltaDirectory::open(session.env(), argument.directory, options);
  }
  return delta::DeltaDirectory::open_state(
      session.env(), argument.directory,
      [&](const delta::Manifest& now) {
        return delta::find_state(now, argument.state, argument.directory);
      },
      options);
}

// All names of an object in a state.
view::NamesInState names_in(const OpenState& state) {
  if (!state.delta) {
    return [bottom = view::ImageBottom(*state.image)](
               view::ObjectNumber object) -> Result<std::vector<view::NamePlace>> {
      DGFS_TRY(node, bottom.node(object));
      if (!node) return std::vector<view::NamePlace>();
      return bottom.names(*node);
    };
  }
  const auto moment =
      std::make_shared<const view::Moment>(view::generation_of(*state.image, *state.delta));
  return [moment](view::ObjectNumber object) { return moment->names(object); };
}

}  // namespace

std::optional<StateArgument> state_argument(const Session& session, const std::string& operand) {
  const auto at = operand.rfind('@');
  if (at == operand.npos || at == 0 || at + 1 == operand.size()) return std::nullopt;
  if (session.env().status(operand)) return std::nullopt;
  auto directory = operand.substr(0, at);
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return StateArgument{std::move(directory), operand.substr(at + 1)};
}

Result<OpenState> open_state(const Session& session, const StateArgument& argument,
                             const std::optional<std::string>& image_path) {
  DGFS_TRY(present, delta::hold_present_base(session.env(), argument.directory));
  const delta::Manifest& manifest = present.manifest;
  DGFS_TRY(stores, delta::find_state(manifest, argument.state, argument.directory));
  OpenState opened;
  opened.stores = stores;
  const auto path = image_path.value_or(manifest.image_path);
  if (path.empty()) {
    return Error(ErrorKind::kNotFound, 6930,
                 "the delta does not tell where its image is; name it with --image")
        .in_file(argument.directory);
  }
  const auto of_image = ImageOptions().open_options(session);
  DGFS_TRY(image, reader::Image::open(session.env(), path, of_image));
  opened.image = std::move(image);
  DGFS_CHECK(view::check_is_of_delta(*opened.image, path, argument.directory, manifest));
  if (stores != 0) {
    DGFS_TRY(delta, open_stores(session, argument, manifest, stores));
    opened.delta = std::move(delta);
  }
  const auto& shown = opened.delta ? opened.delta->manifest() : manifest;
  DGFS_TRY(bottom, view::bottom_of_delta(session.env(), opened.image, path, argument.directory,
                                         shown, of_image));
  opened.image = std::move(bottom);
  if (!opened.delta) {
    opened.held = std::move(present.held);
    opened.tree = make_image_tree(*opened.image);
    return opened;
  }
  DGFS_TRY(view, view::View::open(session.env(), opened.image, *opened.delta));
  opened.view = std::move(view);
  opened.tree = std::make_unique<StateTree>(*opened.view);
  return opened;
}

Result<std::optional<view::StateChanges>> changes_between(const OpenState& first,
                                                          const OpenState& second) {
  const auto& superblock = first.image->superblock();
  // A merge came between the openings.
  if (superblock.uuid != second.image->superblock().uuid) {
    return std::optional<view::StateChanges>();
  }
  const bool lists_names = (superblock.compat & format::feature::kCompatLinkNames) != 0;
  if (superblock.link_entries != 0 && !lists_names) {
    return std::optional<view::StateChanges>();
  }
  const OpenState& upper = first.stores > second.stores ? first : second;
  const OpenState& lower = first.stores > second.stores ? second : first;
  std::vector<std::shared_ptr<delta::Store>> layers;
  if (upper.delta) layers = upper.delta->stores();
  layers.erase(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(lower.stores));
  return view::changes_between(layers, names_in(first), names_in(second));
}

}  // namespace dgfs::tools
