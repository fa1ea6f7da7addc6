// The byte table is in ENCODING.md.

extension Changeset {
    /// The newest version that is read. It added objects last seen in a run of the server before that of the base.
    package static let encodingVersion: UInt8 = 5
    /// It added objects last seen before the base.
    static let encodingVersionLastSeen: UInt8 = 4
    /// It added additions to counters, and texts.
    static let encodingVersionAdditions: UInt8 = 3
    /// It added sets and maps.
    static let encodingVersionKeyed: UInt8 = 2
    /// Written if no operation needs a later version.
    static let encodingVersionOldest: UInt8 = 1

    /// - Precondition: no value is a row key, lives have the parity of their operation.
    /// - Complexity: O(operations)
    package static func encode(_ changesets: [Changeset]) -> [UInt8] {
        var writer = OperationWriter()
        writer.bytes.write(byte: leastVersion(for: changesets))
        writer.bytes.write(varint: UInt64(changesets.count))
        for changeset in changesets {
            writer.write(header: changeset)
            writer.writeOperations(of: changeset)
        }
        return writer.bytes.bytes
    }

    /// The oldest version whose readers understand every operation.
    private static func leastVersion(for changesets: [Changeset]) -> UInt8 {
        var version = encodingVersionOldest
        for changeset in changesets {
            if changeset.lastSeen.contains(where: { $0.run != nil }) { return encodingVersion }
            if !changeset.lastSeen.isEmpty { version = encodingVersionLastSeen }
            for operation in changeset.others { version = max(version, operation.encodingVersion) }
        }
        return version
    }

    /// Takes memory in proportion to the size of `bytes`, whatever they contain. One byte of filled columns can stand
    /// for two deletes of a hundred bytes each.
    ///
    /// - Parameters:
    ///   - weightMax: the most that the operations and their values may weigh, by `RunBound`; for data from elsewhere.
    ///   - operationsMax: the most operations, counted before the runs that stand for them are read.
    ///   - keepsColumns: whether creates stay in columns where they can. A caller that takes all operations one by one
    ///     passes false, and the creates are weighed accordingly.
    ///   - start: where the changes begin in `bytes`.
    package static func decode(
        _ bytes: [UInt8], from start: Int = 0, weightMax: Int = .max, operationsMax: Int = .max,
        keepsColumns: Bool = true
    ) throws(EncodingError) -> [Changeset] {
        var reader = OperationReader(
            bytes, from: start, weightMax: weightMax, operationsMax: operationsMax, keepsColumns: keepsColumns)
        let count = try reader.readChangesetCount()
        let counts = try reader.countsIfNeeded(count)
        var changesets: [Changeset] = []
        changesets.reserveCapacity(count)
        for index in 0..<count {
            var changeset = try reader.readHeader()
            try reader.readOperations(of: &changeset, count: counts?.others[index])
            changesets.append(changeset)
        }
        try reader.bytes.finish()
        return changesets
    }

    /// Counts what `decode` would make of the bytes, for a caller who waits for memory. Throws what `decode` throws for
    /// a message that is too large.
    package static func count(
        _ bytes: [UInt8], from start: Int = 0, weightMax: Int, operationsMax: Int, keepsColumns: Bool = true
    ) throws(EncodingError) -> OperationCounts {
        var reader = OperationReader(
            bytes, from: start, weightMax: weightMax, operationsMax: operationsMax, keepsColumns: keepsColumns)
        let count = try reader.readChangesetCount()
        return try reader.countAll(count)
    }
}

extension OperationReader {
    fileprivate mutating func readChangesetCount() throws(EncodingError) -> Int {
        let version = try bytes.readByte()
        guard (Changeset.encodingVersionOldest...Changeset.encodingVersion).contains(version) else {
            throw EncodingError(
                .unsupportedVersion,
                "The changes are written in version \(version) of their encoding and this program knows version "
                    + "\(Changeset.encodingVersion): update it.",
                offset: 0
            )
        }
        return try bytes.readCount(minimumBytesEach: OperationReader.changesetSizeMin)
    }

    /// Counts first if a bound may be exceeded, so that nothing is made of a message that is too large.
    fileprivate func countsIfNeeded(_ changesets: Int) throws(EncodingError) -> OperationCounts? {
        guard mayExceed else { return nil }
        var scout = self
        return try scout.countAll(changesets)
    }
}

/// The byte before each run of operations.
enum RunTag {
    static let end: UInt8 = 0
    static let creates: UInt8 = 1
    static let sets: UInt8 = 2
    static let deletes: UInt8 = 3
    static let list: UInt8 = 4
    static let keyed: UInt8 = 5
    static let additions: UInt8 = 8
    static let text: UInt8 = 9
    /// No operations: objects of the operations that follow, if they were last seen before the base.
    static let lastSeen: UInt8 = 10
    /// The same, for objects last seen in a run of the server that is not the base's.
    static let lastSeenInRun: UInt8 = 11
}

/// The first byte of an operation on a set or a map.
enum KeyedTag {
    static let put: UInt8 = 0
    static let remove: UInt8 = 1
}

extension Operation {
    /// The version of the encoding that added it.
    fileprivate var encodingVersion: UInt8 {
        switch self {
        case .create, .delete, .set, .list: Changeset.encodingVersionOldest
        case .keyed: Changeset.encodingVersionKeyed
        case .add, .text: Changeset.encodingVersionAdditions
        }
    }
}

/// The first byte of a list operation: its kind, and in what form its origins follow.
enum ListTag {
    static let kindMask: UInt8 = 0b111
    static let insert: UInt8 = 0
    static let delete: UInt8 = 1
    static let move: UInt8 = 2
    static let set: UInt8 = 3
    static let clear: UInt8 = 4
    static let leftShift: UInt8 = 3
    static let rightShift: UInt8 = 5

    /// Two bits for each origin.
    enum Origin {
        static let none: UInt8 = 0
        static let written: UInt8 = 1
        /// Left: what the operation before made. Right: the right origin of the operation before.
        static let previous: UInt8 = 2
    }
}

/// The first byte of an operation on a text: its kind, and its origins as in a list operation.
enum TextTag {
    static let insert: UInt8 = 0
    static let delete: UInt8 = 1
}

/// Bounds of a run, which writer and reader agree on.
enum RunBound {
    /// The most objects in one run: its columns stay in the processor's cache.
    static let rowsMax = 16_384
    /// The most values for each byte of a run's body, keys included. Columns of equal values take no bytes a row, so
    /// without this bound a short message could name any amount of memory. A run that is shorter is filled with zeros,
    /// which compression removes.
    static let cellsPerByteMax = 2
    /// The memory that an operation takes, relative to the values below. A server bounds the sum.
    static let operationWeight = 4
    /// The weight of a value of created objects in columns. With permissions, the objects are judged one by one.
    static let columnValueWeight = 2
    /// The weight of a value of created objects that are made one by one while they are read, because other operations
    /// come before them or their reader takes no columns. No cell of a run weighs more.
    static let valueWeight = 4
    /// The weight of an element that a clear names: little memory, but it is looked up in the list.
    static let clearedWeight = 8
}
