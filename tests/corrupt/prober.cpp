// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/corrupt/prober.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <unordered_set>

#include "format/checksum.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/check/verify.h"
#include "reader/extract/extract.h"
#include "tests/support/heap_meter.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {

bool in_corpus_share(std::size_t number) {
  const auto set_or = [](const char* name, const char* otherwise) {
    const char* set = std::getenv(name);
    return std::stoul(set != nullptr ? set : otherwise);
  };
  static const auto share = set_or("DGFS_CORPUS_SHARE", DGFS_CORPUS_SHARE);
  static const auto turn = set_or("DGFS_CORPUS_TURN", "0");
  return (number + turn) % share == 0;
}

namespace {

// The most memory that a probe of a small image may take. The largest part is the window through
// which sections are read: twice a block of 16 MiB.
constexpr std::size_t kHeapBytesMax = std::size_t{160} << 20;
constexpr double kSecondsMax = 10;  // under sanitizers, on a busy machine
// No image here has more entries, and no file has more bytes outside holes.
constexpr std::uint64_t kWalkedMax = 200'000;
// Asks about at most so many entries that the sound image does not have.
constexpr int kStrangersMax = 50;
constexpr std::size_t kReadBytesMax = std::size_t{1} << 20;

struct Marks {
  std::unordered_set<std::uint64_t> seen;
  std::size_t peak_bytes = 0;
  double longest_s = 0;
  Prober::Also also;
};
Marks& marks() {
  static Marks made;
  return made;
}

double processor_time_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string time_text(const Time& time) {
  return std::to_string(time.seconds) + "." + std::to_string(time.nanoseconds);
}

// All fields that the image fixes, except the place of the data, which is no answer by itself.
std::string node_text(const reader::Node& node) {
  std::string text;
  for (const std::uint64_t number :
       {node.inode, std::uint64_t{node.mode}, std::uint64_t{node.uid}, std::uint64_t{node.gid},
        node.link_count, node.size_bytes, node.rdev}) {
    text += std::to_string(number) + " ";
  }
  return text + time_text(node.mtime) + " " + time_text(node.ctime) + " " + time_text(node.atime);
}

// An error about damage names its place. Only for a file that is no image is there no place.
void expect_place(const Error& error, const std::string& what) {
  constexpr std::uint16_t kNoImage = 3105;
  const bool is_damage = error.kind() == ErrorKind::kCorrupt ||
                         error.kind() == ErrorKind::kUnsupported ||
                         error.kind() == ErrorKind::kLimit;
  if (!is_damage) return;
  EXPECT_FALSE(error.file().empty()) << error.code() << " " << error.message() << what;
  if (error.code() == kNoImage) return;
  EXPECT_FALSE(error.section().empty()) << error.code() << " " << error.message() << what;
  EXPECT_TRUE(error.offset()) << error.code() << " " << error.message() << what;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= format::kNameBytesMax && name != "." && name != ".." &&
         name.find('/') == name.npos && name.find('\0') == name.npos;
}

bool is_path(std::string_view path) {
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (!is_name(path.substr(0, end))) return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

}  // namespace

bool Findings::has(std::uint16_t code) const {
  return std::any_of(errors.begin(), errors.end(),
                     [&](const Error& error) { return error.code() == code; });
}

std::string Findings::text() const {
  std::string text;
  for (const auto& error : errors) {
    text += "\n  " + std::to_string(static_cast<int>(error.kind())) + " " +
            std::to_string(error.code()) + " " + error.message();
  }
  return errors.empty() ? "no error" : text;
}

// Asks one image all questions once.
class Prober::Questions {
 public:
  // Where the answers go.
  struct Purpose {
    Answers* learned = nullptr;      // stores the answers as the truth
    const Answers* truth = nullptr;  // compares the answers with the truth
  };
  Questions(const reader::Image& image, const std::set<std::uint16_t>& usual, Findings& findings,
            Purpose purpose, std::string what)
      : image_(image),
        usual_(usual),
        findings_(findings),
        purpose_(purpose),
        what_(std::move(what)) {}

  // The id of a state may be lost without an error (F-360).
  void about_state() {
    const auto& state = image_.state();
    if (state) keep("state", as_text(*state));
  }

  void about_tree() {
    const auto walked = image_.walk(
        "",
        [&](std::string_view path, const reader::Node& node) {
          EXPECT_TRUE(is_path(path)) << what_;
          EXPECT_TRUE(walked_.insert(std::string(path)).second) << path << ": twice, " << what_;
          about_node("walk " + std::string(path), node);
          return ++findings_.walked < kWalkedMax;
        },
        [&](const Error& error) {
          note(error);
          return true;
        });
    if (!walked) note(walked.assume_error());
    auto strangers = kStrangersMax;
    for (const auto& path : walked_) {
      if (!known_.contains(path) && strangers-- > 0) about_path(path);
    }
    EXPECT_LT(findings_.walked, kWalkedMax) << what_;
  }

