import CausewayModel

/// Writes operations in runs of equal shape: names of classes, properties and clients once, values by column.
struct OperationWriter {
    var bytes = ByteWriter()
    private var names: ExactDictionary<Int> = [:]
    private var clients: [ClientID: Int] = [:]
    /// The counter of the id written last: ids are written as differences.
    private var counter: UInt64 = 0

    mutating func write(header changeset: Changeset) {
        write(changeset.client)
        bytes.write(varint: changeset.sequence)
        bytes.write(fixed64: changeset.stamp.time)
        write(changeset.stamp.client)
        bytes.write(varint: changeset.base.rawValue)
    }

    mutating func writeOperations(of changeset: Changeset) {
        for lastSeen in changeset.lastSeen { write(lastSeen) }
        for run in changeset.creations { write(run) }
        let operations = changeset.others
        var start = 0
        while start < operations.count {
            start = writeRun(operations, from: start)
        }
        bytes.write(byte: RunTag.end)
    }

    private mutating func write(_ lastSeen: Changeset.LastSeen) {
        bytes.write(byte: lastSeen.run == nil ? RunTag.lastSeen : RunTag.lastSeenInRun)
        if let run = lastSeen.run { bytes.write(fixed64: run) }
        bytes.write(varint: lastSeen.version.rawValue)
        bytes.write(varint: UInt64(lastSeen.objects.count))
        for object in lastSeen.objects.sorted(by: { ($0.className, $0.key) < ($1.className, $1.key) }) {
            write(name: object.className)
            bytes.write(object.key)
        }
    }

    /// Writes the longest run that begins at `start`; returns where the next one begins.
    private mutating func writeRun(_ operations: [Operation], from start: Int) -> Int {
        switch operations[start] {
        case .create(let target, let life, let fields):
            var keys = [target.key]
            var rows = [fields]
            let end = extend(operations, from: start) { operation in
                guard case .create(let next, life, let nextFields) = operation,
                    next.className.isSame(as: target.className),
                    haveSameProperties(fields, nextFields)
                else { return false }
                keys.append(next.key)
                rows.append(nextFields)
                return true
            }
            let columns = fields.indices.map { column in
                CreationRun.Field(
                    fields[column].property, SparseColumn(rows.map { $0[column].value }),
                    isDefault: fields[column].isDefault)
            }
            write(CreationRun(className: target.className, life: life, keys: KeyColumn(keys), fields: columns))
            return end
        case .set(let target, let field):
            var keys = [target.key]
            var values = [field.value]
            let end = extend(operations, from: start) { operation in
                guard case .set(let next, let nextField) = operation, next.className.isSame(as: target.className),
                    nextField.property.isSame(as: field.property), nextField.isDefault == field.isDefault
                else { return false }
                keys.append(next.key)
                values.append(nextField.value)
                return true
            }
            bytes.write(byte: RunTag.sets)
            write(name: target.className)
            write(property: field.property, isDefault: field.isDefault)
            writeBody(KeyColumn(keys), columnCount: 1) { $0.write(column: values) }
            return end
        case .delete(let target, let life):
            var keys = [target.key]
            let end = extend(operations, from: start) { operation in
                guard case .delete(let next, life) = operation, next.className.isSame(as: target.className)
                else { return false }
                keys.append(next.key)
                return true
            }
            precondition(life % 2 == 0 && life > 0, "A delete reaches an even life, not \(life).")
            bytes.write(byte: RunTag.deletes)
            write(name: target.className)
            bytes.write(varint: UInt64(life))
            writeBody(KeyColumn(keys), columnCount: 0) { _ in }
            return end
        case .list(let target, let property, let operation):
            var run = [operation]
            let end = extend(operations, from: start, upTo: .max) { operation in
                guard case .list(target, property, let next) = operation else { return false }
                run.append(next)
                return true
            }
            write(target, property, run)
            return end
        case .keyed(let target, let property, let operation):
            var run = [operation]
            let end = extend(operations, from: start, upTo: .max) { operation in
                guard case .keyed(target, property, let next) = operation else { return false }
                run.append(next)
                return true
            }
            write(target, property, run)
            return end
        case .add(let target, let property, let addition):
            var keys = [target.key]
            var amounts = [Value.int(addition.amount)]
            let end = extend(operations, from: start) { operation in
                guard case .add(let next, property, let addition) = operation,
                    next.className.isSame(as: target.className)
                else { return false }
                keys.append(next.key)
                amounts.append(.int(addition.amount))
                return true
            }
            bytes.write(byte: RunTag.additions)
            write(name: target.className)
            write(name: property)
            writeBody(KeyColumn(keys), columnCount: 1) { $0.write(column: amounts) }
            return end
        case .text(let target, let property, let operation):
            var run = [operation]
            let end = extend(operations, from: start, upTo: .max) { operation in
                guard case .text(target, property, let next) = operation else { return false }
                run.append(next)
                return true
            }
            write(target, property, run)
            return end
        }
    }

