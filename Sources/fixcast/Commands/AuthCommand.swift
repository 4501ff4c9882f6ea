// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fixcast auth`: who may know where the board is.
struct AuthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth",
    abstract: "Say who may know where the board is.",
    discussion: """
      A program that nobody has decided on waits, and shows up in 'fixcast auth pending'. WHO is \
      one or more of uid=1000, user=pi and unit=weather.service, all of which must fit.

      The first of these that says anything decides: a 'lock WHO' in /etc/fixcast/policy.d, unless \
      a more precise rule there says otherwise; 'deny everyone'; an answer, which lies in \
      /var/lib/fixcast; 'allow WHO', 'deny WHO' or 'ask WHO' in /etc/fixcast/policy.d; the same \
      in an image's /usr/lib/fixcast/policy.d. Within one of these the most precise WHO wins, then \
      the stricter word. A rule file that others than root may write lets nobody know, until \
      'chmod go-w FILE'.

      Where the daemon answers the mode is enforced. Else it is \(AuthMode.cooperative.text): one that opens the receiver itself is not kept \
      from it.

      Exits 66 where --root is no folder, 77 where you may not, or a lock stands against it, 78 \
      where a file cannot be read.
      """,
    subcommands: [
      AuthList.self, AuthPending.self, AuthAllow.self, AuthDeny.self, AuthReset.self,
      AuthExplain.self,
    ],
    defaultSubcommand: AuthList.self)
}
