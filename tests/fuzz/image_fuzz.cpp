// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whole images. Input: a byte, two places, and a recipe (image_recipe.h). The byte picks the use
// (walk, list, read and verify; extract and read many; salvage; mend), and whether there is a
// second copy of the index. If there is one, the places are damaged, one in each copy.
#include <set>
#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "reader/check/index_mend.h"
#include "reader/extract/extract.h"
#include "reader/image.h"
#include "reader/salvage/salvage.h"
#include "storage/memory/env.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/image_recipe.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kReadBytesMax = 4096;
constexpr int kNodesMax = 500;
constexpr std::uint64_t kWrittenBytesMax = std::uint64_t{8} << 20;
constexpr const char* kFolder = "/in";
constexpr const char* kImage = "/in/i";
constexpr const char* kIndex = "/in/i.idx";

void use_contents(const reader::Image& image, const reader::Node& node) {
  (void)image.xattrs(node);
  (void)image.verify_records(node);
  if (format::is_symlink(node.mode)) {
    const auto target = image.read_link(node);
    if (target) require(!target.value().empty() && target.value().size() < kReadBytesMax);
  }
  if (!format::is_regular(node.mode)) return;
  Buffer out(kReadBytesMax);
  for (const auto at : {std::uint64_t{0}, node.size_bytes / 2, node.size_bytes}) {
    const auto read = image.read(node, at, out);
    if (read) require(read.value() == std::min<std::uint64_t>(out.size(), node.size_bytes - at));
  }
  const auto hole = image.next_hole(node, 0);
  if (hole) require(hole.value() <= node.size_bytes);
  (void)image.next_data(node, 0);
  (void)image.locate(node, 0);
}

void use_directory(const reader::Image& image, reader::InodeNumber inode) {
  std::string last;
  int count = 0;
  (void)image.list_nodes(inode, 0, [&](const reader::ListedName& name, const reader::Node&) {
    require(name.name.find('/') == name.name.npos && name.name != "..");
    require(last < name.name);  // sorted, so each name comes once
    last = name.name;
    const auto child = image.lookup(inode, name.name);
    if (child) require(child.value().size_bytes <= format::kFileBytesMax);
    return ++count < kNodesMax;
  });
  (void)image.list(inode, ~std::uint64_t{0}, [](const auto&) -> bool { std::abort(); });
}

// Objects without a name are only found by their numbers.
void use_numbers(const reader::Image& image) {
  constexpr reader::InodeNumber kNumbersMax = 64;
  for (reader::InodeNumber inode = 0; inode < kNumbersMax; ++inode) {
    const auto node = image.by_inode(inode);
    if (!node) continue;
    require(node.value().inode == inode && inode != 0);
    if (node.value().link_count == 0) use_contents(image, node.value());
    (void)image.name_of(inode);
    (void)image.names_of(inode);
  }
}

void use(const reader::Image& image) {
  int count = 0;
  const auto visit = [&](std::string_view path, const reader::Node& node) {
    require(node.inode != 0 && (node.inode == 1) == path.empty());
    use_contents(image, node);
    if (format::is_directory(node.mode)) use_directory(image, node.inode);
    (void)image.lookup(path);
    (void)image.by_inode(node.inode);
    (void)image.path_of(node.inode);
    (void)image.name_of(node.inode);
    (void)image.names_of(node.inode);
    return ++count < kNodesMax;
  };
  (void)image.walk("", visit, [](const Error& error) { return !error.section().empty(); });
  use_numbers(image);
  (void)image.verify_index([](const Error& error) {
    // Missing volumes have no section.
    require(error.kind() == ErrorKind::kNotFound || !error.section().empty());
  });
}

void use_many(const reader::Image& image) {
  std::vector<std::string> paths;
  (void)image.walk("", [&](std::string_view path, const reader::Node&) {
    paths.emplace_back(path);
    return paths.size() < kNodesMax;
  });
  std::size_t told = 0;
  std::uint64_t next_offset = 0;
  reader::ReadManyOptions options;
  options.depth = 2;
  options.piece_bytes = format::kFrameBytes;
  options.io_uring = false;
  image.read_many(
      paths,
      [&](std::size_t index, const Result<reader::FilePiece>& piece) {
        require(index < paths.size());
        if (!piece) {
          next_offset = 0;
          return ++told < kNodesMax;
        }
        const auto& [node, offset, bytes, is_last] = piece.value();
        require(offset == next_offset && offset + bytes.size() <= node->size_bytes);
        require(is_last == (offset + bytes.size() == node->size_bytes));
        next_offset = is_last ? 0 : offset + bytes.size();
        return ++told < kNodesMax;
      },
      options);
}

