// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares contents of files with a model that has all their bytes: files of the image, of stores
// over it, and of both.
#include <algorithm>
#include <array>
#include <vector>

#include "tests/delta/view/contents/model_file.h"
#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;
using view::ZeroMode;

constexpr std::uint64_t kChunkBytes = 512;
constexpr std::uint64_t kFileBytesMax = 12 * kChunkBytes;
constexpr int kSteps = 1200;

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The size of a file of the image whose middle is a hole.
constexpr std::uint64_t kSparseBytes = 16384;
constexpr std::uint64_t kHoleBegin = 4096;
constexpr std::uint64_t kHoleEnd = 12288;

struct Case {
  const char* name;
  std::uint64_t seed;
  bool is_compressed;
  int further_volumes;
};

class Contents : public testing::TestWithParam<Case> {
 protected:
  struct File {
    std::string name;
    ObjectNumber object = 0;
    ModelFile model;
  };

  Contents() {
    constexpr std::array<std::size_t, 6> kSizes{0, 1, 511, 512, 1537, 5000};
    std::uint32_t seed = 1;
    for (const std::size_t size : kSizes) {
      const auto name = "image" + std::to_string(size);
      const auto content = text_of(pattern(size, seed++));
      viewed_.tree().file(name, content);
      files_.push_back({name, 0, ModelFile(kChunkBytes, content)});
    }
    // Shares the extent, or the fragment frame, of another file.
    viewed_.tree().file("twin", files_.back().model.bytes());
    files_.push_back({"twin", 0, ModelFile(kChunkBytes, files_.back().model.bytes())});
    // Bytes that compress.
    viewed_.tree().file("letters", std::string(6000, 'l'));
    files_.push_back({"letters", 0, ModelFile(kChunkBytes, std::string(6000, 'l'))});
    add_sparse();
    auto& options = viewed_.build_options();
    if (GetParam().is_compressed) options.compression = builder::Compression{};
    for (int i = 0; i < GetParam().further_volumes; ++i) {
      options.volume_paths.push_back("/out/volume" + std::to_string(i));
    }
    if (GetParam().further_volumes != 0) options.volume_groups = builder::GroupLimits{1, 1 << 20};
    viewed_.open();
    for (File& file : files_) file.object = value_of(view().lookup(kRoot, file.name)).object;
    add_file("new0");
    add_file("new1");
  }

  [[nodiscard]] view::View& view() { return viewed_.view(); }
  void add_sparse() {
    const auto file = value_of(viewed_.tree().parent("sparse")->create_file("sparse", 0644));
    std::string bytes(kSparseBytes, '\0');
    for (const std::uint64_t begin : {std::uint64_t{0}, kHoleEnd}) {
      const auto data = pattern(kHoleBegin, static_cast<std::uint32_t>(begin) + 1);
      expect_ok(file->write_at(begin, data));
      bytes.replace(begin, data.size(), text_of(data));
    }
    files_.push_back({"sparse", 0, ModelFile(kChunkBytes, bytes, {kHoleBegin, kHoleEnd})});
  }
  void add_file(const std::string& name) {
    const auto made = value_of(view().create(kRoot, name, {}, {}));
    files_.push_back({name, made.object, ModelFile(kChunkBytes, {})});
  }
  [[nodiscard]] File& any_file() { return files_[random_.below(files_.size())]; }
  // Half of the offsets are near the end of a chunk or of the file.
  [[nodiscard]] std::uint64_t any_offset(const File& file) {
    auto offset = random_.below(kFileBytesMax);
    if (random_.one_in(3)) offset = random_.below(kFileBytesMax / kChunkBytes + 1) * kChunkBytes;
    if (random_.one_in(4)) offset = file.model.bytes().size();
    const auto shift = random_.one_in(3) ? random_.below(5) : 2;
    return offset + shift >= 2 ? offset + shift - 2 : 0;
  }
  [[nodiscard]] std::uint64_t any_length() {
    if (random_.one_in(3)) return random_.below(5) * kChunkBytes + 1;
    if (random_.one_in(3)) return (1 + random_.below(7)) * kChunkBytes;
    return 1 + random_.below(40);
  }
  [[nodiscard]] std::string any_bytes() { return text_of(random_.bytes(any_length())); }

