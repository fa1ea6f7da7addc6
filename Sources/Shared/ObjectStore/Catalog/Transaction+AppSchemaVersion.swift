extension Transaction {
    /// The key of the version, in a small tree of its own.
    private static let appSchemaVersionKey = Array("schemaVersion".utf8)

    /// The version of the app's schema with which the file was last opened; nil for a file that no app has opened yet.
    package var appSchemaVersion: UInt64? {
        guard let bytes = tree("database").get(Self.appSchemaVersionKey), bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    package func setAppSchemaVersion(_ version: UInt64) {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: version >> (56 - 8 * UInt64($0))) }
        tree("database").put(Self.appSchemaVersionKey, bytes)
    }
}
