import CausewayMerge
import CausewayModel
import CausewayObjectStore
@testable import CausewayOpLog
import CausewayOperations

/// A device's file with its replica; sending and receiving are function calls.
final class Device {
    let store: ObjectStore
    private(set) var replica: Replica
    let client: ClientID
    /// What its wall clock is ahead of everybody's.
    var clockSkew: Int64 = 0
    /// The view it asks for, and the one it holds.
    var wanted: View
    var held = View.nothing

    init(
        _ number: UInt64, wanted: View = .everything, schema: Schema = testSchema, opening: UInt64 = 0
    ) throws {
        client = ClientID(number)
        self.wanted = wanted
        store = try ObjectStore.open(
            path: "device-\(number)-\(UInt64.random(in: 0 ... .max))", options: .init(inMemory: true))
        let transaction = try store.write()
        try transaction.extendSchema(schema)
        replica = try Replica.open(in: transaction, newClient: ClientID(number), opening: opening)
        _ = try transaction.commit()
        transaction.end()
    }

    /// Opens the file once more.
    func reopen(as opening: UInt64) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        replica = try Replica.open(in: transaction, newClient: .nobody, opening: opening)
        _ = try transaction.commit()
    }

    /// A transaction of the app.
    func write(at time: UInt64 = 1_000, _ body: (Transaction) throws -> Void) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        try body(transaction)
        try replica.record(in: transaction, now: UInt64(Int64(time) + clockSkew))
        _ = try transaction.commit()
    }

    func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        let transaction = try store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    // MARK: - Sync

    var state: ReplicaState { get throws { try read { try replica.state(in: $0) } } }

    func pending(after sequence: UInt64 = 0) throws -> [Changeset] {
        try read { try replica.pending(in: $0, after: sequence, limitBytes: .max) }
    }

    /// Applies one view change, in one transaction.
    func apply(_ change: ViewChange) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        let view = try replica.beginApplying(acknowledged: change.acknowledged, in: transaction)
        for message in change.messages {
            switch message {
            case .enter(let object, let state): try view.enter(object, state)
            case .update(let object, let state): try view.update(object, state)
            case .leave(let object): try view.leave(object)
            case .delete(let object, let life): try view.delete(object, life: life)
            }
        }
        try view.finish(epoch: 1, version: change.version, querySet: 1, incarnation: change.run)
        _ = try transaction.commit()
        held = change.view
    }

    // MARK: - What the app sees

    /// Every object that is here, embedded ones as far as another holds them.
    var visible: [ObjectReference: VisibleObject] {
        get throws {
            try read { transaction in
                var found: [ObjectReference: VisibleObject] = [:]
                for table in transaction.tables {
                    for key in table.allKeys {
                        if table.schema.kind == .embedded, table.backlinkCount(to: key) == 0 { continue }
                        found[ObjectReference(table.name, table.primaryKey(of: key)!)] = visible(
                            key, table, transaction)
                    }
                }
                return found
            }
        }
    }

    /// Rows of embedded objects that nothing holds.
    var orphanCount: Int {
        get throws {
            try read { transaction in
                let table = transaction.table("Address")!
                return table.allKeys.filter { table.backlinkCount(to: $0) == 0 }.count
            }
        }
    }

    private func visible(_ key: ObjectKey, _ table: Table, _ transaction: Transaction) -> VisibleObject {
        var object = VisibleObject()
        func travelling(_ value: Value, _ property: Property) -> Value {
            guard case .object(let key) = value else { return value }
            return .link(transaction.table(property.target!)!.primaryKey(of: key)!)
        }
        for (column, property) in table.schema.properties.enumerated() where !property.isPrimaryKey {
            if property.collection == .list {
                let values = table.listValues(key, column).map { travelling($0, property) }
                if !values.isEmpty { object.lists[property.name] = values }
            } else if property.collection.isKeyed {
                let values = table.listValues(key, column).map { travelling($0, property) }
                let keys = property.collection == .set ? values : table.mapKeys(key, column).map { .string($0) }
                if keys.isEmpty { continue }
                object.entries[property.name] = Dictionary(
                    uniqueKeysWithValues: zip(keys, property.collection == .set ? keys.map { _ in .null } : values))
            } else if property.isText {
                if case .string(let string) = table.value(key, column), !string.isEmpty {
                    object.texts[property.name] = Array(string.utf8)
                }
            } else {
                object.fields[property.name] = travelling(table.value(key, column), property)
            }
        }
        return object
    }

    /// The visible state of a text, as the trees have it.
    func text(_ object: ObjectReference, _ property: String) throws -> TextState {
        try read { transaction in
            guard let table = transaction.table(object.className), let key = table.key(for: object.key),
                let column = table.schema.index(of: property), case .string(let string) = table.value(key, column)
            else { return TextState() }
            return try Trees(transaction).texts.state(object, property, showing: string)
        }
    }

    /// Entries of the replica's own trees, for the promise that nothing stays behind.
    func bookkeeping(_ tree: String) throws -> Int {
        try read { $0.tree(tree).count }
    }

    /// Leaves the first bytes of each value.
    func shortenValues(of tree: String, to count: Int) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        var shortened: [(key: [UInt8], value: [UInt8])] = []
        transaction.tree(tree).scan { key, value in
            shortened.append((Array(key), Array(value.prefix(count))))
            return true
        }
        for (key, value) in shortened { transaction.tree(tree).put(key, value) }
        _ = try transaction.commit()
    }
}

struct VisibleObject: Equatable {
    var fields: [String: Value] = [:]
    var lists: [String: [Value]] = [:]
    /// Sets and maps.
    var entries: [String: [Value: Value]] = [:]
    /// As bytes: strings compare by their meaning.
    var texts: [String: [UInt8]] = [:]

    init() {}

    init(_ state: ObjectState) {
        for field in state.fields { fields[field.property] = field.value }
        for part in state.parts {
            switch part.content {
            case .list(let list) where !list.isEmpty: lists[part.property] = list.values
            case .keyed(let keyed) where !keyed.isEmpty:
                entries[part.property] = Dictionary(uniqueKeysWithValues: keyed.visible.map { ($0.key, $0.value) })
            case .text(let text) where !text.isEmpty: texts[part.property] = Array(text.string.utf8)
            case .list, .keyed, .text: break
            }
        }
    }
}

/// What a device asks for: notes by their count and whether they are done; people always.
struct View: Equatable {
    var counts: ClosedRange<Int64>
    var withDone: Bool
    var withPeople = true

    static let everything = View(counts: .min ... .max, withDone: true)
    static let nothing = View(counts: .min ... .min, withDone: false, withPeople: false)

    func contains(_ object: ObjectReference, _ state: ObjectState) -> Bool {
        guard state.isAlive else { return false }
        if object.className == "Person" { return withPeople }
        guard object.className == "Note", case .int(let count) = state["count"]?.value, counts.contains(count)
        else { return false }
        return withDone || state["done"]?.value != .bool(true)
    }
}

enum ViewMessage {
    case enter(ObjectReference, ObjectState)
    case update(ObjectReference, ObjectState)
    case leave(ObjectReference)
    case delete(ObjectReference, life: UInt32)
}

struct ViewChange {
    var messages: [ViewMessage]
    var acknowledged: UInt64
    var version: ServerVersion
    var view: View
    /// The run of the server that committed the version.
    var run: UInt64 = 0
}