  void step(File& file) {
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: {
        const auto offset = any_offset(file);
        const auto bytes = any_bytes();
        EXPECT_EQ(value_of(view().write(file.object, offset, as_bytes(bytes))), bytes.size());
        file.model.write(offset, bytes);
        break;
      }
      case 3: {
        const auto bytes = any_bytes();
        const auto appended = value_of(view().append(file.object, as_bytes(bytes)));
        EXPECT_EQ(appended.offset_bytes, file.model.bytes().size());
        EXPECT_EQ(appended.length_bytes, bytes.size());
        file.model.write(appended.offset_bytes, bytes);
        break;
      }
      case 4:
      case 5: {
        const auto size = random_.one_in(4) ? 0 : any_offset(file);
        view::AttributeChange change;
        change.size_bytes = size;
        const auto attributes = value_of(view().set_attributes(file.object, change));
        EXPECT_EQ(attributes.size_bytes, size);
        file.model.resize(size);
        break;
      }
      case 6:
      case 7: {
        const auto offset = any_offset(file);
        const auto length = any_length();
        const bool grows = random_.one_in(2);
        expect_ok(view().zero(file.object, offset, length,
                              grows ? ZeroMode::kGrow : ZeroMode::kKeepSize));
        file.model.zero(offset, length, grows);
        break;
      }
      case 8: {
        const File& from = any_file();
        const auto from_offset = any_offset(from);
        const auto offset = any_offset(file);
        const auto length = any_length();
        const auto bytes = from.model.bytes().substr(
            std::min<std::size_t>(from_offset, from.model.bytes().size()), length);
        EXPECT_EQ(value_of(view().copy(from.object, from_offset, file.object, offset, length)),
                  bytes.size());
        file.model.write(offset, bytes);
        break;
      }
      case 9:
        if (random_.one_in(8)) viewed_.seal();
        break;
      case 10:
        if (random_.one_in(4)) viewed_.reopen();
        break;
      default:
        expect_part(file);
    }
  }
  void expect_part(const File& file) {
    const auto offset = any_offset(file);
    Buffer bytes(any_length());
    const auto count = value_of(view().read(file.object, offset, bytes));
    const auto& all = file.model.bytes();
    EXPECT_EQ(text_of(Bytes(bytes).first(count)),
              all.substr(std::min<std::size_t>(offset, all.size()), bytes.size()))
        << file.name << " at " << offset;
  }
  void expect_whole(const File& file) {
    const auto& all = file.model.bytes();
    Buffer bytes(all.size() + 10);
    const auto count = value_of(view().read(file.object, 0, bytes));
    ASSERT_EQ(text_of(Bytes(bytes).first(count)), all) << file.name;
    const auto attributes = value_of(view().attributes(file.object));
    EXPECT_EQ(attributes.size_bytes, all.size()) << file.name;
    EXPECT_LE(attributes.blocks, (all.size() + 4095) / 4096 * 8) << file.name;
    for (std::uint64_t offset = 0; offset < all.size() + 2; offset += 1 + random_.below(200)) {
      expect_seeks(file, offset);
    }
  }
  void expect_seeks(const File& file, std::uint64_t offset) {
    const auto place = [](const Result<std::uint64_t>& found) {
      EXPECT_TRUE(found || found.error().kind() == ErrorKind::kNoData);
      return found ? std::optional(found.value()) : std::nullopt;
    };
    EXPECT_EQ(place(view().next_data(file.object, offset)), file.model.next_data(offset))
        << file.name << " at " << offset;
    EXPECT_EQ(place(view().next_hole(file.object, offset)), file.model.next_hole(offset))
        << file.name << " at " << offset;
  }

  ViewedTree viewed_;
  Random random_{GetParam().seed};
  std::vector<File> files_;
};

TEST_P(Contents, AreThoseOfTheModel) {
  for (int i = 0; i < kSteps && !HasFailure(); ++i) {
    File& file = any_file();
    step(file);
    if (random_.one_in(10)) expect_whole(file);
  }
  for (const File& file : files_) expect_whole(file);
  viewed_.reopen_image();
  for (const File& file : files_) expect_whole(file);
}

std::vector<Case> cases() {
  std::vector<Case> cases;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    cases.push_back({"Raw", seed, false, 0});
    if (seed < 2) cases.push_back({"Compressed", seed, true, 0});
    if (seed < 2) cases.push_back({"Volumes", seed, false, 2});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Images, Contents, testing::ValuesIn(cases()), [](const auto& each) {
  return each.param.name + std::to_string(each.param.seed);
});

}  // namespace
}  // namespace dgfs::test
