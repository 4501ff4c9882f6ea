// SPDX-License-Identifier: Apache-2.0

// The gazetteer's bytes as read-only data of the program: nothing is built at start, nothing is
// looked for on disk, and only the pages that a search touches are ever loaded. A Swift array
// literal of this length would take minutes to compile and be copied to the heap.

#ifndef FIXCAST_CPLACES_H
#define FIXCAST_CPLACES_H

#include <stddef.h>

// Where places.bin begins, and its length; generate.py describes what is in it.
const void *fixcast_places(size_t *length);

#endif
