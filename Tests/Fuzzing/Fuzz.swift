// SPDX-License-Identifier: Apache-2.0

import Glibc

#if FUZZING
  /// libFuzzer's main loop, which generates inputs, calls the function and measures coverage.
  @_silgen_name("LLVMFuzzerRunDriver")
  func runDriver(
    _ argumentCount: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32
#endif

/// Fuzzes the decoder of NMEA input or, with the first argument `policy`, the policy file parser.
@main
enum Fuzz {
  static func main() {
    let arguments = CommandLine.arguments
    let fuzzesPolicy = arguments.count > 1 && arguments[1] == "policy"
    if arguments.count >= 3, arguments[arguments.count - 2] == "--write-seeds" {
      let folder = arguments[arguments.count - 1]
      let isWritten = fuzzesPolicy ? PolicySeeds.write(to: folder) : Seeds.write(to: folder)
      exit(isWritten ? 0 : 1)
    }
    #if FUZZING
      var argumentCount = CommandLine.argc
      var pointers = CommandLine.unsafeArgv
      exit(
        withUnsafeMutablePointer(to: &pointers) { pointers in
          pointers.withMemoryRebound(
            to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1
          ) {
            // libFuzzer would treat the argument `policy` as a corpus folder.
            if fuzzesPolicy {
              argumentCount -= 1
              $0.pointee[1] = $0.pointee[0]
              $0.pointee += 1
            }
            return runDriver(&argumentCount, $0, fuzzesPolicy ? testOnePolicy : testOneInput)
          }
        })
    #else
      print("Built without libFuzzer. Run `make fuzz` to build with libFuzzer and start fuzzing.")
    #endif
  }
}