  void about_path(const std::string& path) {
    known_.insert(path);
    const auto node = image_.lookup(path);
    if (!answered("lookup " + path, node)) return;
    about_node("lookup " + path, node.assume_value());
    about_contents("of " + path, node.assume_value());
    const auto inode = node.assume_value().inode;
    about_names(inode);
    if (const auto up = image_.parent(inode); answered("parent of " + path, up)) {
      keep("parent of " + path, std::to_string(up.assume_value()));
      const auto name = path.substr(path.rfind('/') + 1);
      const auto child = image_.lookup(up.assume_value(), name.empty() ? "." : name);
      if (answered("child " + path, child)) about_node("child " + path, child.assume_value());
    }
    if (format::is_directory(node.assume_value().mode)) about_directory(inode);
  }

  void about_inode(reader::InodeNumber inode) {
    const auto question = "inode " + std::to_string(inode);
    const auto node = image_.by_inode(inode);
    if (answered(question, node)) {
      about_node(question, node.assume_value());
      if (node.assume_value().link_count == 0) {  // no path leads to it
        about_contents("of " + question, node.assume_value());
        about_names(inode);
      }
    }
    const auto path = image_.path_of(inode);
    if (answered("path of " + question, path)) keep("path of " + question, path.assume_value());
  }

  void note(const Error& error) {
    expect_place(error, what_);
    if (usual_.contains(error.code())) return;
    if (codes_.emplace(error.code(), error.section()).second) findings_.errors.push_back(error);
  }

 private:
  void keep(const std::string& question, std::string_view answer) {
    ++findings_.answers;
    if (purpose_.learned != nullptr) (*purpose_.learned)[question] = answer;
    if (purpose_.truth == nullptr) return;
    const auto truth = purpose_.truth->find(question);
    EXPECT_TRUE(truth != purpose_.truth->end() && truth->second == answer)
        << "wrong answer: " << question << " with " << what_;
  }
  template <class T>
  bool answered(const std::string& question, const Result<T>& result) {
    if (result) return true;
    // "No such thing" is an answer; "the volume is missing" is not.
    constexpr std::uint16_t kVolumeMissing = 3071;
    const auto& error = result.assume_error();
    if (error.kind() == ErrorKind::kNotFound && error.code() != kVolumeMissing) {
      keep(question, "none");
    }
    note(result.assume_error());
    return false;
  }

