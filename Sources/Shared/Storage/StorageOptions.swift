package struct StorageOptions: Sendable {
    /// Keeps the store in memory until its last user releases it. The path is then only a name.
    package var inMemory: Bool
    package var readOnly: Bool
    /// The address range reserved for the file, which limits its size. Costs no memory. Nil reserves 256 GiB, or less
    /// where address space is short.
    package var mapSizeBytes: Int?
    /// The 64 bytes that encrypt the file; nil for a plain one.
    package var encryptionKey: [UInt8]?
    /// The limit on decrypted pages of an encrypted file in memory. Pages that open snapshots have read always stay,
    /// even beyond the limit; see FILE.md.
    package var decryptedBytesMaximum = 64 << 20
    /// Whether the header of a small commit carries its changes, so that the commit writes no page. False for those who
    /// measure or test commits that write pages.
    package var carriesChanges = true
    /// How many commits the oldest snapshot may be behind before `commit` fails; nil for no limit.
    package var maximumVersions: Int?
    /// Called on the thread that finds a damaged page in a read that cannot throw; see ``DamageReporting``. Of several
    /// users in one process, the handler of the first to open the file counts.
    package var onDamage: (@Sendable (StorageError) -> Void)?
    /// A rule to break, to test the tests; nil everywhere else.
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
