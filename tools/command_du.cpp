// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs du: sums of sizes below directories, in the format of du(1).
#include <fmt/format.h>

#include <limits>
#include <unordered_set>

#include "format/mode.h"
#include "tools/command.h"
#include "tools/image_argument.h"
#include "tools/image_path.h"
#include "tools/json.h"
#include "tools/node_facts.h"
#include "tools/quoting.h"
#include "tools/size_text.h"
#include "tools/tree_walk.h"

namespace dgfs::tools {
namespace {

struct DuOptions {
  bool all = false;
  bool human = false;
  bool apparent = false;
  bool bytes = false;
  bool summarize = false;
  bool total = false;
  bool json = false;
  std::size_t depth_max = std::numeric_limits<std::size_t>::max();
};

class DuCommand {
 public:
  DuCommand(const Session& session, const reader::Image& image, const DuOptions& options)
      : session_(session), image_(image), options_(options) {}

  /// Returns whether all could be read.
  bool add(const std::string& operand) {
    const Result<FoundNode> found = find_node(image_, operand, Follow::kNo);
    if (!found) {
      session_.complain(operand, found.error().message());
      return false;
    }
    sums_.assign(1, 0);
    sound_ = true;
    const Status walked = walk_tree(image_, operand, found.value().node, visitor());
    if (!walked) session_.complain(operand, walked.error().message());
    total_ += sums_[0];
    return walked && sound_;
  }

  void print_total() { print("total", total_); }

 private:
  /// sums_[d] collects what lies below the directory of depth d - 1 that is being visited.
  TreeVisitor visitor() {
    TreeVisitor visitor;
    visitor.enter = [this](std::string_view path, const reader::Node& node, std::size_t depth) {
      if (session_.should_stop()) return Step::kEnd;
      sums_.resize(std::max(sums_.size(), depth + 2), 0);
      if (format::is_directory(node.mode)) return Step::kInto;
      // A file with several names takes its space once.
      if (node.link_count > 1 && !counted_.insert(node.inode).second) return Step::kOver;
      const std::uint64_t size = size_of(node);
      sums_[depth] += size;
      if (depth == 0 || (options_.all && depth <= options_.depth_max)) print(path, size);
      return Step::kOver;
    };
    visitor.leave = [this](std::string_view path, const reader::Node& node, std::size_t depth) {
      const std::uint64_t size = sums_[depth + 1] + size_of(node);
      sums_[depth + 1] = 0;
      sums_[depth] += size;
      if (depth <= options_.depth_max) print(path, size);
      return true;
    };
    visitor.damaged = [this](std::string_view path, const Error& error) {
      session_.complain(path, error.message());
      sound_ = false;
    };
    return visitor;
  }

  std::uint64_t size_of(const reader::Node& node) const {
    return options_.apparent ? node.size_bytes : allocated_bytes(node);
  }

  void print(std::string_view path, std::uint64_t size) {
    if (options_.json) {
      JsonObject line;
      session_.print(line.add("path", path).add("bytes", size).line());
      return;
    }
    const std::uint64_t blocks = size / 1024 + (size % 1024 != 0 ? 1 : 0);
    const std::string text = options_.human   ? human_size(size)
                             : options_.bytes ? std::to_string(size)
                                              : std::to_string(blocks);
    const std::string name = session_.io().out_is_terminal ? printable(path) : std::string(path);
    session_.print(fmt::format("{}\t{}\n", text, name));
  }

  const Session& session_;
  const reader::Image& image_;
  const DuOptions& options_;
  std::vector<std::uint64_t> sums_;
  std::unordered_set<reader::InodeNumber> counted_;
  std::uint64_t total_ = 0;
  bool sound_ = true;
};

Manual manual() {
  return {.examples = {{"dgfs du -sh tree.dgfs lib share", "Sums up two directories."},
                       {"dgfs du -d 1 -h tree.dgfs", "Sums up what lies directly in the root."}},
          .see_also = {"dgfs-info(1)", "du(1)"}};
}

}  // namespace

int run_du(const ToolIo& io, const Arguments& arguments) {
  const Session session(io, "du");
  OptionParser options({"dgfs du", "IMAGE [PATH]...",
                        "Sums up the space that files take, in units of 1024 bytes. Holes take "
                        "none, directories neither: they live in the index."},
                       "--help");
  ImageOptions image_options;
  DuOptions du;
  image_options.add_to(options);
  options.flag("-a,--all", "Show files too, not only directories", du.all);
  options.flag("-h,--human-readable", "Print sizes like 1.2K, 84M, 3G", du.human);
  options.flag("-s,--summarize", "Show only a sum for each PATH", du.summarize);
  options.flag("-c,--total", "Show a sum of all", du.total);
  options.number("-d,--max-depth", "N", "Show nothing deeper than N levels", du.depth_max);
  options.flag("--apparent-size", "Count sizes, not the space taken", du.apparent);
  options.on_flag("-b,--bytes", "Same as --apparent-size, in bytes", [&](const auto&) -> Status {
    du.apparent = du.bytes = true;
    return ok();
  });
  options.flag("--json", "Print JSON objects, one a line, sizes in bytes", du.json);
  options.manual(manual());
  auto [operands, exit_code] = session.parse(options, arguments, 1, SIZE_MAX);
  if (exit_code) return *exit_code;
  if (du.summarize && du.all) return session.fail_usage("-s and -a exclude each other");
  if (du.summarize) du.depth_max = 0;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;

  if (operands.size() == 1) operands.emplace_back(".");
  DuCommand command(session, *image, du);
  bool sound = true;
  for (std::size_t i = 1; i < operands.size() && !session.should_stop(); ++i) {
    sound = command.add(operands[i]) && sound;
  }
  if (du.total) command.print_total();
  return session.finish(sound ? kExitDone : kExitFailed);
}

}  // namespace dgfs::tools
