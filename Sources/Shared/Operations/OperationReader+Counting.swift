// Counts what a message holds without making operations. The rows of a run are skipped as a whole, so a few bytes that
// stand for many operations cost no more than their bytes.

/// The size of the changesets of a message.
package struct OperationCounts: Hashable, Sendable {
    /// For each changeset, the number of operations after the creates in columns.
    package var others: [Int] = []
    /// Their weight, as `Changeset.decode` counts it.
    package var weight = 0
}

extension OperationReader {
    mutating func countAll(_ changesets: Int) throws(EncodingError) -> OperationCounts {
        var counts = OperationCounts()
        keepsIDs = false
        for _ in 0..<changesets {
            _ = try readHeader()
            counts.others.append(try countOperations())
        }
        try bytes.finish()
        counts.weight = weight
        return counts
    }

    /// Counts the operations of one changeset whose header was read, without the creates that stay in columns.
    private mutating func countOperations() throws(EncodingError) -> Int {
        var count = 0
        while true {
            let tag = try bytes.readByte()
            switch tag {
            case RunTag.end:
                return count
            case RunTag.lastSeen, RunTag.lastSeenInRun:
                _ = try readLastSeen(tag)
            case RunTag.creates:
                let rows = try countCreates(weight: valueWeight(behind: count))
                // Before all other operations they stay in columns.
                if count > 0 { count += rows }
            case RunTag.sets:
                _ = try readName()
                _ = try readProperty()
                count += try readBody(columnCount: 1).rowCount
            case RunTag.additions:
                _ = try readName()
                _ = try readName()
                count += try readBody(columnCount: 1).rowCount
            case RunTag.deletes:
                _ = try readName()
                _ = try readLife(isAlive: false)
                count += try readBody(columnCount: 0).rowCount
            case RunTag.list: count += try countListOperations()
            case RunTag.keyed: count += try countKeyed()
            case RunTag.text: count += try countTextOperations()
            default: throw bytes.malformed("\(tag) is no kind of operation")
            }
        }
    }

    private mutating func countCreates(weight: Int) throws(EncodingError) -> Int {
        _ = try readName()
        _ = try readLife(isAlive: true)
        let columnCount = try bytes.readCount(minimumBytesEach: 2)
        for _ in 0..<columnCount { _ = try readProperty() }
        return try readBody(columnCount: columnCount, valueWeight: weight).rowCount
    }

    private mutating func countListOperations() throws(EncodingError) -> Int {
        let count = try countFollowing(minimumBytesEach: 2)
        var neighbours = Neighbours()
        for _ in 0..<count { _ = try readListOperation(&neighbours) }
        return count
    }

    private mutating func countTextOperations() throws(EncodingError) -> Int {
        let count = try countFollowing(minimumBytesEach: 3)
        var neighbours = Neighbours()
        for _ in 0..<count { _ = try readTextOperation(&neighbours) }
        return count
    }

    private mutating func countKeyed() throws(EncodingError) -> Int {
        let count = try countFollowing(minimumBytesEach: 2)
        for _ in 0..<count {
            let tag = try bytes.readByte()
            _ = try bytes.readValue()
            if tag == KeyedTag.put { _ = try bytes.readValue() }
        }
        return count
    }

    /// Reads the head of a run of operations on one collection; returns how many follow.
    private mutating func countFollowing(minimumBytesEach: Int) throws(EncodingError) -> Int {
        _ = try readName()
        _ = try bytes.readPrimaryKey()
        _ = try readName()
        let count = try bytes.readCount(minimumBytesEach: minimumBytesEach)
        try weigh(count)
        return count
    }
}
