import Crypto

/// What proves to a receiver that a body comes from this server and was not sent before.
///
/// The header `causeway-signature` is `t=TIME,v1=CODE`. TIME is seconds since 1970. CODE is the HMAC-SHA256 of TIME, a point and
/// the body, under the secret, in 64 lowercase hexadecimal digits. A receiver computes it from the bytes that it got, compares in
/// constant time, and refuses old times.
package enum WebhookSignature {
    package static let header = "causeway-signature"
    /// A shorter secret could be tried out.
    package static let secretBytesMin = 16

    package static func text(of body: [UInt8], seconds: UInt64, secret: String) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: Array(secret.utf8)))
        code.update(data: Array("\(seconds).".utf8))
        code.update(data: body)
        let digits = code.finalize().map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return "t=\(seconds),v1=\(digits.joined())"
    }
}
