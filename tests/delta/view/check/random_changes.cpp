// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/check/random_changes.h"

#include <functional>
#include <string>
#include <vector>

namespace dgfs::test {

using view::kRoot;
using view::ObjectNumber;

void change_at_random(view::View& view, std::uint64_t seed, int operations) {
  Chance chance(seed);
  std::vector<ObjectNumber> directories{kRoot};
  std::vector<ObjectNumber> objects;
  const auto name = [&] { return std::string(1, "defghnsuvx"[chance.below(10)]); };
  const auto directory = [&] { return directories[chance.below(directories.size())]; };
  const auto keep = [&](const Result<view::Entry>& made) {
    if (!made) return;
    objects.push_back(made.value().object);
    if (format::is_directory(made.value().attributes.mode)) directories.push_back(objects.back());
  };
  const auto object = [&] {
    return objects.empty() ? kRoot : objects[chance.below(objects.size())];
  };
  const auto release = [&](ObjectNumber ended) {
    if (chance.below(3) != 0) static_cast<void>(view.release(ended));
  };
  const std::vector<std::function<void()>> all{
      [&] { keep(view.create(directory(), name(), {}, {})); },
      [&] { keep(view.make_directory(directory(), name(), 0755, {})); },
      [&] { keep(view.make_symlink(directory(), name(), "target", {})); },
      [&] { keep(view.create_unnamed(directory(), 0600, {})); },
      [&] { keep(view.lookup(directory(), name())); },
      [&] { keep(view.lookup(directory(), name())); },
      [&] { keep(view.link(object(), directory(), name())); },
      [&] {
        const auto lost = view.unlink(directory(), name());
        if (lost) release(lost.value().object);
      },
      [&] {
        const auto lost = view.remove_directory(directory(), name());
        if (lost) release(lost.value().object);
      },
      [&] {
        const auto renamed =
            view.rename(directory(), name(), directory(), name(),
                        static_cast<view::RenameMode>(chance.below(3)),
                        chance.below(8) == 0 ? std::optional(view::Credentials{}) : std::nullopt);
        if (renamed && renamed.value().replaced.object != 0) {
          release(renamed.value().replaced.object);
        }
      },
      [&] {
        static_cast<void>(view.set_attributes(object(), {0640, {}, {}, {}, {}}));
      },
      [&] {
        static_cast<void>(
            view.set_xattr(object(), "user." + name(), as_bytes(std::string_view("v"))));
      },
      [&] { static_cast<void>(view.remove_xattr(object(), "user." + name())); }};
  for (int i = 0; i < operations; ++i) all[chance.below(all.size())]();
}

}  // namespace dgfs::test
