import CausewayModel

/// Reads what `OperationWriter` wrote.
struct OperationReader {
    var bytes: ByteReader
    private var names: [String] = []
    private var clients: [ClientID] = []
    private var counter: UInt64 = 0
    private let weightMax: Int
    private var weightLeft: Int
    private let operationsMax: Int
    private var operationsLeft: Int
    /// Whether creates before all other operations stay in columns.
    private let keepsColumns: Bool
    /// Whether the ids that a clear names are kept; they are not if only counts are wanted.
    var keepsIDs = true

    /// Whether the bytes that remain could be more operations, or weigh more, than allowed.
    var mayExceed: Bool {
        let cells = bytes.remaining.multipliedReportingOverflow(by: RunBound.cellsPerByteMax)
        let weight = cells.partialValue.multipliedReportingOverflow(by: RunBound.valueWeight)
        return cells.overflow || weight.overflow || cells.partialValue > operationsMax
            || weight.partialValue > weightMax
    }

    /// The weight of what was read.
    var weight: Int { weightMax - weightLeft }

    /// Client, sequence, stamp, base and the end: no changeset is shorter.
    static let changesetSizeMin = 13

    /// - Parameters: see `Changeset.decode`.
    init(
        _ bytes: [UInt8], from start: Int = 0, weightMax: Int, operationsMax: Int, keepsColumns: Bool
    ) {
        self.bytes = ByteReader(bytes, from: start, upTo: bytes.count)
        self.weightMax = weightMax
        weightLeft = weightMax
        self.operationsMax = operationsMax
        operationsLeft = operationsMax
        self.keepsColumns = keepsColumns
    }

    /// A reader of operations that goes on where another reader stands.
    init(_ bytes: ByteReader, weightMax: Int) {
        self.bytes = bytes
        self.weightMax = weightMax
        weightLeft = weightMax
        operationsMax = weightMax / RunBound.operationWeight
        operationsLeft = operationsMax
        keepsColumns = false
    }

    mutating func readHeader() throws(EncodingError) -> Changeset {
        let client = try readClient()
        let sequence = try bytes.readVarint()
        let time = try bytes.readFixed64()
        let stamp = Stamp(time: time, client: try readClient())
        let base = ServerVersion(try bytes.readVarint())
        return Changeset(client: client, sequence: sequence, stamp: stamp, base: base, operations: [])
    }

    /// - Parameter count: the number of operations after the creates in columns, if it was counted.
    mutating func readOperations(of changeset: inout Changeset, count: Int?) throws(EncodingError) {
        var creations: [CreationRun] = []
        var operations: [Operation] = []
        operations.reserveCapacity(count ?? 0)
        while true {
            let tag = try bytes.readByte()
            switch tag {
            case RunTag.end:
                changeset = Changeset(
                    client: changeset.client, sequence: changeset.sequence, stamp: changeset.stamp,
                    base: changeset.base, lastSeen: changeset.lastSeen, creations: creations, operations: operations)
                return
            case RunTag.lastSeen, RunTag.lastSeenInRun:
                let lastSeen = try readLastSeen(tag)
                guard creations.isEmpty, operations.isEmpty else {
                    throw bytes.malformed("what was last seen earlier does not stand in front of the operations")
                }
                if let previous = changeset.lastSeen.last, previous.rank >= lastSeen.rank {
                    throw bytes.malformed("what was last seen earlier does not stand in the order of the server's runs")
                }
                changeset.lastSeen.append(lastSeen)
            case RunTag.creates:
                let run = try readCreates(weight: valueWeight(behind: operations.count))
                if operations.isEmpty { creations.append(run) } else { operations += run.operations }
            case RunTag.sets: try readSets(into: &operations)
            case RunTag.deletes: try readDeletes(into: &operations)
            case RunTag.list: try readList(into: &operations)
            case RunTag.keyed: try readKeyed(into: &operations)
            case RunTag.additions: try readAdditions(into: &operations)
            case RunTag.text: try readText(into: &operations)
            default: throw bytes.malformed("\(tag) is no kind of operation")
            }
        }
    }

    /// - Parameter tag: `RunTag.lastSeen` or `RunTag.lastSeenInRun`.
    mutating func readLastSeen(_ tag: UInt8) throws(EncodingError) -> Changeset.LastSeen {
        let run = tag == RunTag.lastSeenInRun ? try bytes.readFixed64() : nil
        let version = ServerVersion(try bytes.readVarint())
        let count = try bytes.readCount(minimumBytesEach: 2)
        try weigh(count)
        var objects: Set<ObjectReference> = []
        for _ in 0..<count { objects.insert(ObjectReference(try readName(), try bytes.readPrimaryKey())) }
        return Changeset.LastSeen(version, of: run, objects)
    }

