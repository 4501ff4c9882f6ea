// SPDX-License-Identifier: Apache-2.0

// The client library of PostgreSQL, from libpq-dev. Only fixcast-fleet links it.

#ifndef FIXCAST_CPOSTGRES_H
#define FIXCAST_CPOSTGRES_H

#include <postgresql/libpq-fe.h>

#endif
