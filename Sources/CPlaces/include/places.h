// SPDX-License-Identifier: Apache-2.0

// The gazetteer as read-only data of the program. The data needs no file and no work at start, and
// only the pages that a search reads are loaded. A Swift array literal of this length would take
// minutes to compile and would be copied to the heap.

#ifndef FIXCAST_CPLACES_H
#define FIXCAST_CPLACES_H

#include <stddef.h>

// Returns the contents of places.bin and sets `length` to its size in bytes. generate.py describes
// the format.
const void *fixcast_places(size_t *length);

#endif
