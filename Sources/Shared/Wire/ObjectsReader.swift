import CausewayMerge
import CausewayModel
import CausewayOperations

/// Reads the changes that `ObjectsWriter` wrote.
struct ObjectsReader {
    private var bytes: ByteReader
    private var names: [String] = []
    private var stamps: [Stamp] = []
    /// How many more values the message may have.
    private var cellsLeft = Bounds.cells

    init(_ body: [UInt8]) {
        bytes = ByteReader(body)
    }

    mutating func read(into chunk: inout ViewChunk) throws(EncodingError) {
        let version = try bytes.readByte()
        guard version >= ObjectsWriter.encodingVersionOldest, version <= ObjectsWriter.encodingVersion else {
            throw EncodingError(
                .unsupportedVersion,
                "The objects are written in version \(version) of their encoding: update this "
                    + "program, which knows versions up to \(ObjectsWriter.encodingVersion).", offset: 0)
        }
        try readStampTable()
        while true {
            let kind = try bytes.readByte()
            switch kind {
            case RunKind.end: return try bytes.finish()
            case RunKind.entered:
                let run = try readRun()
                if let entered = run.entered {
                    chunk.enteredRuns.append(entered)
                } else {
                    try append(run, to: &chunk.entered, mayChange: false)
                }
            case RunKind.updated:
                let mayChange = version > ObjectsWriter.encodingVersionOldest
                try append(try readRun(), to: &chunk.updated, mayChange: mayChange)
            case RunKind.left: try readLeft(into: &chunk.left)
            case RunKind.deleted: try readDeleted(into: &chunk.deleted)
            case RunKind.refused: try readRefused(into: &chunk.refused)
            default: throw bytes.malformed("\(kind) is no kind of change")
            }
        }
    }

    private mutating func readLeft(into left: inout [ObjectLeave]) throws(EncodingError) {
        let className = try readName()
        let reasonByte = try bytes.readByte()
        guard let reason = LeaveReason(rawValue: reasonByte) else {
            throw bytes.malformed("\(reasonByte) is no reason to leave")
        }
        let count = try readRowCount(columns: 1)
        for key in try bytes.readKeys(count: count) {
            left.append(ObjectLeave(ObjectReference(className, key), reason))
        }
    }

    private mutating func readDeleted(into deleted: inout [ObjectEnd]) throws(EncodingError) {
        let className = try readName()
        let count = try readRowCount(columns: 2)
        let keys = try bytes.readKeys(count: count)
        let lives = try bytes.readIntegers(count: count)
        for (key, life) in zip(keys, lives) {
            deleted.append(ObjectEnd(ObjectReference(className, key), life: try checked(life: life)))
        }
    }

    private mutating func readRefused(into refused: inout [OperationRefusal]) throws(EncodingError) {
        // Each refusal takes bytes of its own, so the message's size bounds their number.
        for _ in 0..<(try readRowCount(columns: 1)) {
            let sequence = try bytes.readVarint()
            let operation = try bytes.readVarint()
            guard let code = UInt32(exactly: try bytes.readVarint()) else {
                throw bytes.malformed("a refusal has a code of more than 32 bits")
            }
            let reason = try bytes.readString()
            refused.append(OperationRefusal(sequence: sequence, operation: operation, code: code, reason: reason))
        }
    }
}

// MARK: - Objects with their state

extension ObjectsReader {
    /// One property of a run: a value for each object, its stamp, and whether it is a default.
    private struct PropertyColumn {
        var property: String
        var values: SparseColumn
        var stamps = Stamps.usual
        var defaults = Defaults.same(false)

        enum Stamps {
            /// The object's `born`.
            case usual
            case same(Stamp)
            case each([Stamp])
        }

        enum Defaults {
            case same(Bool)
            case each([Bool])
        }
    }

    /// Objects of equal shape. Their lists, sets, maps and texts are not read yet.
    private struct Run {
        var className: String
        var keys: KeyColumn
        var lives: [Int64]
        var born: [Stamp]
        var columns: [PropertyColumn]
        var collections: [String]

