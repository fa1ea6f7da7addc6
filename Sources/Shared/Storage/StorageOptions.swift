package struct StorageOptions: Sendable {
    /// Kept in memory as long as somebody holds it; the path is only a name then.
    package var inMemory: Bool
    package var readOnly: Bool
    /// The address range reserved for the file, which bounds its size. Costs no memory. Nil reserves 256 GiB, or less
    /// where address space is short.
    package var mapSizeBytes: Int?
    /// The 64 bytes that encrypt the file; nil for a plain one.
    package var encryptionKey: [UInt8]?
    /// How much of an encrypted file lies decrypted in memory while nobody uses it. What open snapshots have read comes on
    /// top as far as it is more; see FILE.md.
    package var decryptedBytesMaximum = 64 << 20
    /// How many commits the oldest snapshot may be behind before `commit` fails; nil for no limit.
    package var maximumVersions: Int?
    /// Called on the thread that meets a damaged page in a read that cannot throw; see ``DamageReporting``. The first
    /// to open a file says what happens.
    package var onDamage: (@Sendable (StorageError) -> Void)?
    /// For tests of the tests; nil everywhere else.
    package var mutation: StorageMutation?

    package init(
        inMemory: Bool = false, readOnly: Bool = false, mapSizeBytes: Int? = nil, encryptionKey: [UInt8]? = nil,
        maximumVersions: Int? = nil, onDamage: (@Sendable (StorageError) -> Void)? = nil
    ) {
        self.inMemory = inMemory
        self.readOnly = readOnly
        self.mapSizeBytes = mapSizeBytes
        self.encryptionKey = encryptionKey
        self.maximumVersions = maximumVersions
        self.onDamage = onDamage
    }
}
