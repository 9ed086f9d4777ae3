// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/names_check.h"

#include <fmt/format.h>

#include <string_view>

#include "base/json.h"
#include "delta/store/directory/states.h"
#include "delta/view/bottom_image.h"
#include "delta/view/check/namespace_check.h"
#include "delta/view/check/namespace_repair.h"
#include "tools/text/quoting.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

std::string subject_of(const view::Finding& finding) {
  if (finding.path) return shell_quoted(*finding.path);
  if (finding.place) {
    return fmt::format("{} in directory {}", shell_quoted(finding.place->name),
                       finding.place->directory);
  }
  return finding.object == 0 ? "the delta" : fmt::format("object {}", finding.object);
}

}  // namespace

int NamesCheck::run(const std::string& directory, std::shared_ptr<const reader::Image> image,
                    const std::string& image_path, const reader::OpenOptions& open) {
  delta::StoreOptions how;
  how.access = options_.repairs ? delta::StoreAccess::kReadWrite : delta::StoreAccess::kReadOnly;
  auto opened = options_.as_of
                    ? delta::DeltaDirectory::open_state(
                          session_.env(), directory,
                          [&](const delta::Manifest& manifest) {
                            return delta::find_state(manifest, *options_.as_of, directory);
                          },
                          how)
                    : delta::DeltaDirectory::open(session_.env(), directory, how);
  if (!opened) return session_.fail(opened.error());
  delta::DeltaDirectory& delta = *opened.value();
  if (const auto privacy = delta.privacy().text(directory); !privacy.empty()) {
    session_.complain(privacy);
  }
  const auto bottom = view::bottom_of_delta(session_.env(), std::move(image), image_path, directory,
                                            delta.manifest(), open);
  if (!bottom) return session_.fail(bottom.error());
  const auto checked = check(*bottom.value(), delta);
  if (!checked) {
    return session_.fail(checked.error(),
                         options_.repairs ? "the repair is not complete; run it again" : "");
  }
  is_mended_ = options_.repairs;
  tell_sum();
  return broken_ == 0 || is_mended_ ? kExitDone : kExitFailed;
}

Status NamesCheck::check(const reader::Image& image, delta::DeltaDirectory& delta) {
  const auto layers = view::generation_of(image, delta);
  if (!options_.repairs) {
    return view::check_namespace(
        layers, [this](const view::Finding& finding) { tell(finding, std::nullopt); });
  }
  DGFS_CHECK(view::repair_namespace(layers, session_.env().now(),
                                    [this](const view::Finding& finding, std::string_view action) {
                                      tell(finding, std::string(action));
                                    }));
  return broken_ == 0 ? ok() : delta.close();
}

void NamesCheck::tell(const view::Finding& finding, const std::optional<std::string>& action) {
  ++broken_;
  if (options_.json) {
    JsonObject line;
    line.add("broken", word_of(finding.rule)).add("object", finding.object);
    if (finding.place) {
      line.add("directory", finding.place->directory).add("name", finding.place->name);
    }
    if (finding.path) line.add("path", *finding.path);
    line.add("reason", finding.text);
    if (action) line.add("mended", *action);
    session_.print(line.line());
  } else if (cap_.take()) {
    const auto text = finding.text + (action ? "; " + *action : "");
    session_.print(fmt::format("{}: {}: {}\n", action ? "mended" : "broken", subject_of(finding),
                               printable(text)));
  }
}

void NamesCheck::tell_sum() const {
  if (options_.json) {
    JsonObject line;
    line.add("names_sound", broken_ == 0 || is_mended_)
        .add("broken_places", broken_)
        .add("mended_places", is_mended_ ? broken_ : 0);
    return session_.print(line.line());
  }
  if (const auto rest = cap_.rest("in the names")) session_.print(*rest + "\n");
  if (broken_ != 0) {
    session_.print(
        fmt::format("names: {} {}\n", counted(broken_, "place"), is_mended_ ? "mended" : "broken"));
  } else if (!options_.quiet) {
    session_.print("names: sound\n");
  }
}

}  // namespace dgfs::tools