  void about_node(const std::string& question, const reader::Node& node) {
    keep(question, node_text(node));
    EXPECT_TRUE(format::is_valid_mode(node.mode)) << what_;
    EXPECT_LE(node.size_bytes, format::kFileBytesMax) << what_;
    for (const auto& time : {node.mtime, node.ctime, node.atime}) {
      EXPECT_LT(time.nanoseconds, 1'000'000'000U) << what_;
    }
    EXPECT_NE(node.inode, 0U) << question << what_;
    EXPECT_EQ(node.inode == 1, question == "walk " || question == "lookup " ||
                                   question == "child " || question == "inode 1")
        << question << what_;
  }

  void about_names(reader::InodeNumber inode) {
    const auto question = "inode " + std::to_string(inode);
    const auto text = [&](const reader::ObjectName& name) {
      EXPECT_TRUE(is_name(name.name)) << what_;
      EXPECT_NE(name.directory, 0U) << what_;
      return std::to_string(name.directory) + ":" + name.name + "/";
    };
    const auto first = image_.name_of(inode);
    if (answered("name of " + question, first)) {
      const auto& name = first.assume_value();
      keep("name of " + question, name ? text(*name) : "");
    }
    const auto all = image_.names_of(inode);
    // An image without a list of them gives no answer.
    if (!answered("all names of " + question, all) || !all.assume_value()) return;
    std::string names;
    for (const auto& name : *all.assume_value()) names += text(name);
    keep("all names of " + question, names);
  }

  void about_directory(reader::InodeNumber inode) {
    std::string names;
    std::string last;
    std::uint64_t count = 0;
    const auto listed = image_.list(inode, 0, [&](const reader::ListedName& name) {
      EXPECT_TRUE(is_name(name.name)) << what_;
      EXPECT_TRUE(count == 0 || last < name.name) << name.name << " follows " << last << what_;
      last = name.name;
      names += last + " " + std::to_string(name.inode) + "/";
      return ++count < kWalkedMax;
    });
    const auto question = "names of " + std::to_string(inode);
    if (!listed) return note(listed.assume_error());
    keep(question, names);
    about_places_behind(inode, count);
  }

  void about_places_behind(reader::InodeNumber inode, std::uint64_t count) {
    for (const auto place : {count, count + 5, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
      std::uint64_t found = 0;
      const auto listed = image_.list_nodes(inode, place, [&](const auto&, const auto&) {
        ++found;
        return true;
      });
      EXPECT_TRUE(listed.has_value()) << what_;
      EXPECT_EQ(found, 0U) << "a listing from beyond the end gave entries, " << what_;
    }
    const auto nodes = image_.list_nodes(inode, 0, [](const auto&, const auto&) { return true; });
    if (!nodes) note(nodes.assume_error());
  }

  void about_contents(const std::string& question, const reader::Node& node) {
    if (const auto xattrs = image_.xattrs(node); answered("xattrs " + question, xattrs)) {
      std::string text;
      for (const auto& xattr : xattrs.assume_value()) {
        EXPECT_TRUE(!xattr.name.empty() && xattr.name.find('\0') == xattr.name.npos) << what_;
        text += xattr.name + "=" + std::string(as_text(xattr.value)) + "/";
      }
      keep("xattrs " + question, text);
    }
    if (format::is_symlink(node.mode)) {
      const auto target = image_.read_link(node);
      if (!answered("target " + question, target)) return;
      const auto& text = target.assume_value();
      EXPECT_TRUE(!text.empty() && text.size() <= format::kTargetBytesMax) << what_;
      EXPECT_EQ(text.find('\0'), text.npos) << what_;
      keep("target " + question, text);
    }
    if (format::is_regular(node.mode)) about_bytes(question, node);
  }

  void about_bytes(const std::string& question, const reader::Node& node) {
    Buffer out(static_cast<std::size_t>(std::min<std::uint64_t>(node.size_bytes, kReadBytesMax)));
    for (const auto at : {std::uint64_t{0}, node.size_bytes / 2, node.size_bytes}) {
      const auto read = image_.read(node, at, out);
      const auto part = "bytes " + std::to_string(at) + " " + question;
      if (!answered(part, read)) continue;
      EXPECT_EQ(read.assume_value(), std::min<std::uint64_t>(out.size(), node.size_bytes - at));
      keep(part, as_text(Bytes(out).first(read.assume_value())));
    }
    if (const auto digest = image_.digest(node); answered("digest " + question, digest)) {
      keep("digest " + question, format::digest_text(digest.assume_value()));
    }
    const auto next_data = image_.next_data(node, 0);
    if (answered("data " + question, next_data)) {
      keep("data " + question, std::to_string(next_data.assume_value()));
    }
    const auto next_hole = image_.next_hole(node, 0);
    if (answered("hole " + question, next_hole)) {
      keep("hole " + question, std::to_string(next_hole.assume_value()));
      EXPECT_LE(next_hole.assume_value(), node.size_bytes) << what_;
    }
    if (const auto place = image_.locate(node, 0); !place) note(place.assume_error());
  }

  const reader::Image& image_;
  const std::set<std::uint16_t>& usual_;
  Findings& findings_;
  Purpose purpose_;
  std::string what_;
  std::set<std::string> walked_;
  std::set<std::string> known_;  // inodes that were asked about already
  std::set<std::pair<std::uint16_t, std::string>> codes_;
};

namespace {

std::unique_ptr<storage::MemoryEnv> put(const ImageFiles& files, const ImageFiles& sound) {
  auto env = storage::make_memory_env(1);
  if (!files.image.empty()) write_file(*env, "/t.dgfs", files.image);
  if (!files.index.empty()) write_file(*env, "/t.dgfs.idx", files.index);
  for (const auto& [name, bytes] : files.volumes.empty() ? sound.volumes : files.volumes) {
    write_file(*env, "/" + name, bytes);
  }
  return env;
}

std::uint64_t checksum_of(const ImageFiles& files) {
  auto sum = format::checksum64(files.image, format::checksum64(files.index));
  for (const auto& [name, bytes] : files.volumes) sum = format::checksum64(bytes, sum);
  return sum;
}

void verify_and_extract(const reader::Image& image, storage::MemoryEnv& env,
                        const std::function<void(const Error&)>& note) {
  reader::VerifyOptions verify;
  verify.jobs = 1;
  verify.damaged_index = note;
  const auto verified = reader::verify(image, verify);
  if (!verified) note(verified.assume_error());
  reader::ExtractOptions extract;
  extract.jobs = 1;
  extract.keep_going = true;
  extract.privileged = true;
  env.set_capacity(std::uint64_t{64} << 20);
  (void)env.make_directory("/jail", 0755);
  (void)reader::extract(image, env, "/jail/out", extract);
  for (const auto* path : {"/evil", "/jail/evil", "/tree"}) {
    EXPECT_FALSE(env.status(path).has_value()) << "extract wrote outside the destination";
  }
}

}  // namespace

Prober::Prober(ImageFiles sound) : sound_(std::move(sound)) {
  const auto env = put(sound_, sound_);
  const auto image = reader::Image::open(*env, sound_.image.empty() ? "/t.dgfs.idx" : "/t.dgfs");
  if (!image) {
    ADD_FAILURE() << image.assume_error().message();
    std::abort();
  }
  const auto walked =
      image.assume_value()->walk("", [&](std::string_view path, const reader::Node& node) {
        paths_.emplace_back(path);
        inodes_.insert(node.inode);
        return true;
      });
  EXPECT_TRUE(walked.has_value());
  for (const auto inode : {paths_.size() + 1, paths_.size() + 2}) inodes_.insert(inode);
  inodes_.insert({0, ~std::uint64_t{0}});
  const auto end = std::min<std::uint64_t>(image.assume_value()->superblock().next_inode, 100);
  for (reader::InodeNumber inode = 1; inode < end; ++inode) inodes_.insert(inode);
  Findings findings;
  Questions questions(*image.assume_value(), usual_, findings, {.learned = &truth_},
                      "the sound image");
  questions.about_tree();
  for (const auto& path : paths_) questions.about_path(path);
  for (const auto inode : inodes_) questions.about_inode(inode);
  questions.about_state();
  for (const auto& error : findings.errors) usual_.insert(error.code());
}

Findings Prober::probe(const ImageFiles& files, Promise promise, const std::string& what,
                       Depth depth) {
  auto& seen = marks();
  const bool is_new = seen.seen.insert(checksum_of(files)).second;
  const auto begin_s = processor_time_s();
  const auto env = put(files, sound_);
  const HeapMeter meter;
  Findings findings;
  bool is_open = false;
  {
    const auto image = reader::Image::open(*env, files.image.empty() ? "/t.dgfs.idx" : "/t.dgfs");
    is_open = image.has_value();
    if (!is_open) {
      findings.errors.push_back(image.assume_error());
      expect_place(image.assume_error(), "\n" + what);
    } else {
      Questions::Purpose purpose;
      if (promise == Promise::kTruth) purpose.truth = &truth_;
      Questions questions(*image.assume_value(), usual_, findings, purpose, "\n" + what);
      ask_all(questions);
      if (depth == Depth::kAll) {
        verify_and_extract(*image.assume_value(), *env,
                           [&](const Error& error) { questions.note(error); });
      }
    }
  }
  seen.peak_bytes = std::max(seen.peak_bytes, meter.peak_bytes());
  seen.longest_s = std::max(seen.longest_s, processor_time_s() - begin_s);
  EXPECT_LT(meter.peak_bytes(), kHeapBytesMax) << what;
  EXPECT_LT(processor_time_s() - begin_s, kSecondsMax) << what;
  if (is_open && depth == Depth::kAll) ask_unchecked(*env, files, what);
  if (is_new && seen.also) seen.also(files, sound_, promise, what);
  return findings;
}

void Prober::ask_all(Questions& questions) const {
  for (const auto& path : paths_) questions.about_path(path);
  questions.about_tree();
  for (const auto inode : inodes_) questions.about_inode(inode);
  questions.about_state();
}

// Without checks, contents may be wrong; all other promises hold.
void Prober::ask_unchecked(storage::MemoryEnv& env, const ImageFiles& files,
                           const std::string& what) const {
  reader::OpenOptions options;
  options.check_contents = false;
  const auto* const path = files.image.empty() ? "/t.dgfs.idx" : "/t.dgfs";
  const auto image = reader::Image::open(env, path, options);
  ASSERT_TRUE(image.has_value()) << what;
  Findings findings;
  Questions questions(*image.assume_value(), usual_, findings, {}, "\nunchecked " + what);
  ask_all(questions);
}

void Prober::also(Also more) { marks().also = std::move(more); }

std::size_t Prober::cases() { return marks().seen.size(); }
std::size_t Prober::peak_bytes() { return marks().peak_bytes; }
double Prober::longest_s() { return marks().longest_s; }

}  // namespace dgfs::test
