// SPDX-License-Identifier: Apache-2.0

#if compiler(<6.3)
  extension Array {
    /// Appends the elements that `body` writes; the same as the method of Swift 6.3.
    ///
    /// The elements are written to temporary memory and then copied. Up to 1,024 bytes are on the
    /// stack; more are allocated on the heap.
    @inline(__always)
    mutating func append(
      addingCapacity count: Int, initializingWith body: (inout OutputSpan<Element>) -> Void
    ) {
      withUnsafeTemporaryAllocation(of: Element.self, capacity: count) { buffer in
        var span = OutputSpan(buffer: buffer, initializedCount: 0)
        body(&span)
        let written = buffer[..<span.finalize(for: buffer)]
        append(contentsOf: written)
        written.deinitialize()
      }
    }
  }
#endif