// Further volumes. No volume table has these names, so the reader finds them by their headers.
std::string volume_path(std::size_t number) { return "/in/volume" + std::to_string(number); }

// All output must lie below the one intended name.
void require_within(storage::Env& env) {
  const auto require_only = [&](const char* path, const std::set<std::string_view>& names) {
    const auto directory = env.open_directory(path);
    require(directory.has_value());
    (void)directory.value()->each_name([&](std::string_view name) {
      require(names.contains(name));
      return true;
    });
  };
  require_only("/", {"in", "out"});
  require_only("/out", {"tree"});
  require_only(kFolder, {"i", "i.idx", "volume0", "volume1", "volume2", "volume3"});
}

void extract(storage::MemoryEnv& env, const reader::Image& image) {
  reader::ExtractOptions options;
  options.jobs = 1;
  options.keep_going = true;
  options.privileged = true;
  (void)reader::extract(image, env, "/out/tree", options);
  require_within(env);
  use_many(image);
}

void salvage(storage::MemoryEnv& env) {
  reader::SalvageOptions options;
  options.jobs = 1;
  options.privileged = true;
  options.partial = true;
  options.open.volume_paths = {kFolder};  // a lost volume table names no volumes
  std::uint64_t listed = 0;
  (void)reader::list_salvage(env, kImage, options, [&](const std::string& path, const auto&) {
    require(path.find("..") != 0 && path.find("/../") == path.npos);
    ++listed;
  });
  (void)reader::salvage(env, kImage, "/out/tree", options);
  require_within(env);
}

// A mended image opens, and has no damage that the other copy could mend.
void mend(storage::MemoryEnv& env) {
  const auto mended = reader::mend_index(env, kImage, {}, {});
  require_within(env);
  if (!mended || mended.value().image_error) return;
  require(reader::Image::open(env, kImage).has_value());
  const auto again = reader::mend_index(env, kImage, {}, {});
  require(again && again.value().index_pieces == 0 && again.value().image_pieces == 0);
}

void put(storage::Env& env, const std::string& path, Bytes bytes) {
  const auto file = env.open(path, {.mode = storage::OpenOptions::Mode::kCreateNew});
  require(file && file.value()->write_at(0, bytes));
}

// Writes the image with its further volumes. If asked, it adds a second copy of the index, with a
// damaged byte in each copy.
void put_image(storage::Env& env, BakedImage baked, bool has_copy, std::uint32_t places) {
  auto& image = baked.image;
  for (std::size_t i = 0; i < baked.volumes.size(); ++i) put(env, volume_path(i), baked.volumes[i]);
  if (has_copy) {
    const auto header = format::decode_volume_header(Bytes(image).first(format::kPageBytes));
    require(header.has_value());
    const auto begin = static_cast<std::size_t>(header.value().index_offset);
    const auto length = static_cast<std::size_t>(header.value().index_bytes);
    Buffer copy(image.begin() + static_cast<std::ptrdiff_t>(begin),
                image.begin() + static_cast<std::ptrdiff_t>(begin + length));
    copy[(places & 0xffff) % length] ^= 0x55;
    image[begin + (places >> 16) % length] ^= 0x55;
    put(env, kIndex, copy);
  }
  put(env, kImage, image);
}

void fuzz_image(FuzzInput input) {
  const auto how = input.take<std::uint8_t>();
  const auto places = input.take<std::uint32_t>();
  const auto env = storage::make_memory_env(1);
  require(env->make_directory("/in", 0755) && env->make_directory("/out", 0755));
  put_image(*env, bake(input.rest()), (how & 4U) != 0, places);
  env->set_capacity(kWrittenBytesMax);
  if (how % 4 == 2) return salvage(*env);
  if (how % 4 == 3) return mend(*env);
  const auto opened = reader::Image::open(*env, kImage);
  if (!opened) return;
  how % 4 == 0 ? use(*opened.value()) : extract(*env, *opened.value());
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  dgfs::test::fuzz_image(dgfs::test::FuzzInput({data, size_bytes}));
  return 0;
}
