// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension AuthorizationStatus {
  /// The status as a title for a user interface.
  public var title: String {
    switch self {
    case .authorizedAlways: "Always Authorized"
    case .authorizedWhenInUse: "Authorized When In Use"
    case .denied: "Denied"
    case .notDetermined: "Not Determined"
    case .restricted: "Restricted"
    }
  }
}