        /// The objects as columns, when they are many and alike; nil otherwise. Embedded objects never are: they come
        /// one by one, before the objects that hold them.
        var entered: ObjectRun? {
            guard lives.count >= ObjectRun.leastCount, collections.isEmpty,
                let born = born.first, self.born.allSatisfy({ $0 == born }),
                let life = lives.first, life == 1, lives.allSatisfy({ $0 == life })
            else { return nil }
            switch keys {
            case .containers, .mixed: return nil
            case .ints, .strings, .dictionary, .objectIds, .uuids: break
            }
            var fields: [ObjectRun.Field] = []
            fields.reserveCapacity(columns.count)
            for column in columns {
                guard case .same(let isDefault) = column.defaults else { return nil }
                let stamp: Stamp
                switch column.stamps {
                case .usual: stamp = born
                case .same(let same): stamp = same
                case .each: return nil
                }
                fields.append(ObjectRun.Field(column.property, column.values, stamp: stamp, isDefault: isDefault))
            }
            return ObjectRun(className: className, keys: keys, life: 1, born: born, fields: fields)
        }
    }

    private mutating func readRun() throws(EncodingError) -> Run {
        let className = try readName()
        let properties = try readPropertyNames()
        let collections = try readPropertyNames()
        let count = try readRowCount(columns: 3 + properties.count + collections.count)
        let keys = try bytes.readKeyColumn(count: count)
        let lives = try bytes.readIntegers(count: count)
        let born = try readStamps(count: count)
        var columns: [PropertyColumn] = []
        columns.reserveCapacity(properties.count)
        for property in properties { columns.append(try readColumn(property, count: count)) }
        return Run(
            className: className, keys: keys, lives: lives, born: born, columns: columns, collections: collections)
    }

    /// - Parameter mayChange: whether a list, set, map or text may be said by what happened to it.
    private mutating func append(
        _ run: Run, to changes: inout [ObjectContent], mayChange: Bool
    ) throws(EncodingError) {
        let keys = run.keys.keys
        let values = run.columns.map(\.values.values)
        var parts = [[ObjectState.Part]](repeating: [], count: run.collections.isEmpty ? 0 : keys.count)
        var edited = [[PartChange]](repeating: [], count: mayChange ? parts.count : 0)
        for property in run.collections {
            for row in parts.indices {
                if mayChange, try PartEdits.areNext(in: bytes) {
                    edited[row].append(PartChange(property, try readEdits()))
                } else {
                    parts[row].append(ObjectState.Part(property, try ObjectState.Content(from: &bytes)))
                }
            }
        }
        changes.reserveCapacity(changes.count + keys.count)
        for row in keys.indices {
            let fields = fields(of: row, in: run.columns, values, born: run.born[row])
            let life = try checked(life: run.lives[row])
            let state = ObjectState(
                life: life, fields: fields, parts: parts.isEmpty ? [] : parts[row], born: run.born[row])
            changes.append(
                ObjectContent(
                    ObjectReference(run.className, keys[row]), state, changes: edited.isEmpty ? [] : edited[row]))
        }
    }

    /// Each operation counts as several values of the message, because it takes as much memory.
    private mutating func readEdits() throws(EncodingError) -> PartEdits {
        do {
            return try PartEdits(from: &bytes, weightMax: &cellsLeft, stamps: stamps)
        } catch {
            guard error.code == .tooMuch else { throw error }
            throw bytes.malformed("a message names more than \(Bounds.cells) values")
        }
    }

    private func fields(
        of row: Int, in columns: [PropertyColumn], _ values: [[Value]], born: Stamp
    ) -> [ObjectState.Field] {
        [ObjectState.Field](unsafeUninitializedCapacity: columns.count) { buffer, count in
            for column in columns.indices {
                let stamp =
                    switch columns[column].stamps {
                    case .usual: born
                    case .same(let stamp): stamp
                    case .each(let stamps): stamps[row]
                    }
                let isDefault =
                    switch columns[column].defaults {
                    case .same(let isDefault): isDefault
                    case .each(let areDefaults): areDefaults[row]
                    }
                // The buffer has room for one field for each column.
                buffer.initializeElement(
                    at: column,
                    to: ObjectState.Field(
                        columns[column].property, values[column][row], stamp: stamp, isDefault: isDefault))
            }
            count = columns.count
        }
    }

