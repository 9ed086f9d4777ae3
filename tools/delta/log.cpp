// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/json.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_files.h"
#include "storage/env.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

// One line. A value.
struct Line {
  std::string id;
  std::string time;
  std::string changes;
  std::string bytes;
  std::string name;
};

// The space of a layer. A value.
struct Space {
  enum class State {
    kMissing,    ///< the layer was removed; the list still names it
    kNotClosed,  ///< it has its log and space in reserve, which it loses soon, or at the next mount
    kClosed
  };
  State state = State::kMissing;
  std::uint64_t bytes = 0;  ///< of a closed layer

  [[nodiscard]] std::string text() const {
    switch (state) {
      case State::kMissing:
        return "missing";
      case State::kNotClosed:
        return "not closed";
      case State::kClosed:
        break;
    }
    return size_text(bytes);
  }
};

Space space_of(const Session& session, const std::string& directory,
               const delta::StackedStore& store) {
  const auto path = directory + "/" + store.name();
  if (!session.env().status(path)) return {Space::State::kMissing};
  if (delta::has_log(session.env(), path)) return {Space::State::kNotClosed};
  const auto bytes = delta::bytes_on_disk(session.env(), path);
  return {Space::State::kClosed, bytes ? bytes.value() : 0};
}

void print_json(const Session& session, const std::string& directory,
                const delta::Manifest& manifest) {
  for (std::size_t layers = delta::layers_of(manifest); layers > 0; --layers) {
    const delta::StackedStore& store = manifest.stores[layers - 1];
    JsonObject line;
    line.add("id", delta::state_text(store.layer.state));
    if (!store.layer.name.empty()) line.add("name", store.layer.name);
    const bool is_lowest = layers == 1;
    line.add("parent",
             is_lowest ? std::string(delta::kBaseState) : delta::state_text(store.layer.parent))
        .add("time", utc_time(store.layer.sealed_at))
        .add("changes", delta::changes_in(store));
    const Space space = space_of(session, directory, store);
    if (space.state == Space::State::kMissing) line.add("missing", true);
    if (space.state == Space::State::kNotClosed) line.add("closed", false);
    if (space.state == Space::State::kClosed) line.add("bytes", space.bytes);
    session.print(line.line());
  }
  JsonObject base;
  base.add("id", delta::kBaseState).add("uuid", format::uuid_text(manifest.bottom()));
  if (!manifest.image_path.empty()) base.add("image", manifest.image_path);
  if (manifest.base) {
    base.add("base", delta::base_file_name(manifest.base->number))
        .add("state", delta::state_text(manifest.base->state))
        .add("time", utc_time(manifest.base->sealed_at));
    if (!manifest.base->name.empty()) base.add("name", manifest.base->name);
  }
  session.print(base.line());
}

void print_lines(const Session& session, const std::vector<Line>& lines,
                 const delta::Manifest& manifest) {
  std::size_t id_width = delta::kBaseState.size();
  std::size_t changes_width = 0;
  std::size_t bytes_width = 0;
  for (const Line& line : lines) {
    id_width = std::max(id_width, line.id.size());
    changes_width = std::max(changes_width, line.changes.size());
    bytes_width = std::max(bytes_width, line.bytes.size());
  }
  for (const Line& line : lines) {
    auto text = fmt::format("{:<{}}  {}  {:>{}}  {:>{}}", line.id, id_width, line.time,
                            line.changes, changes_width, line.bytes, bytes_width);
    if (!line.name.empty()) text += "  " + line.name;
    session.print(text + "\n");
  }
  const auto image = manifest.image_path.empty()
                         ? std::string("image")
                         : session.shown(storage::base_name(manifest.image_path));
  if (!manifest.base) {
    return session.print(fmt::format("{:<{}}  {:<19}  uuid {}\n", delta::kBaseState, id_width,
                                     image, format::uuid_text(manifest.image)));
  }
  session.print(fmt::format("{:<{}}  {}  {}, made of {}: {}\n", delta::kBaseState, id_width,
                            format_time(manifest.base->sealed_at, "%Y-%m-%d %H:%M:%S"),
                            delta::base_file_name(manifest.base->number), image,
                            delta::state_title(manifest, 0)));
}

}  // namespace

int list_states(const Session& session, const std::string& directory, bool json) {
  const auto read = delta::read_present_manifest(session.env(), directory);
  if (!read) return session.fail(read.error());
  const delta::Manifest& manifest = read.value();
  if (json) {
    print_json(session, directory, manifest);
    return kExitDone;
  }
  std::vector<Line> lines;
  for (std::size_t layers = delta::layers_of(manifest); layers > 0; --layers) {
    const delta::StackedStore& store = manifest.stores[layers - 1];
    lines.push_back({delta::short_state_text(manifest, store.layer.state),
                     format_time(store.layer.sealed_at, "%Y-%m-%d %H:%M:%S"),
                     counted(delta::changes_in(store), "change"),
                     space_of(session, directory, store).text(), store.layer.name});
  }
  print_lines(session, lines, manifest);
  return kExitDone;
}

}  // namespace dgfs::tools
