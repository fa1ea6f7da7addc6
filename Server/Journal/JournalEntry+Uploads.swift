import CausewayModel
import CausewayOperations
import CausewayStore

// Uploads and one-way entries. Callers with the same rules share them: an entry has each set of rules once.

extension JournalEntry.Commit {
    func encode(into writer: inout ByteWriter) {
        writer.write(varint: time)
        writer.write(flag: shortage != nil)
        if let shortage {
            writer.write(varint: shortage.usedMebibytes)
            writer.write(varint: shortage.mebibytesMax)
        }
        let table = PermissionsTable(batches.map(\.permissions))
        table.encode(into: &writer)
        writer.write(count: batches.count)
        for (batch, number) in zip(batches, table.numbers) {
            writer.write(batch.client)
            writer.write(string: batch.user)
            writer.write(count: number)
            writer.write(flag: batch.call != nil)
            batch.call?.encode(into: &writer)
            for changeset in batch.changesets { writer.write(mark: changeset) }
            writer.write(byte: 0)
            writer.write(bytes: Changeset.encode(batch.changesets))
        }
    }

    init(from reader: inout ByteReader) throws(EncodingError) {
        let time = try reader.readVarint()
        var shortage: StorageShortage?
        if try reader.readFlag() {
            let used = try reader.readVarint()
            shortage = StorageShortage(usedMebibytes: used, mebibytesMax: try reader.readVarint())
        }
        let table = try PermissionsTable(from: &reader)
        var batches: [UploadBatch] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 12)) {
            let client = try reader.readClient()
            let user = try reader.readString()
            let permissions = try table.permissions(try reader.readNumber(), reader)
            let call = try reader.readFlag() ? try CallTerms(from: &reader) : nil
            batches.append(
                UploadBatch(
                    client: client, user: user, permissions: permissions, changesets: try reader.readChangesets(),
                    call: call))
        }
        self.init(batches: batches, time: time, shortage: shortage)
    }
}

extension JournalEntry.Ingest {
    func encode(into writer: inout ByteWriter) {
        writer.write(varint: time)
        let table = PermissionsTable([batch.permissions])
        table.encode(into: &writer)
        writer.write(batch.client)
        writer.write(string: batch.user)
        writer.write(varint: batch.first)
        writer.write(fixed64: batch.opening)
        // The same form as in an upload; what a one-way entry has no use for is zero.
        let entries = batch.entries.map { operations in
            Changeset(client: batch.client, sequence: 0, stamp: .zero, base: .zero, operations: operations)
        }
        writer.write(bytes: Changeset.encode(entries))
    }

    init(from reader: inout ByteReader) throws(EncodingError) {
        let time = try reader.readVarint()
        let table = try PermissionsTable(from: &reader)
        guard table.count <= 1 else { throw reader.malformed("one caller has several rules") }
        let client = try reader.readClient()
        let user = try reader.readString()
        let (first, opening) = (try reader.readVarint(), try reader.readFixed64())
        let entries = try Changeset.decode(
            reader.readBytes(), weightMax: JournalEntry.weightMax, operationsMax: JournalEntry.operationsMax,
            keepsColumns: false)
        self.init(
            batch: OneWayBatch(
                client: client, user: user, permissions: try table.permissions(table.count, reader), first: first,
                entries: entries.map(\.operations), opening: opening),
            time: time)
    }
}

extension ByteWriter {
    /// What is sent beside a changeset.
    fileprivate mutating func write(mark changeset: Changeset) {
        write(flag: true)
        write(fixed64: changeset.opening)
        write(fixed64: changeset.run)
    }
}

extension ByteReader {
    fileprivate mutating func readChangesets() throws(EncodingError) -> [Changeset] {
        var marks: [(opening: UInt64, run: UInt64)] = []
        while try readFlag() { marks.append((try readFixed64(), try readFixed64())) }
        var changesets = try Changeset.decode(
            readBytes(), weightMax: JournalEntry.weightMax, operationsMax: JournalEntry.operationsMax)
        guard marks.count == changesets.count else { throw malformed("changesets lack what is sent beside them") }
        for (index, mark) in marks.enumerated() {
            changesets[index].opening = mark.opening
            changesets[index].run = mark.run
        }
        return changesets
    }
}

/// The different rules of an entry's callers. Number zero permits everything.
private struct PermissionsTable {
    private var all: [Permissions] = []
    /// Of the callers, in their order.
    private(set) var numbers: [Int] = []

    var count: Int { all.count }

    init(_ callers: [Permissions?]) {
        var known: [Permissions: Int] = [:]
        for permissions in callers {
            guard let permissions else {
                numbers.append(0)
                continue
            }
            let number = known[permissions] ?? all.count + 1
            if number > all.count {
                all.append(permissions)
                known[permissions] = number
            }
            numbers.append(number)
        }
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(count: all.count)
        for permissions in all { writer.write(permissions.rules) }
    }

    init(from reader: inout ByteReader) throws(EncodingError) {
        for _ in 0..<(try reader.readCount(minimumBytesEach: 7)) { all.append(Permissions(try reader.readRules())) }
    }

    func permissions(_ number: Int, _ reader: ByteReader) throws(EncodingError) -> Permissions? {
        guard number > 0 else { return nil }
        guard number <= all.count else { throw reader.malformed("rules \(number) are not in the entry") }
        return all[number - 1]
    }
}

extension CallTerms {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.write(count: expectations.count)
        for expectation in expectations {
            switch expectation {
            case .life(let object, let life):
                writer.write(byte: 0)
                writer.write(object)
                writer.write(varint: UInt64(life))
            case .untouched(let object):
                writer.write(byte: 1)
                writer.write(object)
            }
        }
        writer.write(flag: receipt != nil)
        guard let receipt else { return }
        writer.write(string: receipt.key.user.string)
        writer.write(string: receipt.key.key.string)
        writer.write(fixed64: receipt.fingerprint)
        writer.write(bytes: receipt.answer)
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        self.init()
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let isLife = try !reader.readFlag()
            let object = ObjectReference(try reader.readString(), try reader.readPrimaryKey())
            guard isLife else {
                expectations.append(.untouched(object))
                continue
            }
            guard let life = UInt32(exactly: try reader.readVarint()) else {
                throw reader.malformed("a life is too long")
            }
            expectations.append(.life(object, life))
        }
        guard try reader.readFlag() else { return }
        let user = try reader.readString()
        let key = CallKey(user: user, key: try reader.readString())
        let fingerprint = try reader.readFixed64()
        receipt = Receipt(key: key, fingerprint: fingerprint, answer: try reader.readBytes())
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ object: ObjectReference) {
        write(string: object.className)
        write(object.key)
    }
}
