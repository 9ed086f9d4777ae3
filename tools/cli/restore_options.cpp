// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/restore_options.h"

namespace dgfs::tools {
namespace {

void on_flag(OptionParser& options, const std::string& name, const std::string& help, bool& target,
             bool value) {
  options.on_flag(name, help, [&target, value](const auto&) -> Status {
    target = value;
    return ok();
  });
}

}  // namespace

void add_restore_options(OptionParser& options, reader::RestoreChoice& choice) {
  on_flag(options, "--same-owner",
          "Restore owners, devices and all attributes (the default for root)", choice.privileged,
          true);
  on_flag(options, "--no-same-owner",
          "Write as an ordinary user would: no owners, devices or capabilities, and set-id bits "
          "only if the owner is the same (the default for other users)",
          choice.privileged, false);
  on_flag(options, "--no-xattrs",
          "Restore no extended attributes except ACLs; drops capabilities and labels too",
          choice.xattrs, false);
  on_flag(options, "--no-acls",
          "Restore no POSIX ACLs; files get those that they inherit from DEST, and their groups "
          "get no more rights than the ACLs gave them",
          choice.acls, false);
  on_flag(options, "--no-devices", "Leave out device nodes silently", choice.devices, false);
}

std::string option_without(reader::AttributeKind kind) {
  using reader::AttributeKind;
  switch (kind) {
    case AttributeKind::kOwner:
      return "--no-same-owner leaves owners out";
    case AttributeKind::kXattr:
      return "--no-xattrs leaves extended attributes out";
    case AttributeKind::kAcl:
      return "--no-acls leaves ACLs out";
    case AttributeKind::kMode:
    case AttributeKind::kTimes:
    case AttributeKind::kAll:
      break;
  }
  return {};
}

std::string lost_attribute_text(const reader::LostAttribute& attribute, const Error& error) {
  const auto option = option_without(attribute.kind);
  return option.empty() ? error.message() : error.message() + " (" + option + ")";
}

std::string further_copy_text(const Error& why) {
  return "written as a further copy, not as a hard link: " + why.text();
}

}  // namespace dgfs::tools
