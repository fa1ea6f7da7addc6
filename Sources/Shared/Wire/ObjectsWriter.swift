import CausewayMerge
import CausewayModel
import CausewayOperations

// The body of a message of changes, by column: PROTOCOL.md, "Objects in a message of changes", is its table.

/// Writes changes in runs of equal shape. Names, clients and stamps are written once and referred to by number.
struct ObjectsWriter {
    private var runs = ByteWriter()
    private var names: ExactDictionary<Int> = [:]
    private var stamps: [Stamp] = []
    private var stampNumbers: [Stamp: Int] = [:]
    private var latest: (stamp: Stamp, number: Int)?
    private var version = Self.encodingVersionOldest

    /// The version of a body with changes of lists, sets, maps or texts.
    static let encodingVersion: UInt8 = 2
    static let encodingVersionOldest: UInt8 = 1

    /// Everything written so far, with its tables in front.
    func finish() -> [UInt8] {
        var body = ByteWriter()
        body.reserve(runs.bytes.count + 64 + 12 * stamps.count)
        body.write(byte: version)
        body.write(stampTable: stamps)
        body.write(raw: runs.bytes)
        body.write(byte: RunKind.end)
        return body.bytes
    }

    mutating func write(_ changes: [ObjectContent], as kind: UInt8) {
        var start = 0
        while start < changes.count {
            let first = changes[start]
            var end = start + 1
            while end < changes.count, haveSameShape(first, changes[end]) { end += 1 }
            write(run: changes[start..<end], as: kind)
            start = end
        }
    }

    mutating func write(entered: [ObjectRun]) {
        for run in entered where run.count > 0 {
            runs.write(byte: RunKind.entered)
            write(name: run.className)
            runs.write(varint: UInt64(run.fields.count))
            for field in run.fields { write(name: field.property) }
            runs.write(varint: 0)
            runs.write(varint: UInt64(run.count))
            runs.write(keys: run.keys)
            runs.write(same: Int64(run.life))
            runs.write(same: Int64(number(of: run.born)))
            for field in run.fields {
                if field.stamp == run.born {
                    runs.write(byte: PropertyForm.usual)
                } else {
                    runs.write(byte: PropertyForm.one)
                    runs.write(varint: UInt64(number(of: field.stamp)))
                }
                runs.write(byte: field.isDefault ? PropertyForm.one : PropertyForm.usual)
                runs.write(column: field.values)
            }
        }
    }

    mutating func write(_ left: [ObjectLeave]) {
        for run in left.runs(where: { $0.object.className.isSame(as: $1.object.className) && $0.reason == $1.reason }) {
            runs.write(byte: RunKind.left)
            write(name: run[run.startIndex].object.className)
            runs.write(byte: run[run.startIndex].reason.rawValue)
            runs.write(varint: UInt64(run.count))
            runs.write(keys: run.map(\.object.key))
        }
    }

    mutating func write(_ deleted: [ObjectEnd]) {
        for run in deleted.runs(where: { $0.object.className.isSame(as: $1.object.className) }) {
            runs.write(byte: RunKind.deleted)
            write(name: run[run.startIndex].object.className)
            runs.write(varint: UInt64(run.count))
            runs.write(keys: run.map(\.object.key))
            runs.write(integers: run.map { Int64($0.life) })
        }
    }

    mutating func write(_ refused: [OperationRefusal]) {
        guard !refused.isEmpty else { return }
        runs.write(byte: RunKind.refused)
        runs.write(varint: UInt64(refused.count))
        for refusal in refused {
            runs.write(varint: refusal.sequence)
            runs.write(varint: refusal.operation)
            runs.write(varint: UInt64(refusal.code))
            runs.write(string: refusal.reason)
        }
    }
}

/// The byte before each run.
enum RunKind {
    static let end: UInt8 = 0
    static let entered: UInt8 = 1
    static let updated: UInt8 = 2
    static let left: UInt8 = 3
    static let deleted: UInt8 = 4
    static let refused: UInt8 = 5
}

/// The byte before the stamps of one property, and before its default marks.
enum PropertyForm {
    /// Stamps: every one is the object's `born`. Marks: no value is a default.
    static let usual: UInt8 = 0
    /// Stamps: the same one for every object. Marks: every value is a default.
    static let one: UInt8 = 1
    /// An integer for each object: the stamp's number, or 1 for a default.
    static let each: UInt8 = 2
}

// MARK: - Objects with their state

extension ObjectsWriter {
    private func haveSameShape(_ left: ObjectContent, _ right: ObjectContent) -> Bool {
        left.object.className.isSame(as: right.object.className)
            && left.state.fields.count == right.state.fields.count
            && left.state.parts.count == right.state.parts.count
            && left.changes.count == right.changes.count
            && zip(left.state.fields, right.state.fields).allSatisfy { $0.property.isSame(as: $1.property) }
            && zip(left.state.parts, right.state.parts).allSatisfy {
                $0.property.isSame(as: $1.property) && $0.content.kind == $1.content.kind
            }
            && zip(left.changes, right.changes).allSatisfy { $0.property.isSame(as: $1.property) }
    }

