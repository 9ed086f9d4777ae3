// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Models and the payloads compressed with them. Input: the length of a payload, the payload, and
// the dictionary with which it was compressed. The bytes behind both lengths are also tried as a
// token model.
#include "format/model.h"
#include "format/zstd/frame.h"
#include "format/zstd/payload.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs;
  test::FuzzInput input({data, size_bytes});
  const std::size_t payload_bytes = input.take<std::uint16_t>();
  const std::size_t plain_bytes = input.take<std::uint16_t>();
  const auto rest = input.rest();
  const auto payload = Bytes(rest).first(std::min(payload_bytes, rest.size()));
  const auto model = format::Model::make(1, format::ModelKind::kZstdDictionary,
                                         Bytes(rest).subspan(payload.size()));
  const auto used = model ? model.value() : format::Model::empty();
  const auto plain = format::decompress_payload(payload, plain_bytes, *used);
  if (plain) test::require(plain.value().size() == plain_bytes);
  Buffer out(plain_bytes);
  (void)format::decompress_zstd_frame(payload, out);
  (void)format::Model::make(1, format::ModelKind::kTokens, rest);
  (void)format::Model::make(1, format::ModelKind::kContextTokens, rest);
  return 0;
}