    /// - Parameter weight: of a value.
    private mutating func readCreates(weight: Int) throws(EncodingError) -> CreationRun {
        let className = try readName()
        let life = try readLife(isAlive: true)
        let columnCount = try bytes.readCount(minimumBytesEach: 2)
        var properties: [(name: String, isDefault: Bool)] = []
        properties.reserveCapacity(columnCount)
        for _ in 0..<columnCount { properties.append(try readProperty()) }

        var body = try readBody(columnCount: columnCount, valueWeight: weight)
        let keys = try body.bytes.readKeyColumn(count: body.rowCount)
        var fields: [CreationRun.Field] = []
        fields.reserveCapacity(columnCount)
        for property in properties {
            let values = try body.bytes.readSparseColumn(count: body.rowCount)
            fields.append(CreationRun.Field(property.name, values, isDefault: property.isDefault))
        }
        try finish(body)
        return CreationRun(className: className, life: life, keys: keys, fields: fields)
    }

    private mutating func readSets(into operations: inout [Operation]) throws(EncodingError) {
        let className = try readName()
        let property = try readProperty()
        var body = try readBody(columnCount: 1)
        let keys = try body.bytes.readKeys(count: body.rowCount)
        let values = try body.bytes.readColumn(count: body.rowCount)
        try finish(body)
        for (key, value) in zip(keys, values) {
            let field = FieldValue(property.name, value, isDefault: property.isDefault)
            operations.append(.set(ObjectReference(className, key), field))
        }
    }

    private mutating func readAdditions(into operations: inout [Operation]) throws(EncodingError) {
        let className = try readName()
        let property = try readName()
        var body = try readBody(columnCount: 1)
        let keys = try body.bytes.readKeys(count: body.rowCount)
        let amounts = try body.bytes.readColumn(count: body.rowCount)
        try finish(body)
        for (key, amount) in zip(keys, amounts) {
            guard case .int(let amount) = amount else {
                throw bytes.malformed("what is added to a counter is no integer")
            }
            operations.append(.add(ObjectReference(className, key), property: property, Addition(amount)))
        }
    }

    private mutating func readDeletes(into operations: inout [Operation]) throws(EncodingError) {
        let className = try readName()
        let life = try readLife(isAlive: false)
        var body = try readBody(columnCount: 0)
        let keys = try body.bytes.readKeys(count: body.rowCount)
        try finish(body)
        for key in keys { operations.append(.delete(ObjectReference(className, key), life: life)) }
    }
}

// MARK: - Bodies of runs

extension OperationReader {
    struct Body {
        var bytes: ByteReader
        var rowCount: Int
    }

    /// Refuses a run that names more values than its length allows, before memory is reserved for them.
    ///
    /// - Parameter valueWeight: the weight of each value beside its operation; zero for a set, whose value is included.
    mutating func readBody(
        columnCount: Int, valueWeight: Int = 0
    ) throws(EncodingError) -> Body {
        let rowCount = try bytes.readVarint()
        let part = try bytes.readPart(sizeBytes: bytes.readLength())
        guard rowCount > 0, rowCount <= UInt64(RunBound.rowsMax),
            Int(rowCount) * (columnCount + 1) <= RunBound.cellsPerByteMax * part.remaining
        else { throw bytes.malformed("a run of \(rowCount) objects has \(part.remaining) bytes") }
        // No overflow: each column takes bytes, which bounds their number.
        try weigh(Int(rowCount), valuesWeight: columnCount * valueWeight)
        return Body(bytes: part, rowCount: Int(rowCount))
    }

    /// The weight of a value of created objects after some operations of the same changeset. Creates before all other
    /// operations stay in columns; elsewhere they are made one by one.
    func valueWeight(behind operations: Int) -> Int {
        keepsColumns && operations == 0 ? RunBound.columnValueWeight : RunBound.valueWeight
    }