    private func extend(
        _ operations: [Operation], from start: Int, upTo rowsMax: Int = RunBound.rowsMax, _ take: (Operation) -> Bool
    ) -> Int {
        var end = start + 1
        while end < operations.count, end - start < rowsMax, take(operations[end]) { end += 1 }
        return end
    }

    private func haveSameProperties(_ left: [FieldValue], _ right: [FieldValue]) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices
        where left[index].isDefault != right[index].isDefault || !left[index].property.isSame(as: right[index].property)
        {
            return false
        }
        return true
    }

    private mutating func write(_ run: CreationRun) {
        precondition(run.life % 2 == 1, "A create reaches an odd life, not \(run.life).")
        precondition(run.count <= RunBound.rowsMax, "A run of \(run.count) objects is too long.")
        bytes.write(byte: RunTag.creates)
        write(name: run.className)
        bytes.write(varint: UInt64(run.life))
        bytes.write(varint: UInt64(run.fields.count))
        for field in run.fields { write(property: field.property, isDefault: field.isDefault) }
        writeBody(run.keys, columnCount: run.fields.count) { body in
            for field in run.fields { body.write(column: field.values) }
        }
    }

    /// The number of rows, then the keys and columns as a part of known length, long enough for its cells.
    private mutating func writeBody(_ keys: KeyColumn, columnCount: Int, _ columns: (inout ByteWriter) -> Void) {
        var body = ByteWriter()
        body.write(keys: keys)
        columns(&body)
        let sizeMin = (keys.count * (columnCount + 1) + RunBound.cellsPerByteMax - 1) / RunBound.cellsPerByteMax
        if body.bytes.count < sizeMin {
            body.bytes.append(contentsOf: repeatElement(0, count: sizeMin - body.bytes.count))
        }
        bytes.write(varint: UInt64(keys.count))
        bytes.write(bytes: body.bytes)
    }
}

// MARK: - Lists

extension OperationWriter {
    /// Writes the head of a run whose operations are all on one list, set, map or text.
    private mutating func writeHead(_ tag: UInt8, _ target: ObjectReference, _ property: String, count: Int) {
        bytes.write(byte: tag)
        write(name: target.className)
        bytes.write(target.key)
        write(name: property)
        bytes.write(varint: UInt64(count))
    }

    private mutating func write(_ target: ObjectReference, _ property: String, _ run: [ListOperation]) {
        writeHead(RunTag.list, target, property, count: run.count)
        write(run: run)
    }

    mutating func write(run: [ListOperation]) {
        var neighbours = Neighbours()
        for operation in run {
            switch operation {
            case .insert(let id, let left, let right, let value):
                write(ListTag.insert, id, neighbours, left, right)
                bytes.write(value)
                neighbours = Neighbours(made: id, right: right)
            case .move(let id, let position, let left, let right):
                write(ListTag.move, position, neighbours, left, right)
                write(id)
                neighbours = Neighbours(made: position, right: right)
            case .delete(let id):
                bytes.write(byte: ListTag.delete)
                write(id)
            case .set(let id, let value):
                bytes.write(byte: ListTag.set)
                write(id)
                bytes.write(value)
            case .clear(let ids):
                bytes.write(byte: ListTag.clear)
                bytes.write(varint: UInt64(ids.count))
                for id in ids { write(id) }
            }
        }
    }

