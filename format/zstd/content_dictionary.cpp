// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/content_dictionary.h"

#include <limits>
#include <utility>

#include "format/coding.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kDictionaryIdOffset = 4;
constexpr std::size_t kZstdDictionaryBytesMin = 8;

}  // namespace

void encode_content_dictionary(const ContentDictionary& dictionary, Buffer& out) {
  Encoder encoder(out);
  encoder.fixed(dictionary.id);
  encoder.string(dictionary.label);
  encoder.raw(dictionary.zstd->bytes());
}

Result<ContentDictionary> decode_content_dictionary(Bytes body) {
  Decoder decoder(body);
  ContentDictionary dictionary;
  DGFS_TRY(id, decoder.fixed<std::uint8_t>());
  DGFS_TRY(label, decoder.string(kDictionaryLabelBytesMax));
  DGFS_TRY(bytes, decoder.raw(decoder.remaining()));
  dictionary.id = id;
  dictionary.label = label;
  if (id == 0 || id > kContentDictionariesMax || bytes.size() > kContentDictionaryBytesMax) {
    return Error(ErrorKind::kCorrupt, 2770, "dictionary has an impossible id or length");  // F-232
  }
  dictionary.zstd = ZstdDictionary::make(bytes);
  if (dictionary.zstd == nullptr || dictionary.zstd->id() != id) {  // F-231
    return Error(ErrorKind::kCorrupt, 2771, "not a sound zstd dictionary of its id");
  }
  return dictionary;
}

Result<ContentDictionary> make_content_dictionary(std::uint8_t id, std::string label,
                                                  Buffer bytes) {
  if (bytes.size() >= kZstdDictionaryBytesMin) {
    store(MutableBytes(bytes), kDictionaryIdOffset, std::uint32_t{id});
  }
  Buffer body;
  Encoder encoder(body);
  encoder.fixed(id);
  encoder.string(label);
  encoder.raw(bytes);
  return decode_content_dictionary(body);
}

Status ContentDictionaries::add(ContentDictionary dictionary) {
  const auto id = dictionary.id;
  if (dictionaries_.emplace(id, std::move(dictionary)).second) return ok();
  return Error(ErrorKind::kCorrupt, 2772, "a second dictionary " + std::to_string(id));  // F-232
}

const ContentDictionary* ContentDictionaries::find(std::uint32_t id) const {
  if (id > std::numeric_limits<std::uint8_t>::max()) return nullptr;
  const auto found = dictionaries_.find(static_cast<std::uint8_t>(id));
  return found == dictionaries_.end() ? nullptr : &found->second;
}

std::size_t ContentDictionaries::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [id, dictionary] : dictionaries_) {
    bytes += sizeof dictionary + dictionary.label.capacity() + dictionary.zstd->memory_bytes();
  }
  return bytes;
}

}  // namespace dgfs::format