    private mutating func readColumn(_ property: String, count: Int) throws(EncodingError) -> PropertyColumn {
        let stampForm = try bytes.readByte()
        let stamps: PropertyColumn.Stamps =
            switch stampForm {
            case PropertyForm.usual: .usual
            case PropertyForm.one: .same(try stamp(numbered: bytes.readVarint()))
            case PropertyForm.each: .each(try readStamps(count: count))
            default: throw bytes.malformed("\(stampForm) is no form of stamps")
            }
        let defaultForm = try bytes.readByte()
        let defaults: PropertyColumn.Defaults
        switch defaultForm {
        case PropertyForm.usual: defaults = .same(false)
        case PropertyForm.one: defaults = .same(true)
        case PropertyForm.each:
            let marks = try bytes.readIntegers(count: count)
            guard marks.allSatisfy({ $0 == 0 || $0 == 1 }) else { throw bytes.malformed("a mark is neither 0 nor 1") }
            defaults = .each(marks.map { $0 == 1 })
        default: throw bytes.malformed("\(defaultForm) is no form of marks")
        }
        let values = try bytes.readSparseColumn(count: count)
        return PropertyColumn(property: property, values: values, stamps: stamps, defaults: defaults)
    }
}

// MARK: - Tables and bounds

extension ObjectsReader {
    private mutating func readStampTable() throws(EncodingError) {
        let clientCount = try bytes.readCount(minimumBytesEach: 8)
        var clients: [ClientID] = []
        clients.reserveCapacity(clientCount)
        for _ in 0..<clientCount { clients.append(ClientID(try bytes.readFixed64())) }
        // A column of integers may take less than a byte each, so the number of stamps is bounded like that of cells.
        let count = try readCells(of: try bytes.readVarint(), columns: 2)
        let numbers = try bytes.readIntegers(count: count)
        let times = try bytes.readIntegers(count: count)
        stamps.reserveCapacity(count)
        for (number, time) in zip(numbers, times) {
            guard let index = Int(exactly: number), clients.indices.contains(index) else {
                throw bytes.malformed("a stamp names client \(number) of \(clients.count)")
            }
            stamps.append(Stamp(time: UInt64(bitPattern: time), client: clients[index]))
        }
    }

    private func stamp(numbered number: UInt64) throws(EncodingError) -> Stamp {
        guard number < UInt64(stamps.count) else {
            throw bytes.malformed("a value has stamp \(number) of \(stamps.count)")
        }
        return stamps[Int(number)]
    }

    private mutating func readStamps(count: Int) throws(EncodingError) -> [Stamp] {
        var result: [Stamp] = []
        result.reserveCapacity(count)
        for number in try bytes.readIntegers(count: count) {
            result.append(try stamp(numbered: UInt64(bitPattern: number)))
        }
        return result
    }

    private mutating func readName() throws(EncodingError) -> String {
        let number = try bytes.readVarint()
        if number < UInt64(names.count) { return names[Int(number)] }
        guard number == UInt64(names.count) else { throw bytes.malformed("a name's number is not known yet") }
        let name = try bytes.readString()
        names.append(name)
        return name
    }

    private mutating func readPropertyNames() throws(EncodingError) -> [String] {
        let count = try bytes.readCount(minimumBytesEach: 1)
        guard count <= Bounds.propertiesOfClass else { throw bytes.malformed("an object has \(count) properties") }
        var properties: [String] = []
        for _ in 0..<count {
            let name = try readName()
            if let previous = properties.last, previous >= name {
                throw bytes.malformed("the properties '\(previous)' and '\(name)' are not in order")
            }
            properties.append(name)
        }
        return properties
    }

    private mutating func readRowCount(columns: Int) throws(EncodingError) -> Int {
        let count = try readCells(of: try bytes.readVarint(), columns: columns)
        guard count > 0 else { throw bytes.malformed("a run of changes is empty") }
        return count
    }

    private mutating func readCells(of rowCount: UInt64, columns: Int) throws(EncodingError) -> Int {
        guard rowCount <= UInt64(cellsLeft / columns) else {
            throw bytes.malformed("a message names more than \(Bounds.cells) values")
        }
        cellsLeft -= Int(rowCount) * columns
        return Int(rowCount)
    }

    private func checked(life: Int64) throws(EncodingError) -> UInt32 {
        guard life >= 0, life <= Int64(Operation.lifeMax) else { throw bytes.malformed("an object has life \(life)") }
        return UInt32(life)
    }
}
