// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/corrupt/merged_image.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "format/coding.h"
#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/header/header_page.h"
#include "format/header/section.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/section/xattr_set.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using format::InodeNumber;
using format::SectionKind;

constexpr format::VolumeNumber kFirstForeign = 1;
constexpr const char* kGone[] = {"d/gone",    "d/gone but open", "d/note 2",    "d/note 6",
                                 "e/changed", "e/f/moved",       "e/gone link", "gone pipe"};

// Small files that share frames, larger ones alone, one with holes, one with xattrs, links.
void add_old_tree(PackedTree& tree) {
  for (const auto* directory : {"d", "e", "e/f", "e/f/g"}) tree.directory(directory);
  tree.file("a", pattern(1500, 1));
  for (std::uint32_t i = 0; i < 9; ++i) {
    auto note = pattern(40, i);
    note.resize(500 + i * 30, '.');
    tree.file("d/note " + std::to_string(i), note);
  }
  tree.file("d/one", pattern(1200, 2));
  tree.file("d/gone", pattern(1300, 3));
  tree.file("d/gone but open", pattern(1400, 4));
  tree.file("d/two", pattern(1300, 5));
  tree.file("e/changed", pattern(1100, 6));
  tree.file("e/f/moved", pattern(1800, 7));
  tree.file("e/f/g/deep", pattern(1600, 8));
  tree.file("empty", "");
  tree.link("d/one", "d/three");
  tree.link("d/one", "e/f/four");
  tree.file("e/lone", pattern(1250, 9));
  tree.link("e/lone", "e/gone link");
  tree.symlink("long", std::string(300, 'y'));
  tree.symlink("short", "d/one");
  for (const auto* fifo : {"fifo", "gone pipe"}) {
    expect_ok(tree.parent("x")->make_node(fifo, 0010644, 0));
  }
  expect_ok(tree.parent("x")->set_xattr("empty", "user.a", as_bytes("value")));
  const auto holes = value_of(tree.parent("x")->create_file("holes", 0644));
  expect_ok(holes->write_at(8192, pattern(2000, 10)));
  expect_ok(holes->truncate(32768));
}

