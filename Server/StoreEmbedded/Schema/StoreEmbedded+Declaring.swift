import CausewayModel
import CausewayObjectStore
import CausewayStore
import Synchronization

// Who adds to the schema, how much of it, and what devices still declare. The operator goes by this when removing what
// nobody uses.

/// When schemas were noted as declared, by their fingerprints: most hellos need not look.
struct DeclaredSchemas {
    private var times: [UInt64: UInt64] = [:]

    private static let countMax = 1_000

    func isStale(_ fingerprint: UInt64, at time: UInt64) -> Bool {
        times[fingerprint].map { time >= $0 + DeclaredElement.notedEveryMilliseconds } ?? true
    }

    mutating func note(_ fingerprint: UInt64, at time: UInt64) {
        if times.count >= Self.countMax { times = [:] }
        times[fingerprint] = time
    }
}

extension StoreEmbedded {
    /// Notes that a device has declared a schema that is part of the server's.
    func note(_ schema: Schema, by declarer: Declarer?) throws(StoreFailure) {
        guard let declarer else { return }
        let fingerprint = schema.nameFingerprint
        guard declared.withLock({ $0.isStale(fingerprint, at: declarer.time) }) else { return }
        if try isStale(schema, at: declarer.time) {
            do throws(StoreFailure) {
                try write(Self.repeatable) { transaction, _ throws(StoreFailure) in
                    try DeclaredTree(in: transaction).note(schema, over: transaction.schema, by: declarer)
                    return ((), true)
                }
            } catch {
                // A full disk is no reason to refuse a device: a later hello notes it.
                guard error.code == .outOfSpace else { throw error }
                return
            }
        }
        declared.withLock { $0.note(fingerprint, at: declarer.time) }
    }

    private func isStale(_ schema: Schema, at time: UInt64) throws(StoreFailure) -> Bool {
        try read { reading throws(StoreFailure) in try DeclaredTree(in: reading).isStale(schema, at: time) }
    }
}

extension SchemaBounds {
    /// Refuses additions beyond the bounds.
    func check(
        _ declared: Schema, over before: Schema, by declarer: Declarer?, _ elements: DeclaredTree
    ) throws(StoreFailure) {
        let added = declared.sizeOfAdditions(to: before)
        let present = before.withoutNestedCollections
        let properties = present.classes.reduce(0) { $0 + $1.properties.count }
        try check(
            added, to: (present.classes.count, properties), within: (classes, properties: self.properties),
            "the database", ("schemaClasses", "schemaProperties"))
        guard let declarer else { return }
        let own = try elements.count(of: declarer.user)
        let share = (
            classes: Self.share(classesOfUser, of: classes, besides: present.classes.count - own.classes),
            properties: Self.share(propertiesOfUser, of: self.properties, besides: properties - own.properties)
        )
        try check(
            added, to: own, within: share,
            "what this user has added", ("schemaClassesOfUser", "schemaPropertiesOfUser"))
    }

    private typealias Size = (classes: Int, properties: Int)

    private func check(
        _ added: Size, to present: Size, within bounds: Size, _ what: String, _ keys: (String, String)
    ) throws(StoreFailure) {
        func refuse(_ added: Int, _ present: Int, _ bound: Int, _ unit: String, _ key: String) -> StoreFailure {
            StoreFailure(
                .schemaMismatch,
                "The device's schema would add \(added) \(unit) to the server's, but \(what) has \(present) of at most "
                    + "\(bound). Ask the operator to take back what no device declares any more (sync-server schema), or "
                    + "to raise limits.\(key).")
        }
        if added.classes > 0, present.classes + added.classes > bounds.classes {
            throw refuse(added.classes, present.classes, bounds.classes, "classes", keys.0)
        }
        if added.properties > 0, present.properties + added.properties > bounds.properties {
            throw refuse(added.properties, present.properties, bounds.properties, "properties", keys.1)
        }
    }
}

extension Schema {
    /// How many classes and properties it adds to another one.
    fileprivate func sizeOfAdditions(to before: Schema) -> (classes: Int, properties: Int) {
        var size = (classes: 0, properties: 0)
        for classSchema in classes {
            let present = before[classSchema.name]
            if present == nil { size.classes += 1 }
            size.properties += classSchema.properties.count { present?.index(of: $0.name) == nil }
        }
        return size
    }

    var nameFingerprint: UInt64 {
        var fingerprint = Fingerprint()
        for classSchema in classes {
            fingerprint.add(classSchema.name)
            for property in classSchema.properties { fingerprint.add(property.name) }
            fingerprint.add("")
        }
        return fingerprint.value
    }
}