    private mutating func write(run: ArraySlice<ObjectContent>, as kind: UInt8) {
        let shape = run[run.startIndex]
        runs.write(byte: kind)
        write(name: shape.object.className)
        runs.write(varint: UInt64(shape.state.fields.count))
        for field in shape.state.fields { write(name: field.property) }
        // Ordered by name, as the reader requires.
        let collections = shape.collections.sorted { $0.property.precedes($1.property) }
        runs.write(varint: UInt64(collections.count))
        for collection in collections { write(name: collection.property) }
        runs.write(varint: UInt64(run.count))
        runs.write(keys: run.map(\.object.key))
        runs.write(integers: run.map { Int64($0.state.life) })
        runs.write(integers: run.map { Int64(number(of: $0.state.born)) })
        for field in shape.state.fields.indices { write(field, of: run) }
        for collection in collections {
            switch collection.place {
            case .state(let index): for content in run { content.state.parts[index].content.write(to: &runs) }
            case .change(let index): for content in run { write(content.changes[index].edits) }
            }
        }
    }

    private mutating func write(_ edits: PartEdits) {
        version = Self.encodingVersion
        let numbers = edits.stamps.map { number(of: $0) }
        edits.write(to: &runs, stampNumbers: numbers)
    }

    private mutating func write(_ field: Int, of run: ArraySlice<ObjectContent>) {
        let first = run[run.startIndex].state.fields[field]
        if run.allSatisfy({ $0.state.fields[field].stamp == $0.state.born }) {
            runs.write(byte: PropertyForm.usual)
        } else if run.allSatisfy({ $0.state.fields[field].stamp == first.stamp }) {
            runs.write(byte: PropertyForm.one)
            runs.write(varint: UInt64(number(of: first.stamp)))
        } else {
            runs.write(byte: PropertyForm.each)
            runs.write(integers: run.map { Int64(number(of: $0.state.fields[field].stamp)) })
        }
        if run.allSatisfy({ $0.state.fields[field].isDefault == first.isDefault }) {
            runs.write(byte: first.isDefault ? PropertyForm.one : PropertyForm.usual)
        } else {
            runs.write(byte: PropertyForm.each)
            runs.write(integers: run.map { $0.state.fields[field].isDefault ? 1 : 0 })
        }
        runs.write(column: run.map { $0.state.fields[field].value })
    }
}

extension ObjectContent {
    /// Where the state of a list, set, map or text is, or what happened to it.
    fileprivate enum CollectionPlace {
        case state(Int)
        case change(Int)
    }

    fileprivate var collections: [(property: String, place: CollectionPlace)] {
        state.parts.enumerated().map { ($1.property, .state($0)) }
            + changes.enumerated().map { ($1.property, .change($0)) }
    }
}

// MARK: - Tables

extension ObjectsWriter {
    /// Writes the number of a known name, or the next number and then the name itself.
    private mutating func write(name: String) {
        if let number = names[name] {
            runs.write(varint: UInt64(number))
        } else {
            runs.write(varint: UInt64(names.count))
            runs.write(string: name)
            names[name] = names.count
        }
    }

    private mutating func number(of stamp: Stamp) -> Int {
        if let latest, latest.stamp == stamp { return latest.number }
        let number = stampNumbers[stamp] ?? stamps.count
        if number == stamps.count {
            stampNumbers[stamp] = number
            stamps.append(stamp)
        }
        latest = (stamp, number)
        return number
    }
}

extension ByteWriter {
    /// Writes each client once, and then the stamps: the numbers of their clients, and their times.
    fileprivate mutating func write(stampTable stamps: [Stamp]) {
        var clients: [ClientID] = []
        var clientNumbers: [ClientID: Int64] = [:]
        for stamp in stamps where clientNumbers[stamp.client] == nil {
            clientNumbers[stamp.client] = Int64(clients.count)
            clients.append(stamp.client)
        }
        write(varint: UInt64(clients.count))
        for client in clients { write(fixed64: client.rawValue) }
        write(varint: UInt64(stamps.count))
        write(integers: stamps.map { clientNumbers[$0.client] ?? 0 })
        write(integers: stamps.map { Int64(bitPattern: $0.time) })
    }
}

extension Array {
    /// The longest slices in which every element is alike the first one.
    fileprivate func runs(where areAlike: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
        var slices: [ArraySlice<Element>] = []
        var start = 0
        while start < count {
            var end = start + 1
            while end < count, areAlike(self[start], self[end]) { end += 1 }
            slices.append(self[start..<end])
            start = end
        }
        return slices
    }
}
