package import CausewayStorage

/// A page store, plain and encrypted: one suite is run on each.
package enum StorageBackend: String, CaseIterable, Sendable {
    case pages
    case encryptedPages

    /// Any 64 bytes.
    package static let key = (0..<64).map { UInt8($0 * 3) }

    /// The key of storages and of their copies.
    package var key: [UInt8]? { self == .encryptedPages ? Self.key : nil }

    package func open(
        _ path: String, inMemory: Bool = false, readOnly: Bool = false, mapSizeBytes: Int = 1 << 30,
        maximumVersions: Int? = nil
    ) throws(StorageError) -> any Storage {
        var options = StorageOptions(
            inMemory: inMemory, readOnly: readOnly, mapSizeBytes: mapSizeBytes, encryptionKey: key,
            maximumVersions: maximumVersions)
        // So little that decrypted pages go and come back all the time.
        options.decryptedBytesMaximum = 64 << 10
        // Names in memory are the process's: each backend has its own.
        let path = inMemory ? "\(path), \(rawValue)" : path
        return try StorageRegistry.shared.open(path: path, options: options)
    }
}
