// SPDX-License-Identifier: Apache-2.0

// SQLite's C library (sqlite3.h), and functions for the parts that Swift cannot import.

#ifndef FIXCAST_CSQLITE_H
#define FIXCAST_CSQLITE_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int fixcast_sqlite_bind_text(sqlite3_stmt *statement, int index,
                                           const char *text, int length) {
  // A null pointer would bind NULL instead of an empty text.
  return sqlite3_bind_text(statement, index, text ? text : "", length, SQLITE_TRANSIENT);
}

static inline int fixcast_sqlite_bind_blob(sqlite3_stmt *statement, int index,
                                           const void *bytes, int length) {
  // A null pointer would bind NULL instead of an empty blob.
  if (length == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// Sets SQLITE_DBCONFIG_DEFENSIVE; Swift cannot call the variadic sqlite3_db_config.
static inline int fixcast_sqlite_enable_defensive_mode(sqlite3 *database) {
  int previous = 0;
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, &previous);
}

#endif
