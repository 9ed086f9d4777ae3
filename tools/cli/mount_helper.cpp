// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/mount_helper.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/tool.h"

namespace dgfs::tools {
namespace {

// See mount(8), "EXIT STATUS".
constexpr int kMountExitUsage = 1;
constexpr int kMountExitFailed = 32;

struct HelperCall {
  std::vector<std::string> operands;
  std::string options;  // all lists, joined by commas
  bool sloppy = false;
  bool fake = false;
};

Error usage(std::string_view text) {
  return Error(ErrorKind::kInvalidArgument, 6150,
               fmt::format("{}\nusage: mount.dgfs IMAGE DIR [-sfnv] [-o OPTIONS]", text));
}

void add_options(HelperCall& call, std::string_view list) {
  if (!call.options.empty() && !list.empty()) call.options += ',';
  call.options += list;
}

// Takes one cluster of flags; returns the one that takes a value, 0 if none does.
Result<char> take_flags(HelperCall& call, std::string_view flags) {
  for (const char flag : flags) {
    if (flag == 's') call.sloppy = true;
    if (flag == 'f') call.fake = true;
    if (flag == 'o' || flag == 't' || flag == 'N') return flag;
    if (std::string_view("sfnv").find(flag) == std::string_view::npos) {
      return usage(fmt::format("unknown option -{}", flag));
    }
  }
  return '\0';
}

Result<HelperCall> parse(const Arguments& arguments) {
  HelperCall call;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() < 2 || argument.front() != '-') {
      call.operands.push_back(argument);
      continue;
    }
    DGFS_TRY(flag, take_flags(call, std::string_view(argument).substr(1)));
    if (flag == '\0') continue;
    // The value follows in the same argument or in the next.
    const auto at = argument.find(flag, 1) + 1;
    if (at == argument.size() && i + 1 == arguments.size()) {
      return usage(fmt::format("option -{} needs a value", flag));
    }
    const std::string value = at < argument.size() ? argument.substr(at) : arguments[++i];
    if (flag == 'o') add_options(call, value);
    if (flag == 'N') return usage("-N is not supported; nsenter(1) enters other mount name spaces");
  }
  if (call.operands.size() != 2) return usage("an image and a directory are needed");
  return call;
}

// Whether `name` is given and not followed by `opposite`; `otherwise` if neither is given.
bool is_set(std::string_view list, const std::string& name, const std::string& opposite,
            bool otherwise) {
  const std::string padded = "," + std::string(list) + ",";
  const auto last_name = padded.rfind("," + name + ",");
  const auto last_opposite = padded.rfind("," + opposite + ",");
  if (last_name == padded.npos) return last_opposite == padded.npos && otherwise;
  return last_opposite == padded.npos || last_opposite < last_name;
}

void remove_option(std::string& list, std::string_view name) {
  std::string padded = "," + list + ",";
  const std::string wanted = "," + std::string(name) + ",";
  for (auto at = padded.find(wanted); at != padded.npos; at = padded.find(wanted)) {
    padded.replace(at, wanted.size(), ",");
  }
  list = padded.size() < 2 ? "" : padded.substr(1, padded.size() - 2);
}

void settle_privileges(HelperCall& call, std::uint32_t user_id) {
  for (const std::string name : {"suid", "dev"}) {
    const bool wanted = user_id == 0 && is_set(call.options, name, "no" + name, true);
    remove_option(call.options, name);
    remove_option(call.options, "no" + name);
    add_options(call, wanted ? name : "no" + name);
  }
}

}  // namespace

bool is_mount_helper(std::string_view program, const Arguments& arguments) {
  const auto name = program.substr(program.rfind('/') + 1);  // npos + 1 is 0
  if (name == "mount.dgfs" || name == "mount.fuse.dgfs") return true;
  // As mount.fuse(8): no command has a slash in its name, but every path from mount(8) has one.
  return arguments.size() >= 2 && arguments[0].find('/') != std::string::npos;
}

Result<Arguments> mount_helper_arguments(const Arguments& arguments, std::uint32_t user_id) {
  DGFS_TRY(call, parse(arguments));
  // mount(8) passes rw wherever ro is not given. For a remount, rw may be intended.
  if (("," + call.options + ",").find(",remount,") == std::string::npos) {
    remove_option(call.options, "rw");
    settle_privileges(call, user_id);
  } else {
    add_options(call, kByMountProgram);
  }
  Arguments out = {"mount"};
  if (call.fake) out.emplace_back("--dry-run");
  if (call.sloppy) out.insert(out.end(), {"-o", "sloppy"});
  if (!call.options.empty()) out.insert(out.end(), {"-o", call.options});
  out.insert(out.end(), {"--", call.operands[0], call.operands[1]});
  return out;
}

int mount_helper_main(const Arguments& arguments, const ToolIo& io) {
  const auto translated = mount_helper_arguments(arguments, io.env.user_id());
  if (!translated) {
    io.err.write(fmt::format("mount.dgfs: {}\n", translated.error().text()));
    io.err.flush();
    return kMountExitUsage;
  }
  const int code = tool_main(translated.value(), io);
  if (code == kExitUsage) return kMountExitUsage;
  return code == kExitDone ? 0 : kMountExitFailed;
}

}  // namespace dgfs::tools
