// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/corrupt/command_prober.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <vector>

#include "tests/support/image_assembler.h"
#include "tools/tool.h"

namespace dgfs::test {
namespace {

constexpr double kSecondsMax = 20;  // under sanitizers, on a busy machine
// Holes can make a small image huge; commands need not print or write all of it.
constexpr std::size_t kPrintedBytesMax = std::size_t{4} << 20;
constexpr std::uint64_t kWrittenBytesMax = std::uint64_t{64} << 20;

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

double processor_time_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Ran run(storage::Env& env, const std::vector<std::string>& arguments) {
  Ran ran;
  const auto sink = [](std::string& text) {
    return [&text](std::string_view more) {
      if (text.size() > kPrintedBytesMax) return EPIPE;
      text += more;
      return 0;
    };
  };
  tools::Output out(sink(ran.out), 0);
  tools::Output err(sink(ran.err), 0);
  const std::atomic<bool> stop = false;
  const tools::ToolIo io{env, out, err, false, false, 80, stop};
  ran.code = tools::tool_main(arguments, io);
  return ran;
}

// Returns the path to ask; volumes are found beside it.
std::string place(storage::Env& env, const ImageFiles& files, const ImageFiles& sound,
                  const std::string& folder) {
  const auto name = folder + "/t.dgfs";
  if (!files.image.empty()) write_file(env, name, files.image);
  if (!files.index.empty()) write_file(env, name + ".idx", files.index);
  for (const auto& [volume, bytes] : files.volumes.empty() ? sound.volumes : files.volumes) {
    write_file(env, folder + "/" + volume, bytes);
  }
  return files.image.empty() ? name + ".idx" : name;
}

class Commands {
 public:
  Commands(const ImageFiles& files, const ImageFiles& sound, Promise promise, std::string what)
      : promise_(promise), what_(std::move(what)), image_(place(*env_, files, sound, "")) {
    EXPECT_TRUE(env_->make_directory("/sound", 0755).has_value());
    sound_ = place(*env_, sound, sound, "/sound");
    env_->set_capacity(kWrittenBytesMax);
    EXPECT_TRUE(env_->make_directory("/jail", 0755).has_value());
  }

  void run_all() {
    for (const auto& arguments : std::vector<std::vector<std::string>>{{"info"},
                                                                       {"info", "--scan"},
                                                                       {"info", "--scan", "--json"},
                                                                       {"du", "-a"},
                                                                       {"stat", "/"},
                                                                       {"verify"},
                                                                       {"verify", "--json"},
                                                                       {"verify", "--digest"}}) {
      check(arguments, 1);
    }
    check({"ls", "-lR"}, 2);
    check({"find", "-ls"}, 1);
    check({"extract", "-n", "--json", "/jail/none"}, 1);
    check({"extract", "-k", "/jail/out"}, 1);
    for (const auto* path : {"/evil", "/jail/evil", "/tree"}) {
      EXPECT_FALSE(env_->status(path).has_value()) << "written outside the destination, " << what_;
    }
    check_contents();
    check_digests();
    check_difference();
    check_salvage();
    check_partial_salvage();
    check({"volume", "list"}, 1);
    check({"verify", "--only-volume", "0"}, 1);
    check({"verify", "--fix-index"}, 1);
    check_move();
  }

 private:
  // Runs a command on the image. The image comes after the command, or after the subcommand of
  // 'volume'; operands follow.
  Ran check(std::vector<std::string> arguments, int code_max) {
    const auto begin_s = processor_time_s();
    arguments.insert(arguments.begin() + (arguments[0] == "volume" ? 2 : 1), image_);
    auto ran = run(*env_, arguments);
    const auto told = arguments[0] + ", " + what_ + ": " + ran.out.substr(0, 500) + ran.err;
    EXPECT_TRUE(ran.code >= 0 && ran.code <= code_max) << ran.code << " of " << told;
    if (ran.code != 0) {
      EXPECT_FALSE(ran.out.empty() && ran.err.empty()) << told;
    }
    EXPECT_LT(processor_time_s() - begin_s, kSecondsMax) << told;
    return ran;
  }

