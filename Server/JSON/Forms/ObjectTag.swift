import CausewayModel
import CausewayQuery

/// Names the state of an object as a caller sees it: the `ETag` of the object, and what `If-Match` is compared with.
package enum ObjectTag {
    /// - Parameter json: the whole object.
    package static func text(of json: [UInt8]) -> String {
        var fingerprint = Fingerprint()
        fingerprint.add(String(decoding: json, as: UTF8.self))
        return "\"" + Hexadecimal.text(fingerprint.value, digits: 16) + "\""
    }
}
