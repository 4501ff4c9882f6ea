// SPDX-License-Identifier: Apache-2.0

// The package manager wants a source file; everything is in the header.
#include "CSQLite.h"
