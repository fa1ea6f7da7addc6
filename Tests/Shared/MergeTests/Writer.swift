import CausewayMerge
import CausewayModel
import CausewayOperations

/// A device as a value: what it sees, its clock, and the operations it makes of what it sees.
struct Writer {
    var client: ClientID
    var state = ObjectState()
    var time: UInt64 = 0
    private var counter: UInt64 = 0

    static let object = ObjectReference("Note", .int(1))

    init(_ client: UInt64) {
        self.client = ClientID(client)
    }

    /// Everything one can do to one object.
    enum Intention: CaseIterable {
        case create, createOther, delete, recreate, setX, setXDefault, setY
        case insertFirst, insertMiddle, insertLast, removeFirst, moveFirstToLast, moveLastToFirst, setFirst, clear
        case putA, putB, removeA, removeAll
        case addOne, addMany, setCount

        static let aboutLists: [Intention] = [
            .insertFirst, .insertMiddle, .insertLast, .removeFirst, .moveFirstToLast, .moveLastToFirst, .setFirst,
            .clear,
        ]

        static let aboutEntries: [Intention] = [.putA, .putB, .removeA, .removeAll]
    }

    /// Does it, if it can be done now; gives the operations with their stamp.
    mutating func act(_ intention: Intention) -> [(operation: Operation, stamp: Stamp)] {
        time += 1
        let stamp = Stamp(time: time << 16, client: client)
        let operations = self.operations(intention)
        for operation in operations { state.join(operation, stamp: stamp) }
        return operations.map { ($0, stamp) }
    }

    /// Learns what somebody else did.
    mutating func receive(_ operation: Operation, _ stamp: Stamp) {
        time = max(time, stamp.time >> 16)
        state.join(operation, stamp: stamp)
    }

    private mutating func operations(_ intention: Intention) -> [Operation] {
        let mark = Value.string("\(intention) by \(client.rawValue) at \(time)")
        let list = state.list("items") ?? ListState()
        switch intention {
        case .create:
            guard !state.isAlive else { return [] }
            return [
                .create(
                    Writer.object, life: state.life + 1,
                    fields: [FieldValue("count", .int(0), isDefault: true), FieldValue("x", mark, isDefault: true)])
            ]
        case .createOther:
            // As a writer who had not seen the object: the same key, made twice.
            return [
                .create(
                    Writer.object, life: state.life | 1,
                    fields: [
                        FieldValue("count", .int(Int64(client.rawValue)), isDefault: true), FieldValue("x", mark),
                        FieldValue("y", mark),
                    ])
            ]
        case .delete:
            guard state.isAlive else { return [] }
            return [.delete(Writer.object, life: state.life + 1)]
        case .recreate:
            guard state.isAlive else { return [] }
            return [
                .delete(Writer.object, life: state.life + 1),
                .create(Writer.object, life: state.life + 2, fields: [FieldValue("y", mark, isDefault: true)]),
            ]
        case .setX: return [.set(Writer.object, FieldValue("x", mark))]
        case .setXDefault: return [.set(Writer.object, FieldValue("x", mark, isDefault: true))]
        case .setY: return [.set(Writer.object, FieldValue("y", mark))]
        case .insertFirst: return [edit(list.insertion(of: mark, at: 0, id: nextID()))]
        case .insertMiddle: return [edit(list.insertion(of: mark, at: list.count / 2, id: nextID()))]
        case .insertLast: return [edit(list.insertion(of: mark, at: list.count, id: nextID()))]
        case .removeFirst: return list.isEmpty ? [] : [edit(list.removal(at: 0))]
        case .moveFirstToLast:
            return list.isEmpty ? [] : [edit(list.movement(from: 0, to: list.count - 1, id: nextID()))]
        case .moveLastToFirst:
            return list.isEmpty ? [] : [edit(list.movement(from: list.count - 1, to: 0, id: nextID()))]
        case .setFirst: return list.isEmpty ? [] : [edit(list.replacement(at: 0, with: mark))]
        case .clear: return [edit(list.clearing())]
        case .putA: return [edit(.put(key: .string("a"), value: mark))]
        case .putB: return [edit(.put(key: .string("b"), value: mark))]
        case .removeA: return [edit(.remove(key: .string("a")))]
        case .addOne: return [add(1)]
        case .addMany: return [add(.max / 2 + Int64(client.rawValue))]
        case .setCount: return [.set(Writer.object, FieldValue("count", .int(1000 * Int64(client.rawValue))))]
        case .removeAll: return (state.keyed("entries") ?? KeyedState()).visible.map { edit(.remove(key: $0.key)) }
        }
    }

    /// Made on what the writer sees.
    private func add(_ amount: Int64) -> Operation {
        .add(Writer.object, property: "count", Addition(amount, base: state.base(ofAdditionsTo: "count")))
    }

    private func edit(_ operation: KeyedOperation) -> Operation {
        .keyed(Writer.object, property: "entries", operation)
    }

    private func edit(_ operation: ListOperation) -> Operation {
        .list(Writer.object, property: "items", operation)
    }

    mutating func nextID() -> ElementID {
        counter += 1
        return ElementID(client: client, counter: counter)
    }
}