  // `cat` prints the bytes of a file up to the place of the damage.
  void check_contents() {
    const auto found = run(*env_, {"find", sound_, "-type", "f"});
    for_each_line(found.out, [&](const std::string& path) {
      const auto ours = check({"cat", path}, 1);
      if (promise_ != Promise::kTruth) return;
      const auto truth = run(*env_, {"cat", sound_, path}).out;
      EXPECT_TRUE(truth.starts_with(ours.out))
          << "cat printed wrong bytes of " << path << ", " << what_;
      EXPECT_TRUE(ours.code != 0 || truth == ours.out)
          << "cat printed too few bytes of " << path << ", " << what_;
    });
  }

  // Each printed line must also come from the sound image.
  void check_digests() {
    const auto ours = check({"digest"}, 1);
    if (promise_ != Promise::kTruth) return;
    const auto truth = "\n" + run(*env_, {"digest", sound_}).out;
    for_each_line(ours.out, [&](const std::string& line) {
      EXPECT_NE(truth.find("\n" + line + "\n"), std::string::npos) << line << ", " << what_;
    });
  }

  // A saved file must have the contents that the sound image has under its name.
  void check_salvage() {
    check({"salvage", "--list", "--json"}, 1);
    check({"salvage", "/jail/saved"}, 1);
    for_each_saved("/jail/saved", [&](const std::string& path, std::string_view saved) {
      EXPECT_TRUE(run(*env_, {"cat", sound_, path}).out == saved)
          << "salvage saved wrong bytes of " << path << ", " << what_;
    });
  }

  // Zeros may replace contents; all are zeros where the sound files lack the contents, too.
  void check_partial_salvage() {
    check({"salvage", "--partial", "/jail/partial"}, 1);
    for_each_saved("/jail/partial", [&](const std::string& path, std::string_view saved) {
      const auto sound = run(*env_, {"cat", sound_, path});
      const auto truth = sound.code == 0 ? sound.out : std::string(saved.size(), '\0');
      const auto is_right = [](char ours, char theirs) { return ours == theirs || ours == '\0'; };
      EXPECT_TRUE(std::ranges::equal(saved, truth, is_right))
          << "salvage --partial saved wrong bytes of " << path << ", " << what_;
    });
  }

  // This check comes last: afterwards the image has another name, with the same bytes.
  void check_move() {
    const auto content = [&](const std::string& path) {
      const auto file = env_->open(path);
      if (!file) return std::string();
      Buffer bytes(file.value()->size().value());
      EXPECT_TRUE(storage::read_exactly(*file.value(), 0, bytes).has_value());
      return std::string(as_text(bytes));
    };
    const auto before = content("/t.dgfs");
    const auto moved = check({"volume", "move", "0", "/jail/moved"}, 1).code == 0;
    EXPECT_TRUE(content(moved ? "/jail/moved" : "/t.dgfs") == before) << what_;
    EXPECT_FALSE(env_->status(moved ? "/t.dgfs" : "/jail/moved").has_value()) << what_;
  }

  template <typename Visit>
  static void for_each_line(const std::string& text, const Visit& visit) {
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      visit(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  /// Visits files of the sound image that were saved below a directory, if checksums show the
  /// damage.
  template <typename Visit>
  void for_each_saved(const std::string& directory, const Visit& visit) {
    if (promise_ != Promise::kTruth || !env_->status(directory)) return;
    const auto found = run(*env_, {"find", sound_, "-type", "f", "-printf", "%P\\n"});
    for_each_line(found.out, [&](const std::string& path) {
      const auto saved = env_->open(directory + "/" + path);
      if (!saved) return;
      Buffer bytes(saved.value()->size().value());
      EXPECT_TRUE(storage::read_exactly(*saved.value(), 0, bytes).has_value());
      visit(path, as_text(bytes));
    });
  }

  // Damage is an error, not a difference.
  void check_difference() {
    const auto ran = check({"diff", sound_}, 2);
    if (promise_ != Promise::kTruth) return;
    EXPECT_NE(ran.code, 1) << what_ << ": " << ran.out;
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  Promise promise_;
  std::string what_;
  std::string image_;
  std::string sound_;
};

}  // namespace

void run_commands(const ImageFiles& files, const ImageFiles& sound, Promise promise,
                  const std::string& what) {
  Commands(files, sound, promise, what).run_all();
}

}  // namespace dgfs::test
