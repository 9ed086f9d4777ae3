// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/stack_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "delta/control/closing_wait.h"
#include "delta/store/directory/states.h"
#include "format/limits.h"
#include "reader/image.h"
#include "tools/delta/names_check.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

// "base.0003.dgfs, of uuid ..."
std::string base_text(const delta::Manifest& manifest) {
  return fmt::format("{}, of uuid {}", delta::base_file_name(manifest.base->number),
                     format::uuid_text(manifest.base->uuid));
}

// "photos.dgfs, 1.2 GB of 9.4 GB not used": files that the base needs, as its index tells.
std::vector<std::string> needs_of_base(const Session& session, const std::string& directory,
                                       const delta::Manifest& manifest) {
  std::vector<std::string> needs;
  const auto path = directory + "/" + delta::base_file_name(manifest.base->number);
  const auto base = reader::Image::open(session.env(), path);
  if (!base) return {"unknown: " + base.error().message()};
  for (const format::VolumeOrigin& origin : base.value()->volume_origins()) {
    const auto& volumes = base.value()->volumes();
    const auto found = std::ranges::find(volumes, origin.number, &format::VolumeRecord::number);
    if (found == volumes.end()) continue;
    needs.push_back(fmt::format("{}, {} of {} not used", found->hint, size_text(origin.dead_bytes),
                                size_text(found->data_end - format::kPageBytes)));
  }
  return needs;
}

}  // namespace

int StackCommand::info() {
  const auto locked = find_manifest();
  if (!locked) return session_.fail(locked.error());
  if (locked.value()) return show_stack(*locked.value(), Report::kInfo);
  return StoreCommand(session_, directory_, options_.stores).info();
}

int StackCommand::check() {
  auto locked = find_manifest();
  if (!locked) return session_.fail(locked.error());
  if (!locked.value()) {
    if (options_.image) {
      return session_.fail_usage("--image is not for a single store: it has no names");
    }
    return StoreCommand(session_, directory_, options_.stores).check();
  }
  const int code =
      std::max(show_stack(*locked.value(), Report::kCheck), check_base(locked.value()->manifest));
  if (session_.should_stop()) return code;
  if (options_.repairs && code != kExitDone) {
    session_.complain("the stores are damaged, so their names are not repaired");
    return code;
  }
  // Names lie in all stores together, and their repair writes.
  locked.value().reset();
  return std::max(code, check_names(std::nullopt));
}

int StackCommand::check_state(const std::string& state) {
  const auto manifest = delta::read_present_manifest(session_.env(), directory_);
  if (!manifest) return session_.fail(manifest.error());
  const auto layers = delta::find_state(manifest.value(), state, directory_);
  if (!layers) return session_.fail(layers.error());
  if (layers.value() == 0) {
    if (!options_.stores.json && !options_.stores.quiet) {
      const auto base = manifest.value().base ? delta::base_file_name(manifest.value().base->number)
                                              : std::string("the image");
      session_.print(fmt::format("base is {} alone, which 'dgfs verify' checks\n", base));
    }
    return kExitDone;
  }
  if (const auto closed = wait_for_layers(layers.value()); !closed) {
    return session_.fail(closed.error());
  }
  const int code = show_stores(manifest.value(), layers.value(), Report::kCheck);
  return session_.should_stop() ? code : std::max(code, check_names(state));
}

// Whether its files are there: 'dgfs verify' reads them.
int StackCommand::check_base(const delta::Manifest& manifest) const {
  const auto held = delta::HeldBase::hold(session_.env(), directory_, manifest);
  if (held) return kExitDone;
  if (held.error().kind() != ErrorKind::kCorrupt) return session_.fail(held.error());
  if (options_.stores.json) {
    session_.print(
        JsonObject().add("damaged", held.error().file()).add("reason", held.error().text()).line());
  } else {
    session_.print("damaged: " + printable(held.error().message()) + "\n");
  }
  return kExitFailed;
}

