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

/// Fuzzes the decoder of NMEA input or, with the first argument `policy`, `gpsd` or `mqtt`, the
/// parser of policy files, the server side of the gpsd protocol or the decoder of MQTT packets.
@main
enum Fuzz {
  private enum Target: String {
    case decoder, policy, gpsd, mqtt
  }

  static func main() {
    let arguments = CommandLine.arguments
    let target = arguments.dropFirst().first.flatMap(Target.init) ?? .decoder
    if arguments.count >= 3, arguments[arguments.count - 2] == "--write-seeds" {
      let folder = arguments[arguments.count - 1]
      let isWritten =
        switch target {
        case .decoder: Seeds.write(to: folder)
        case .policy: PolicySeeds.write(to: folder)
        case .gpsd: GPSDSeeds.write(to: folder)
        case .mqtt: true
        }
      exit(isWritten ? 0 : 1)
    }
    #if FUZZING
      let test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 =
        switch target {
        case .decoder: testOneInput
        case .policy: testOnePolicy
        case .gpsd: testOneGPSDClient
        case .mqtt: testOneMQTTStream
        }
      var argumentCount = CommandLine.argc
      var pointers = CommandLine.unsafeArgv
      exit(
        withUnsafeMutablePointer(to: &pointers) { pointers in
          pointers.withMemoryRebound(
            to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1
          ) {
            // libFuzzer would treat the name of the target as a corpus folder.
            if arguments.count > 1, Target(rawValue: arguments[1]) != nil {
              argumentCount -= 1
              $0.pointee[1] = $0.pointee[0]
              $0.pointee += 1
            }
            return runDriver(&argumentCount, $0, test)
          }
        })
    #else
      print("Built without libFuzzer. Run `make fuzz` to build with libFuzzer and start fuzzing.")
    #endif
  }
}
