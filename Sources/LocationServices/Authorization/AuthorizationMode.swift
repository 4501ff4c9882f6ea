// SPDX-License-Identifier: Apache-2.0

/// Who applies what is decided about a program.
public enum AuthorizationMode: String, Hashable, Codable, Sendable, CaseIterable {
  /// This process, by a policy of its own: it binds a program that plays along.
  case cooperative
  /// A daemon that serves the program: what it may not know never reaches it.
  case enforced
  /// A daemon that does not answer, or may not be asked: nothing comes meanwhile.
  case unreachable
}
