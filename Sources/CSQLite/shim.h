#pragma once
#include <fcntl.h>
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift cannot import: SQLite copies the bytes before it returns.
static inline int shim_bind_text(sqlite3_stmt *statement, int index, const void *bytes,
                                 sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, count ? (const char *)bytes : "", count,
                             SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int shim_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                 sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic.
static inline int shim_db_config(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// A file without a name in a directory, whose flags are an expression that Swift cannot import.
static inline int shim_open_unnamed(const char *directory) {
  return open(directory, __O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

// The first page of the write-ahead log's index (https://sqlite.org/walformat.html section 2), as
// SQLite itself has mapped it; NULL where there is none. It stays where it is until the connection
// is closed or leaves the write-ahead log.
static inline const void *shim_wal_index(sqlite3 *database) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK)
    return 0;
  if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
    return 0;
  void volatile *page = 0;
  const int page_size = 32768, is_extended = 0;
  if (file->pMethods->xShmMap(file, 0, page_size, is_extended, &page) != SQLITE_OK) return 0;
  return (const void *)page;
}

// Copies the two headers (96 bytes) that begin the index, and says whether they differ from what
// `seen` held. Writers of other processes change them at any time: hence the atomic loads.
static inline int shim_wal_index_changed(const void *page, unsigned long long seen[12]) {
  const unsigned long long *words = (const unsigned long long *)page;
  unsigned long long difference = 0;
  for (int i = 0; i < 12; i++) {
    unsigned long long word = __atomic_load_n(words + i, __ATOMIC_ACQUIRE);
    difference |= word ^ seen[i];
    seen[i] = word;
  }
  return difference != 0;
}
