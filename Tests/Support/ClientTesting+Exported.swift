// SPDX-License-Identifier: Apache-2.0

// Files that import FixcastTestSupport also use ManualClock, EventRecorder and the conformance
// suites, which are products.
@_exported public import ClientTesting
