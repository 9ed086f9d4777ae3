// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs digest: prints the digests of contents in the index, as sha256sum(1) prints them.
#include <fmt/format.h>

#include "base/json.h"
#include "format/entry/mode.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"
#include "tools/command.h"
#include "tools/paths/image_argument.h"
#include "tools/paths/image_path.h"
#include "tools/paths/operand_pattern.h"
#include "tools/paths/tree_walk.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

// Escapes characters that would break the lines of sha256sum(1), and marks that by a backslash
// before the digest, as that does.
std::string digest_line(const std::string& digest, std::string_view path) {
  std::string name;
  bool is_escaped = false;
  for (const char byte : path) {
    const char* const escape = byte == '\\'   ? "\\\\"
                               : byte == '\n' ? "\\n"
                               : byte == '\r' ? "\\r"
                                              : nullptr;
    is_escaped = is_escaped || escape != nullptr;
    if (escape != nullptr) {
      name += escape;
    } else {
      name += byte;
    }
  }
  return (is_escaped ? "\\" : "") + digest + "  " + name + "\n";
}

class DigestCommand {
 public:
  DigestCommand(const Session& session, const reader::Image& image,
                format::DigestAlgorithm algorithm)
      : session_(session), image_(image), algorithm_(algorithm) {}

  bool zero = false;
  bool json = false;

  /// Prints a file, or all files below a directory. Returns false if something cannot be printed.
  bool print(const std::string& operand) {
    const auto found = find_listed(image_, operand, Follow::kYes);
    if (!found) return complain(operand, found.error());
    const reader::Node& node = found.value().node;
    return format::is_directory(node.mode) ? print_below(operand, found.value())
                                           : print_file(operand, node);
  }

  /// Prints all files, with their paths as they stand in the image.
  bool print_all() {
    const auto root = find_listed(image_, ".", Follow::kYes);
    return root ? print_below("", root.value()) : complain(".", root.error());
  }

 private:
  bool print_below(const std::string& path, const FoundNode& directory) {
    const bool is_lost = directory.lost.has_value();
    sound_ = !is_lost || complain(path.empty() ? "." : path, *directory.lost);
    const Status walked = walk_tree(image_, path, directory.node, visitor(), is_lost);
    return (walked || complain(path.empty() ? "." : path, walked.error())) && sound_;
  }

  TreeVisitor visitor() {
    TreeVisitor visitor;
    visitor.enter = [this](std::string_view path, const reader::Node& node, std::size_t) {
      if (session_.should_stop()) return Step::kEnd;
      session_.passed();
      if (format::is_regular(node.mode)) sound_ = print_file(path, node) && sound_;
      return Step::kInto;
    };
    visitor.damaged = [this](std::string_view path, const Error& error) {
      sound_ = complain(path, error);
    };
    return visitor;
  }

  bool print_file(std::string_view path, const reader::Node& node) {
    const auto digest = image_.digest(node);
    if (!digest) return complain(path, digest.error());
    const std::string text = format::digest_text(digest.value());
    if (json) {
      JsonObject line;
      session_.print(line.add("path", path).add(digest_algorithm_name(algorithm_), text).line());
    } else if (zero) {
      session_.print(fmt::format("{}  {}{}", text, path, '\0'));
    } else {
      print_line(text, path == "-" ? "./-" : path);  // sha256sum takes "-" for its standard input
    }
    return true;
  }

  void print_line(const std::string& digest, std::string_view path) const {
    const bool on_terminal = session_.io().out_is_terminal;
    session_.print(on_terminal ? fmt::format("{}  {}\n", digest, session_.shown(path))
                               : digest_line(digest, path));
  }

  bool complain(std::string_view path, const Error& error) const {
    session_.complain_damage(path, error);
    return false;
  }

  const Session& session_;
  const reader::Image& image_;
  format::DigestAlgorithm algorithm_;
  bool sound_ = true;
};

Manual digest_manual() {
  return {
      .paragraphs =
          {"'dgfs build --digest sha256' keeps a digest of each file's contents at the time of "
           "packing. Only the index is read; 'dgfs verify --digest' compares the digests with the "
           "contents in the image. A file with several names is listed under each of them.",
           "A path with a backslash, a newline or a carriage return is escaped as by sha256sum, "
           "and its line begins with a backslash; with -z nothing is escaped. On a terminal, names "
           "are quoted as by ls.",
           kPatternHelp, kJsonHelp},
      .examples = {{"dgfs digest tree.dgfs", "Lists the digests of all files."},
                   {"dgfs digest tree.dgfs | (cd tree && sha256sum --quiet -c)",
                    "Compares a directory with the image, without reading the image's contents."},
                   {"dgfs digest tree.dgfs 'etc/*.conf'", "Lists the digests of some files."}},
      .exit_statuses = {{0, "All digests were printed."},
                        {1,
                         "A path is missing or is no regular file, or the index is damaged or "
                         "keeps no digests."},
                        {2, "Wrong usage."}},
      .see_also = {"dgfs-build(1)", "dgfs-verify(1)", "sha256sum(1)"}};
}

}  // namespace

int run_digest(const ToolIo& io, const Arguments& arguments) {
  Session session(io, "digest");
  session.show_progress("listing");
  OptionParser options({"dgfs digest", "IMAGE [PATH]...",
                        "Prints the digests of files, and of all files below directories "
                        "(default: the whole image), in the format of sha256sum."});
  ImageOptions image_options;
  bool zero = false;
  bool json = false;
  image_options.add_to(options);
  options.flag("-z,--zero", "End lines with a NUL, not a newline, and escape nothing", zero);
  options.flag("--json", "Print JSON objects, one per line", json);
  options.manual(digest_manual());
  auto [operands, exit_code] = session.parse(options, arguments, 1, SIZE_MAX);
  if (exit_code) return *exit_code;
  const auto image = open_image(session, operands[0], image_options);
  if (!image) return kExitFailed;
  const auto algorithm = image->digest_algorithm();
  if (!algorithm) return session.fail(algorithm.error());
  if (!algorithm.value()) {
    session.complain(operands[0], "has no digests; 'dgfs build --digest sha256' makes them");
    return kExitFailed;
  }

  DigestCommand command(session, *image, *algorithm.value());
  command.zero = zero;
  command.json = json;
  operands.erase(operands.begin());
  int code = kExitDone;
  bool sound = true;
  if (operands.empty() && !command.print_all()) code = kExitFailed;
  for (const std::string& operand : expand_patterns(session, *image, operands, sound)) {
    if (session.should_stop()) break;
    if (!command.print(operand)) code = kExitFailed;
  }
  return session.finish(sound ? code : kExitFailed);
}

}  // namespace dgfs::tools