    private mutating func write(
        _ kind: UInt8, _ made: ElementID, _ neighbours: Neighbours, _ left: ElementID?, _ right: ElementID?
    ) {
        let leftForm = form(left, previous: neighbours.made)
        let rightForm = form(right, previous: neighbours.right)
        bytes.write(byte: kind | leftForm << ListTag.leftShift | rightForm << ListTag.rightShift)
        write(made)
        if let left, leftForm == ListTag.Origin.written { write(left) }
        if let right, rightForm == ListTag.Origin.written { write(right) }
    }

    private func form(_ origin: ElementID?, previous: ElementID?) -> UInt8 {
        guard let origin else { return ListTag.Origin.none }
        return origin == previous ? ListTag.Origin.previous : ListTag.Origin.written
    }
}

// MARK: - Sets and maps

extension OperationWriter {
    private mutating func write(_ target: ObjectReference, _ property: String, _ run: [KeyedOperation]) {
        writeHead(RunTag.keyed, target, property, count: run.count)
        write(run: run)
    }

    mutating func write(run: [KeyedOperation]) {
        for operation in run {
            switch operation {
            case .put(let key, let value):
                bytes.write(byte: KeyedTag.put)
                bytes.write(key)
                bytes.write(value)
            case .remove(let key):
                bytes.write(byte: KeyedTag.remove)
                bytes.write(key)
            }
        }
    }
}

// MARK: - Texts

extension OperationWriter {
    private mutating func write(_ target: ObjectReference, _ property: String, _ run: [TextOperation]) {
        writeHead(RunTag.text, target, property, count: run.count)
        write(run: run)
    }

    mutating func write(run: [TextOperation]) {
        var neighbours = Neighbours()
        for operation in run {
            switch operation {
            case .insert(let id, let left, let right, let text):
                write(TextTag.insert, id, neighbours, left, right)
                bytes.write(string: text)
                neighbours = Neighbours(made: id.last(of: text), right: right)
            case .delete(let id, let count):
                precondition(count > 0, "A delete of a text removes something.")
                bytes.write(byte: TextTag.delete)
                write(id)
                bytes.write(varint: UInt64(count))
            }
        }
    }
}

extension ElementID {
    /// The id of the last scalar of a run whose first one has this id.
    func last(of text: String) -> ElementID {
        ElementID(client: client, counter: counter &+ UInt64(text.unicodeScalars.count) &- 1)
    }
}

/// The ids that the next operation on a list or text can refer to without writing them.
struct Neighbours {
    var made: ElementID?
    var right: ElementID?
}

// MARK: - Names

extension OperationWriter {
    /// Writes the number of a name, or the next number and then the name itself.
    private mutating func write(name: String) {
        if let number = names[name] {
            bytes.write(varint: UInt64(number))
        } else {
            bytes.write(varint: UInt64(names.count))
            bytes.write(string: name)
            names[name] = names.count
        }
    }

    private mutating func write(property: String, isDefault: Bool) {
        write(name: property)
        bytes.write(byte: isDefault ? 1 : 0)
    }

    private mutating func write(_ client: ClientID) {
        if let number = clients[client] {
            bytes.write(varint: UInt64(number))
        } else {
            bytes.write(varint: UInt64(clients.count))
            bytes.write(fixed64: client.rawValue)
            clients[client] = clients.count
        }
    }

    private mutating func write(_ id: ElementID) {
        write(id.client)
        bytes.write(signed: Int64(bitPattern: id.counter &- counter))
        counter = id.counter
    }
}
