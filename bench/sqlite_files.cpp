// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The files of a tree as blobs in an SQLite table: a common alternative for small files.
//
//   dgfs_sqlite_files pack TREE DATABASE [PAGE_BYTES [rowid|without]]
//   dgfs_sqlite_files read DATABASE LIST THREADS [ROUNDS]
//
// Keeps only the paths and contents of regular files. Packing inserts in order of paths, in one
// transaction without a journal, and does not sync. Each reading thread has its own connection,
// opened as immutable, so that it takes no lock, and prepares its statement before the clock
// starts.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "bench/timed_reads.h"

namespace {

namespace fs = std::filesystem;

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

void check(sqlite3* database, int code) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
    fail(sqlite3_errmsg(database));
  }
}

Database open_database(const std::string& name, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  Database database(raw, sqlite3_close);
  check(raw, code);
  return database;
}

void run(sqlite3* database, const std::string& text) {
  check(database, sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr));
}

Statement prepare(sqlite3* database, const char* text) {
  sqlite3_stmt* raw = nullptr;
  check(database, sqlite3_prepare_v2(database, text, -1, &raw, nullptr));
  return {raw, sqlite3_finalize};
}

std::vector<std::string> files_below(const fs::path& tree) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    if (!entry.is_symlink() && entry.is_regular_file()) {
      paths.push_back(entry.path().lexically_relative(tree).string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void read_contents(const fs::path& path, std::vector<char>& contents) {
  std::ifstream in(path, std::ios::binary);
  contents.resize(static_cast<std::size_t>(fs::file_size(path)));
  if (!in.read(contents.data(), static_cast<std::streamsize>(contents.size()))) {
    fail("cannot read " + path.string());
  }
}

int pack(const fs::path& tree, const std::string& file, const std::string& page_bytes,
         bool without_rowid) {
  fs::remove(file);
  const auto database = open_database(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  run(database.get(), "PRAGMA page_size=" + page_bytes + ";PRAGMA journal_mode=OFF;" +
                          "PRAGMA synchronous=OFF;PRAGMA locking_mode=EXCLUSIVE;" +
                          "PRAGMA cache_size=-65536;" +
                          "CREATE TABLE files(path TEXT PRIMARY KEY, content BLOB)" +
                          (without_rowid ? " WITHOUT ROWID" : "") + ";BEGIN");
  const auto insert = prepare(database.get(), "INSERT INTO files VALUES(?1, ?2)");
  std::vector<char> contents;
  for (const auto& path : files_below(tree)) {
    read_contents(tree / path, contents);
    sqlite3_bind_text(insert.get(), 1, path.data(), static_cast<int>(path.size()), SQLITE_STATIC);
    sqlite3_bind_blob64(insert.get(), 2, contents.data(), contents.size(), SQLITE_STATIC);
    check(database.get(), sqlite3_step(insert.get()));
    sqlite3_reset(insert.get());
  }
  run(database.get(), "COMMIT");
  return 0;
}

bool read_file(sqlite3_stmt* select, const std::string& path, std::uint64_t& bytes) {
  sqlite3_bind_text(select, 1, path.data(), static_cast<int>(path.size()), SQLITE_STATIC);
  const bool found = sqlite3_step(select) == SQLITE_ROW;
  const bool good =
      found && (sqlite3_column_blob(select, 0) != nullptr || sqlite3_column_bytes(select, 0) == 0);
  if (good) bytes += static_cast<std::uint64_t>(sqlite3_column_bytes(select, 0));
  sqlite3_reset(select);
  return good;
}

dgfs::bench::ReadFile reader_of(const std::string& file) {
  struct Connection {
    Database database;
    Statement select;
  };
  auto database = open_database("file:" + file + "?immutable=1",
                                SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX);
  auto select = prepare(database.get(), "SELECT content FROM files WHERE path = ?1");
  const auto connection =
      std::make_shared<Connection>(Connection{std::move(database), std::move(select)});
  return [connection](const std::string& path, std::uint64_t& bytes) {
    return read_file(connection->select.get(), path, bytes);
  };
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 3 && arguments[0] == "pack") {
    return pack(arguments[1], arguments[2], arguments.size() > 3 ? arguments[3] : "4096",
                arguments.size() > 4 && arguments[4] == "without");
  }
  if (arguments.size() >= 4 && arguments[0] == "read") {
    const auto plan = dgfs::bench::read_plan({arguments.begin() + 2, arguments.end()});
    if (plan.paths.empty()) fail("no paths in " + arguments[2]);
    return dgfs::bench::time_reads(plan, [&] { return reader_of(arguments[1]); });
  }
  fmt::print(stderr, "usage: {} pack|read ... (see the source)\n", argv[0]);
  return 2;
}
