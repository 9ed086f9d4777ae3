// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Blocks of the page directory. Input: the body of one.
#include "format/page/directory.h"
#include "tests/fuzz/fuzz_input.h"

namespace dgfs::test {
namespace {

void use(const format::PageDirectory& directory) {
  for (std::size_t page = 0; page < directory.size(); ++page) {
    const auto record = directory.record(page);
    require(directory.find(record.zone, directory.bound(page)) == page);
    require(directory.find_ordinal(record.first_ordinal) == page);
    require(directory.find_ordinal(record.first_ordinal + record.entry_count - 1) == page);
  }
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs;
  const auto records = format::decode_page_block(test::FuzzInput({data, size_bytes}).rest());
  if (!records) return 0;
  const auto again = format::decode_page_block(format::encode_page_block(records.value()));
  test::require(again && again.value() == records.value());
  const auto directory = format::PageDirectory::make(records.value());
  if (directory) test::use(directory.value());
  return 0;
}
