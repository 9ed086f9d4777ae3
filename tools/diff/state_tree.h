// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Trees of the states of a delta, "DELTA@STATE", and where two of them may differ.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "delta/view/state_changes.h"
#include "delta/view/view.h"
#include "tools/cli/session.h"
#include "tools/diff/tree.h"
#include "tools/paths/image_argument.h"

namespace dgfs::tools {

/// "crawl.delta@nightly-02". A value.
struct StateArgument {
  std::string directory;  ///< of the delta
  std::string state;
};

/// The delta and the state that an operand names; none: it names no state. A path that exists is a
/// path, whatever its name.
[[nodiscard]] std::optional<StateArgument> state_argument(const Session& session,
                                                          const std::string& operand);

/// A state that is open, with all that shows it. Moved, not copied.
struct OpenState {
  delta::HeldBase held;                          ///< of the delta, if `delta` does not hold it
  std::shared_ptr<const reader::Image> image;    ///< below the stores
  std::unique_ptr<delta::DeltaDirectory> delta;  ///< null: the image alone
  std::unique_ptr<view::View> view;              ///< null: likewise
  std::unique_ptr<DiffTree> tree;
  std::size_t stores = 0;  ///< that the state shows
};

/// Opens a state. "newest" is opened as a read-only mount is, so the delta may not be mounted.
/// @param image_path  of the delta's image; none: the path in its manifest
/// Errors: those of opening image and delta; kNotFound (the manifest does not tell where the image
/// is).
[[nodiscard]] Result<OpenState> open_state(const Session& session, const StateArgument& argument,
                                           const std::optional<std::string>& image_path);
/// Where two states of one delta may differ; none: anywhere, because the index of the image does
/// not list the names of linked objects, or because too many objects were changed. Errors: those of
/// view::changes_between().
[[nodiscard]] Result<std::optional<view::StateChanges>> changes_between(const OpenState& first,
                                                                        const OpenState& second);

}  // namespace dgfs::tools