// Returns nullopt for a directory without a manifest, which may hold a single store. If a mount of
// the delta has just ended, waits until that has closed the delta.
Result<std::optional<delta::LockedManifest>> StackCommand::find_manifest() const {
  delta::ClosingWait closing(directory_, [&](const std::string& line) { session_.complain(line); });
  auto locked = delta::lock_manifest(session_.env(), directory_, delta::StoreAccess::kReadOnly);
  while (!locked && locked.error().kind() == ErrorKind::kBusy && closing.wait()) {
    locked = delta::lock_manifest(session_.env(), directory_, delta::StoreAccess::kReadOnly);
  }
  if (locked) return std::optional(std::move(locked).value());
  const auto kind = locked.error().kind();
  if (kind == ErrorKind::kNotFound || kind == ErrorKind::kNotDirectory) {
    return std::optional<delta::LockedManifest>();
  }
  return std::move(locked).error();
}

// The manifest stays locked while this runs.
int StackCommand::show_stack(const delta::LockedManifest& locked, Report report) {
  show_manifest(locked, report);
  return show_stores(locked.manifest, locked.manifest.stores.size(), report);
}

// Prints the facts about the manifest itself.
void StackCommand::show_manifest(const delta::LockedManifest& locked, Report report) const {
  const bool checks = report == Report::kCheck;
  if (options_.stores.json || (checks && options_.stores.quiet)) return;
  if (!checks) {
    const auto& manifest = locked.manifest;
    session_.print(fmt::format("{:<11} {}\n", "delta", shell_quoted(directory_)));
    session_.print(fmt::format("{:<11} {}\n", "uuid", format::uuid_text(manifest.delta)));
    session_.print(fmt::format("{:<11} {}\n", "image", format::uuid_text(manifest.image)));
    if (manifest.base) {
      session_.print(fmt::format("{:<11} {}\n", "base", base_text(manifest)));
      for (const std::string& need : needs_of_base(session_, directory_, manifest)) {
        session_.print(fmt::format("{:<11} {}\n", "needs", printable(need)));
      }
    }
    session_.print(fmt::format("{:<11} {}, the newest is {}\n", "stores", manifest.stores.size(),
                               manifest.stores.back().name()));
  }
  if (const auto whole = delta::count_whole_slots(*locked.file); whole && whole.value() < 2) {
    const auto text = "one of the two slots is not whole; the other one is used";
    session_.print(checks ? fmt::format("manifest: {}\n", text)
                          : fmt::format("{:<11} {}\n", "manifest", text));
  }
}

// @param stores  so many are shown or checked, from the oldest on
int StackCommand::show_stores(const delta::Manifest& manifest, std::size_t stores, Report report) {
  int code = kExitDone;
  for (std::size_t index = 0; index < stores; ++index) {
    if (report == Report::kInfo && !options_.stores.json) session_.print("\n");
    StoreCommand command(session_, StackPlace{directory_, manifest, index}, options_.stores);
    code = std::max(code, report == Report::kCheck ? command.check() : command.info());
    if (session_.should_stop()) break;
  }
  return code;
}

int StackCommand::check_names(const std::optional<std::string>& as_of) {
  const auto& [json, quiet, scan] = options_.stores;
  if (!options_.image) {
    if (!json && !quiet) {
      session_.print("names: not checked, because that needs the image (--image)\n");
    }
    return kExitDone;
  }
  auto image = open_image(session_, *options_.image, options_.image_options);
  if (!image) return kExitFailed;
  return NamesCheck(session_, {json, quiet, options_.repairs, as_of})
      .run(directory_, std::move(image), *options_.image,
           options_.image_options.open_options(session_));
}

// A mount may still be closing the newest layer. All other troubles are found by the check.
Status StackCommand::wait_for_layers(std::size_t layers) const {
  const auto find = [&](const delta::Manifest&) -> Result<std::size_t> { return layers; };
  const auto opened = delta::DeltaDirectory::open_state(session_.env(), directory_, find, {});
  const bool is_busy = !opened && opened.error().kind() == ErrorKind::kBusy;
  return is_busy ? Status(opened.error()) : ok();
}

}  // namespace dgfs::tools