void pack_old(PackedTree& tree) {
  add_old_tree(tree);
  builder::BuildOptions options;
  options.trailing_index = false;
  options.compression = builder::Compression{3, 0, builder::kFragmentFrameBytesMin};
  options.volume_paths = {"/out/old.1"};
  options.volume_groups = builder::GroupLimits{6, 40'000};
  options.token_entries_min = 1;
  tree.pack(options);
}

// Takes entries of the older image over into the new one.
class Merge {
 public:
  Merge() {
    pack_old(tree_);
    old_ = tree_.open();
    volumes_ = {read_file(tree_.memory(), kImage), read_file(tree_.memory(), "/out/old.1")};
    next_inode_ = old_->superblock().next_inode;
    new_.uuid.fill(0x5a);
    new_.models = {old_model()};
    new_.name_codec = format::kTokenCodec;
    new_.entries_per_page = 17;
    new_.runs_per_block = 3;
    new_.lists_link_names = true;
    new_.state.emplace().fill(0x77);
    new_.incompat |= format::feature::kIncompatForeignVolumes | format::feature::kIncompatGaps |
                     format::feature::kIncompatSplitInodes |
                     format::feature::kIncompatNamelessObjects;
  }

  ImageFiles run() {
    const std::set<std::string_view> gone(std::begin(kGone), std::end(kGone));
    std::map<std::string, reader::Node> kept;
    expect_ok(old_->walk("", [&](std::string_view path, const reader::Node& node) {
      if (!gone.contains(path)) kept[std::string(path)] = node;
      return true;
    }));
    for (const auto& [path, node] : kept) ++name_counts_[node.inode];
    for (const auto& [path, node] : kept) take(path, node);
    take("n/moved", value_of(old_->lookup("e/f/moved")));
    for (const auto* path : {"d/gone but open", "gone pipe"}) {
      add_record(value_of(old_->lookup(path)), 0);
    }
    write_content("e/changed", value_of(old_->lookup("e/changed")).inode);
    new_.add_directory("n");
    number("n", next_inode_++);
    write_content("n/new", next_inode_++);
    return write();
  }

 private:
  [[nodiscard]] std::shared_ptr<const format::Model> old_model() {
    const auto index = read_file(tree_.memory(), kIndex);
    const auto& place = old_->superblock().section(SectionKind::kModels);
    const auto block = value_of(format::open_block(
        SectionKind::kModels, Bytes(index).subspan(place.offset_bytes, place.length_bytes)));
    // id u16, kind u8, bytes
    return value_of(format::Model::make(format::load<std::uint16_t>(block.body, 0),
                                        static_cast<format::ModelKind>(block.body[2]),
                                        Bytes(block.body).subspan(3)));
  }

  void number(const std::string& path, InodeNumber inode) {
    numbers_[value_of(format::key_of_path(path))] = inode;
  }
  // Where an extent of the older image is in the new one.
  format::DataAddress kept_at(const reader::Node& node) {
    const auto volume = static_cast<format::VolumeNumber>(node.data.volume + kFirstForeign);
    live_.insert({volume, node.data.offset_bytes, node.stored_bytes});
    return {volume, node.data.offset_bytes};
  }

  void take(const std::string& path, const reader::Node& node) {
    if (name_counts_[node.inode] > 1 && !format::is_directory(node.mode)) {
      return take_link(path, node);
    }
    number(path, node.inode);
    auto& entry = path.empty() ? new_.names().front() : new_.add(path, node.mode);
    take_attributes(node, entry);
    if (path == "d/two") entry.ctime = Time{1'700'000'100, 5};
    if (node.stored_bytes != 0) new_.keep(path, kept_at(node));
  }
  // The first name states the extent, so that the running sum goes over it.
  void take_link(const std::string& path, const reader::Node& node) {
    number(path, 0);
    auto& name = new_.add(path, format::type_of(node.mode));
    name.mtime = {};
    name.link_inode = node.inode;
    if (!linked_.insert(node.inode).second) return;
    name.stored_bytes = node.stored_bytes;
    new_.keep(path, kept_at(node));
    add_record(node, name_counts_[node.inode]);
  }
  void add_record(const reader::Node& node, std::uint32_t names) {
    auto& record = new_.add_link_record(node.inode, node.mode, names);
    take_attributes(node, record);
    if (node.stored_bytes != 0) record.address = kept_at(node);
  }

  void take_attributes(const reader::Node& node, format::Entry& entry) {
    entry.mode = node.mode;
    entry.uid = node.uid;
    entry.gid = node.gid;
    entry.mtime = node.mtime;
    entry.rdev = node.rdev;
    entry.codec = node.codec;
    entry.stored_bytes = node.stored_bytes;
    entry.fragment_offset = node.fragment_offset;
    if (!format::is_directory(node.mode)) entry.size_bytes = node.size_bytes;
    if (format::is_symlink(node.mode)) take_target(node, entry);
    Buffer body;
    if (node.sparse_map.present()) {
      value_of(old_->sparse_map(node))->encode(body);
      entry.sparse_map = new_.add_record(SectionKind::kSparseMaps, body);
    }
    if (node.xattrs.present()) {
      format::encode_xattr_set(value_of(old_->xattrs(node)), body);
      entry.xattrs = new_.add_record(SectionKind::kXattrs, body);
    }
  }
  void take_target(const reader::Node& node, format::Entry& entry) {
    const auto target = value_of(old_->read_link(node));
    if (target.size() <= format::kInlineTargetBytesMax) {
      entry.target = target;
    } else {
      entry.long_target = new_.add_record(SectionKind::kLongTargets, as_bytes(target));
    }
  }

  // A file whose content lies in the new image.
  void write_content(const std::string& path, InodeNumber inode) {
    const auto content = pattern(1000, static_cast<std::uint32_t>(inode));
    Buffer extent;
    format::append_raw_extent(content, extent);
    number(path, inode);
    auto& entry = new_.add(path, 0100600);
    entry.size_bytes = content.size();
    entry.stored_bytes = extent.size();
    entry.address = new_.place(0, extent);
  }

  [[nodiscard]] std::vector<format::InodeRun> runs() const {
    std::vector<format::InodeRun> runs;
    format::Ordinal ordinal = 0;
    for (const auto& [key, number] : numbers_) {
      const auto inode = number;  // a lambda cannot capture a binding
      const auto goes_on = [inode](const format::InodeRun& run) {
        return inode == (run.first_inode == 0 ? 0 : run.first_inode + run.count);
      };
      if (runs.empty() || !goes_on(runs.back())) runs.push_back({inode, ordinal, 0});
      ++runs.back().count;
      ++ordinal;
    }
    return runs;
  }

  [[nodiscard]] ForeignVolume foreign(const Buffer& volume) const {
    const auto page = Bytes(volume).first(format::kPageBytes);
    const auto header = value_of(format::decode_volume_header(page));
    ForeignVolume made;
    made.data_end = header.data_end;
    auto& origin = made.origin;
    origin.number = static_cast<format::VolumeNumber>(header.number + kFirstForeign);
    origin.image = header.image_uuid;
    origin.own_number = header.number;
    origin.header_checksum = format::load<std::uint64_t>(page, format::kHeaderChecksumOffset);
    origin.dead_bytes = header.data_end - format::kPageBytes;
    for (const auto& [number, offset, stored_bytes] : live_) {
      if (number == origin.number) origin.dead_bytes -= stored_bytes;
    }
    return made;
  }

  ImageFiles write() {
    new_.runs = runs();
    new_.next_inode = next_inode_;
    for (const auto& volume : volumes_) new_.foreign.push_back(foreign(volume));
    new_.foreign.front().hint = kOldVolume;  // a search of the folder finds the other
    const auto memory = storage::make_memory_env(1);
    new_.write(*memory, "/t", "", true);
    return {read_file(*memory, "/t"),
            {},
            {{kOldVolume, volumes_[0]}, {kOldFurtherVolume, volumes_[1]}}};
  }

  PackedTree tree_;
  std::unique_ptr<const reader::Image> old_;
  std::vector<Buffer> volumes_;  // of the older image
  ImageAssembler new_;
  InodeNumber next_inode_ = 0;
  std::map<std::string, InodeNumber> numbers_;        // by key; 0: none of its own
  std::map<InodeNumber, std::uint32_t> name_counts_;  // in the new image
  std::set<InodeNumber> linked_;
  // Volume, offset and length of extents; those of the older image do not overlap.
  std::set<std::tuple<format::VolumeNumber, std::uint64_t, std::uint64_t>> live_;
};

}  // namespace

const ImageFiles& merged_image() {
  static const auto made = Merge().run();
  return made;
}

}  // namespace dgfs::test
