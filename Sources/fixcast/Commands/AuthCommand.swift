// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fixcast auth`: access to the board's location.
struct AuthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth",
    abstract: "Show and decide who may know where the board is.",
    discussion: """
      A program without a decision waits and is listed by 'fixcast auth pending'. WHO is a \
      user's name such as pi, or one or more of uid=1000, user=pi and unit=weather.service, all \
      of which must match.

      The first match in this order decides: a 'lock WHO' in /etc/fixcast/policy.d, unless a more \
      specific rule there overrides the lock; 'deny everyone'; an operator's answer, stored in \
      /var/lib/fixcast; 'allow WHO', 'deny WHO' or 'ask WHO' in /etc/fixcast/policy.d; the same \
      in /usr/lib/fixcast/policy.d of an image. Within each of these steps the most specific WHO \
      wins, then the stricter rule. A rule file that users other than root can write denies \
      everyone until 'chmod go-w FILE'.

      With a daemon the mode is enforced. Without a daemon it is \(AuthMode.cooperative.text). \
      Cooperative mode does not stop a program that opens the receiver itself.

      Exits 66 if --root is not a directory, 77 if you lack permission or a lock overrides the \
      answer, 78 if a file cannot be read.
      """,
    subcommands: [
      AuthList.self, AuthPending.self, AuthAllow.self, AuthDeny.self, AuthReset.self,
      AuthExplain.self,
    ],
    defaultSubcommand: AuthList.self)
}
