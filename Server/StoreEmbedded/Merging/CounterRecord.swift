import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What the server stores of a counter besides its value and stamp.
struct CounterRecord: Hashable {
    /// What was added since the object was created; zero once the counter was set.
    var sum: Int64 = 0
    /// The version that set it last; zero when only its object's creation gave it a value.
    var setVersion = ServerVersion.zero

    static func load(
        _ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction
    ) throws(StoreFailure) -> CounterRecord {
        guard let bytes = transaction.tree(Layout.counters).get(Layout.list(classNumber, column, key)) else {
            return CounterRecord()
        }
        do {
            var reader = ByteReader(bytes)
            return CounterRecord(sum: try reader.readSigned(), setVersion: ServerVersion(try reader.readVarint()))
        } catch {
            throw StoreFailure(damaged: Layout.counters, error)
        }
    }

    func save(_ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction) {
        guard self != CounterRecord() else {
            return Self.remove(classNumber, column, key, in: transaction)
        }
        var writer = ByteWriter()
        writer.write(signed: sum)
        writer.write(varint: setVersion.rawValue)
        transaction.tree(Layout.counters).put(Layout.list(classNumber, column, key), writer.bytes)
    }

    static func remove(_ classNumber: Int, _ column: Int, _ key: ObjectKey, in transaction: Transaction) {
        transaction.tree(Layout.counters).remove(Layout.list(classNumber, column, key))
    }
}

extension Merging {
    func loadCounter(_ column: Int, of object: WorkingObject, _ key: ObjectKey) throws(StoreFailure) {
        let record = try CounterRecord.load(object.name.classNumber, column, key, in: transaction)
        let name = object.plan.schema.properties[column].name
        object.state.setSum(of: name, to: record.sum)
        object.setVersions[column] = record.setVersion
    }

    /// C5: an addition of a writer that does not know stamps was made on the current set, if the writer had seen that
    /// set.
    func based(
        _ addition: Addition, _ object: WorkingObject, _ column: Int, seen: ServerVersion
    ) -> Addition {
        let standing = object.state.base(ofAdditionsTo: object.plan.schema.properties[column].name)
        // A counter that its object's creation set explicitly has no version of its own.
        let known = object.setVersions[column] ?? .zero
        let setVersion = known == .zero ? object.stamps?.bornVersion ?? version : known
        let hasSeen = standing == .zero || isOwn(standing.client, in: setVersion) || seen >= setVersion
        return Addition(addition.amount, base: hasSeen ? standing : .zero)
    }

    /// Notes which counters an operation has set.
    func noteSets(of object: WorkingObject, _ before: [Stamp]) {
        for (column, stamp) in zip(object.plan.counterColumns, before) {
            let standing = object.state.base(ofAdditionsTo: object.plan.schema.properties[column].name)
            if standing != stamp { object.setVersions[column] = standing == .zero ? .zero : version }
        }
    }

    /// The base that additions to each of the class's counters need, for ``noteSets(of:_:)``.
    func standingSets(of object: WorkingObject) -> [Stamp] {
        object.plan.counterColumns.map {
            object.state.base(ofAdditionsTo: object.plan.schema.properties[$0].name)
        }
    }

    func saveCounters(of object: WorkingObject, _ key: ObjectKey) {
        for column in object.plan.counterColumns where object.columns.contains(column) {
            let name = object.plan.schema.properties[column].name
            CounterRecord(sum: object.state.sum(of: name), setVersion: object.setVersions[column] ?? .zero)
                .save(object.name.classNumber, column, key, in: transaction)
        }
    }
}