    /// Counts operations against the bounds, before memory is taken for them. Throws `tooMuch` beyond a bound.
    mutating func weigh(_ operations: Int, valuesWeight: Int = 0) throws(EncodingError) {
        guard operations <= operationsLeft else {
            throw EncodingError(
                .tooMuch,
                "One message of changes may hold \(operationsMax) operations, and this one holds more: write them in "
                    + "several transactions.",
                offset: bytes.offset)
        }
        operationsLeft -= operations
        let (weight, overflow) = operations.multipliedReportingOverflow(by: RunBound.operationWeight + valuesWeight)
        try take(overflow ? .max : weight)
    }

    private mutating func take(_ weight: Int) throws(EncodingError) {
        guard weight <= weightLeft else {
            throw EncodingError(
                .tooMuch,
                "What one message of changes holds may weigh \(weightMax), and this one's weighs more: an operation "
                    + "\(RunBound.operationWeight), a value of a new object \(RunBound.columnValueWeight), or "
                    + "\(RunBound.valueWeight) behind other operations, an element that is cleared "
                    + "\(RunBound.clearedWeight). Write it in several transactions.",
                offset: bytes.offset)
        }
        weightLeft -= weight
    }

    /// Checks that only the filling follows the columns.
    private func finish(_ body: Body) throws(EncodingError) {
        var rest = body.bytes
        while !rest.isAtEnd {
            guard try rest.readByte() == 0 else { throw rest.malformed("a run goes on after its columns") }
        }
    }
}

// MARK: - Lists

extension OperationReader {
    private mutating func readList(into operations: inout [Operation]) throws(EncodingError) {
        let className = try readName()
        let target = ObjectReference(className, try bytes.readPrimaryKey())
        let property = try readName()
        try readListRun { operations.append(.list(target, property: property, $0)) }
    }

    /// Reads how many operations follow, and the operations.
    mutating func readListRun(_ take: (ListOperation) -> Void) throws(EncodingError) {
        let count = try bytes.readCount(minimumBytesEach: 2)
        guard count > 0 else { throw bytes.malformed("a run of list operations is empty") }
        try weigh(count)
        var neighbours = Neighbours()
        for _ in 0..<count { take(try readListOperation(&neighbours)) }
    }

    mutating func readListOperation(_ neighbours: inout Neighbours) throws(EncodingError) -> ListOperation {
        let tag = try bytes.readByte()
        let leftForm = tag >> ListTag.leftShift & 0b11
        let rightForm = tag >> ListTag.rightShift & 0b11
        guard tag >> 7 == 0 else { throw bytes.malformed("\(tag) is no list operation") }
        switch tag & ListTag.kindMask {
        case ListTag.insert:
            let id = try readID()
            let left = try readOrigin(leftForm, previous: neighbours.made)
            let right = try readOrigin(rightForm, previous: neighbours.right)
            neighbours = Neighbours(made: id, right: right)
            return .insert(id, left: left, right: right, value: try bytes.readValue())
        case ListTag.move:
            let position = try readID()
            let left = try readOrigin(leftForm, previous: neighbours.made)
            let right = try readOrigin(rightForm, previous: neighbours.right)
            neighbours = Neighbours(made: position, right: right)
            return .move(try readID(), position: position, left: left, right: right)
        case ListTag.delete where tag == ListTag.delete:
            return .delete(try readID())
        case ListTag.set where tag == ListTag.set:
            let id = try readID()
            return .set(id, value: try bytes.readValue())
        case ListTag.clear where tag == ListTag.clear:
            let count = try bytes.readCount(minimumBytesEach: 2)
            // The elements that it names take memory and time, but are no operations.
            try take(count * RunBound.clearedWeight)
            if !keepsIDs {
                for _ in 0..<count { _ = try readID() }
                return .clear([])
            }
            var ids: [ElementID] = []
            ids.reserveCapacity(count)
            for _ in 0..<count { ids.append(try readID()) }
            return .clear(ids)
        default:
            throw bytes.malformed("\(tag) is no list operation")
        }
    }

    private mutating func readOrigin(_ form: UInt8, previous: ElementID?) throws(EncodingError) -> ElementID? {
        switch form {
        case ListTag.Origin.none: return nil
        case ListTag.Origin.written: return try readID()
        case ListTag.Origin.previous:
            guard let previous else { throw bytes.malformed("an origin refers to an operation that is not there") }
            return previous
        default: throw bytes.malformed("an origin has no known form")
        }
    }
}

// MARK: - Sets and maps

extension OperationReader {
    private mutating func readKeyed(into operations: inout [Operation]) throws(EncodingError) {
        let className = try readName()
        let target = ObjectReference(className, try bytes.readPrimaryKey())
        let property = try readName()
        try readKeyedRun { operations.append(.keyed(target, property: property, $0)) }
    }

