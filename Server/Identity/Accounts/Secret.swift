import CausewayEnvironment
import Crypto
import Foundation

/// A refresh token, an API key or the token of a message: an id that finds its record, and a secret that only its
/// holder knows. The record has the secret's digest. Secrets have 32 random bytes, so that a plain digest is enough.
struct Secret: Hashable {
    /// 24 hexadecimal digits, as devices expect of the ids of keys.
    let id: String
    private let secret: String

    private static let secretBytes = 32

    init(_ random: any RandomSource) {
        id = Self.id(random)
        secret = Base64URL.encode(Self.randomBytes(Self.secretBytes, random))
    }

    /// Reads a secret from its text; nil when the text is none.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 128, parts.count == 2, Self.isID(String(parts[0])) else { return nil }
        id = String(parts[0])
        secret = String(parts[1])
    }

    /// A secret whose id came apart from it.
    init?(id: String, secret: String) {
        guard Self.isID(id), secret.utf8.count <= 128 else { return nil }
        self.id = id
        self.secret = secret
    }

    /// What its holder keeps.
    var text: String { "\(id).\(secret)" }
    /// The part that is not the id.
    var secretText: String { secret }
    /// What the server keeps.
    var digest: Data { Data(SHA256.hash(data: Data(secret.utf8))) }

    static func id(_ random: any RandomSource) -> String {
        randomBytes(12, random).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    static func isID(_ text: String) -> Bool {
        text.utf8.count == 24
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    static func randomBytes(_ count: Int, _ random: any RandomSource) -> Data {
        var bytes = Data()
        while bytes.count < count {
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
        }
        return bytes.prefix(count)
    }

    /// Compares without revealing by its time where two differ: the library compares digests in constant time.
    static func areEqual(_ left: Data, _ right: Data) -> Bool {
        SHA256.hash(data: left) == SHA256.hash(data: right)
    }
}
