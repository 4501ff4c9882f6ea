// SPDX-License-Identifier: Apache-2.0

// Limits how many tests of this process run at once to twice the number of processors. Linking the
// target is enough; SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH in the environment overrides it.
