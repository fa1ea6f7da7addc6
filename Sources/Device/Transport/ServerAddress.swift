/// The address of a database on a server, whom to trust there, and how long to wait.
package struct ServerAddress: Hashable, Sendable {
    /// Scheme, host and port, without a slash at the end.
    package let base: String
    package let database: String
    package var trust: Trust
    /// How long to wait for a connection, TLS included.
    package var connectMilliseconds: Int64 = 10_000
    /// How long a call may stay without an answer; longer by the bytes that it sends (`RequestTime`).
    package var answerMilliseconds: Int64 = 60_000
    /// How long a connection stays open that nobody uses.
    package var lingerMilliseconds: Int64 = 30_000
    /// Whether all callers in this process with the same terms share one connection.
    package var sharesConnection = true

    package enum Trust: Hashable, Sendable {
        /// The authorities of the operating system.
        case system
        /// The authorities in this PEM file, and no others.
        case authorities(path: String)
    }

    /// - Throws: `AddressError` unless the base is an https URL and the database's name has 1 to 128 bytes.
    package init(base: String, database: String, trust: Trust) throws(AddressError) {
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        guard base.lowercased().hasPrefix("https://"), base.utf8.count > "https://".utf8.count else {
            throw AddressError(
                message: "The base URL '\(base)' does not begin with https://. Tokens travel only over TLS; "
                    + "for a development server make a certificate with `sync-server keys` and trust its authority.")
        }
        guard !database.isEmpty, database.utf8.count <= 128 else {
            throw AddressError(
                message: "The app id names the server's database; it has 1 to 128 characters, this one has "
                    + "\(database.utf8.count).")
        }
        self.base = base
        self.database = database
        self.trust = trust
    }

    /// The address of one request of the protocol.
    package func url(_ request: String) -> String {
        "\(base)/v1/\(Self.escaped(database))/\(request)"
    }

    /// Everything but letters, digits and `-._~` in percent notation, so that no name can leave its path segment.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }
}

package struct AddressError: Error, Hashable, Sendable {
    package var message: String
}