    mutating func readKeyedRun(_ take: (KeyedOperation) -> Void) throws(EncodingError) {
        let count = try bytes.readCount(minimumBytesEach: 2)
        guard count > 0 else { throw bytes.malformed("a run of operations on a set or a map is empty") }
        try weigh(count)
        for _ in 0..<count {
            let tag = try bytes.readByte()
            let key = try bytes.readValue()
            switch tag {
            case KeyedTag.put: take(.put(key: key, value: try bytes.readValue()))
            case KeyedTag.remove: take(.remove(key: key))
            default: throw bytes.malformed("\(tag) is no operation on a set or a map")
            }
        }
    }
}

// MARK: - Texts

extension OperationReader {
    private mutating func readText(into operations: inout [Operation]) throws(EncodingError) {
        let className = try readName()
        let target = ObjectReference(className, try bytes.readPrimaryKey())
        let property = try readName()
        try readTextRun { operations.append(.text(target, property: property, $0)) }
    }

    mutating func readTextRun(_ take: (TextOperation) -> Void) throws(EncodingError) {
        let count = try bytes.readCount(minimumBytesEach: 3)
        guard count > 0 else { throw bytes.malformed("a run of operations on a text is empty") }
        try weigh(count)
        var neighbours = Neighbours()
        for _ in 0..<count { take(try readTextOperation(&neighbours)) }
    }

    mutating func readTextOperation(_ neighbours: inout Neighbours) throws(EncodingError) -> TextOperation {
        let tag = try bytes.readByte()
        guard tag >> 7 == 0 else { throw bytes.malformed("\(tag) is no operation on a text") }
        switch tag & ListTag.kindMask {
        case TextTag.insert:
            let id = try readID()
            let left = try readOrigin(tag >> ListTag.leftShift & 0b11, previous: neighbours.made)
            let right = try readOrigin(tag >> ListTag.rightShift & 0b11, previous: neighbours.right)
            let text = try bytes.readString()
            guard !text.isEmpty, !id.counter.addingReportingOverflow(UInt64(text.utf8.count)).overflow else {
                throw bytes.malformed("a run of a text has no scalars or no ids for them")
            }
            neighbours = Neighbours(made: id.last(of: text), right: right)
            return .insert(id, left: left, right: right, text: text)
        case TextTag.delete where tag == TextTag.delete:
            let id = try readID()
            let count = try bytes.readVarint()
            guard count > 0, count <= UInt64(Int32.max), !id.counter.addingReportingOverflow(count).overflow else {
                throw bytes.malformed("a delete of a text removes \(count) scalars")
            }
            return .delete(id, count: Int(count))
        default:
            throw bytes.malformed("\(tag) is no operation on a text")
        }
    }
}

// MARK: - Names

extension OperationReader {
    mutating func readName() throws(EncodingError) -> String {
        let number = try bytes.readVarint()
        if number < UInt64(names.count) { return names[Int(number)] }
        guard number == UInt64(names.count) else { throw bytes.malformed("a name's number is not known yet") }
        let name = try bytes.readString()
        names.append(name)
        return name
    }

    mutating func readProperty() throws(EncodingError) -> (name: String, isDefault: Bool) {
        let name = try readName()
        let flag = try bytes.readByte()
        guard flag <= 1 else { throw bytes.malformed("\(flag) does not say whether a value is a default") }
        return (name, flag == 1)
    }

    mutating func readLife(isAlive: Bool) throws(EncodingError) -> UInt32 {
        let life = try bytes.readVarint()
        guard life > 0, life <= UInt64(Operation.lifeMax), (life % 2 == 1) == isAlive else {
            throw bytes.malformed("\(life) is not a life that such an operation reaches")
        }
        return UInt32(life)
    }

    private mutating func readClient() throws(EncodingError) -> ClientID {
        let number = try bytes.readVarint()
        if number < UInt64(clients.count) { return clients[Int(number)] }
        guard number == UInt64(clients.count) else { throw bytes.malformed("a client's number is not known yet") }
        let client = ClientID(try bytes.readFixed64())
        clients.append(client)
        return client
    }

    private mutating func readID() throws(EncodingError) -> ElementID {
        let client = try readClient()
        counter = counter &+ UInt64(bitPattern: try bytes.readSigned())
        return ElementID(client: client, counter: counter)
    }
}
