// SPDX-License-Identifier: Apache-2.0

import Glibc

#if FUZZING
  /// libFuzzer's own loop: it makes inputs, calls the function, and watches what is reached.
  @_silgen_name("LLVMFuzzerRunDriver")
  func runDriver(
    _ argumentCount: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32
#endif

/// Feeds whatever libFuzzer thinks of through the way of a fix, as far as it is pure.
@main
enum Fuzz {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "--write-seeds" {
      exit(Seeds.write(to: arguments[2]) ? 0 : 1)
    }
    #if FUZZING
      var argumentCount = CommandLine.argc
      var pointers = CommandLine.unsafeArgv
      exit(
        withUnsafeMutablePointer(to: &pointers) { pointers in
          pointers.withMemoryRebound(
            to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1
          ) { runDriver(&argumentCount, $0, testOneInput) }
        })
    #else
      print("Built without libFuzzer. `make fuzz` builds it with, and starts it.")
    #endif
  }
}
