import CausewayMerge
import CausewayModel
import CausewayOperations

// Each chapter gives no operations where there is nothing to do them to, and nil for what another chapter knows.

extension Author {
    mutating func operations(of intention: Intention) -> [Operation] {
        if let operations = aboutLife(intention) { return operations }
        if let operations = aboutOther(intention) { return operations }
        guard state.isAlive else { return [] }
        return aboutValues(intention) ?? aboutList(intention) ?? aboutEntries(intention) ?? aboutText(intention)
            ?? aboutEmbedded(intention) ?? aboutMixed(intention) ?? []
    }

    private func aboutLife(_ intention: Intention) -> [Operation]? {
        let note = Author.note
        switch intention {
        case .create:
            guard state.life == 0 else { return [] }
            return [.create(note, life: 1, fields: firstFields)]
        case .createUnseen:
            // As somebody who had not seen the object: the same key, made twice.
            let life = state.life | 1
            return [
                .create(
                    note, life: life,
                    fields: [
                        FieldValue("count", .int(Int64(client.rawValue)), isDefault: true), FieldValue("x", mark),
                        FieldValue("y", mark, isDefault: true),
                    ])
            ]
        case .delete:
            guard state.isAlive else { return [] }
            return [.delete(note, life: state.life + 1)]
        case .createAgain:
            guard state.life > 0, !state.isAlive else { return [] }
            return [.create(note, life: state.life + 1, fields: firstFields)]
        case .deleteAndCreate:
            guard state.isAlive else { return [] }
            return [.delete(note, life: state.life + 1), .create(note, life: state.life + 2, fields: firstFields)]
        default: return nil
        }
    }

    private var firstFields: [FieldValue] {
        [FieldValue("count", .int(0), isDefault: true), FieldValue("x", mark, isDefault: true)]
    }

    private func aboutOther(_ intention: Intention) -> [Operation]? {
        let other = Author.other
        switch intention {
        case .setOther:
            return otherState.isAlive ? [.set(other, FieldValue("x", mark))] : []
        case .deleteOther:
            return otherState.isAlive ? [.delete(other, life: otherState.life + 1)] : []
        case .deleteAndCreateOther:
            let life = otherState.life
            let end: [Operation] = otherState.isAlive ? [.delete(other, life: life + 1)] : []
            return end + [.create(other, life: (life + 1) | 1, fields: [FieldValue("x", mark, isDefault: true)])]
        default: return nil
        }
    }

    private func aboutValues(_ intention: Intention) -> [Operation]? {
        let note = Author.note
        switch intention {
        case .setX: return [.set(note, FieldValue("x", mark))]
        case .setXNull: return [.set(note, FieldValue("x", .null))]
        case .setXDefault: return [.set(note, FieldValue("x", mark, isDefault: true))]
        case .setY: return [.set(note, FieldValue("y", mark))]
        case .linkX: return [.set(note, FieldValue("x", .link(Author.other.key)))]
        case .addOne: return [add(1)]
        case .addMany: return [add(.max / 2 + Int64(client.rawValue))]
        case .setCount: return [.set(note, FieldValue("count", .int(1000 * Int64(client.rawValue))))]
        case .setCountDefault:
            return [.set(note, FieldValue("count", .int(10 * Int64(client.rawValue)), isDefault: true))]
        default: return nil
        }
    }

    /// Made on what the author sees.
    private func add(_ amount: Int64) -> Operation {
        .add(Author.note, property: "count", Addition(amount, base: state.base(ofAdditionsTo: "count")))
    }
}

// MARK: - Lists

extension Author {
    private mutating func aboutList(_ intention: Intention) -> [Operation]? {
        let list = state.list("items") ?? ListState()
        let mark = mark
        return edits(of: intention, list, mark)?.map { .list(Author.note, property: "items", $0) }
    }

    private mutating func edits(of intention: Intention, _ list: ListState, _ mark: Value) -> [ListOperation]? {
        let last = list.count - 1
        switch intention {
        case .insertFirst: return [list.insertion(of: mark, at: 0, id: nextID())]
        case .insertSecond: return [list.insertion(of: mark, at: min(1, list.count), id: nextID())]
        case .insertLast: return [list.insertion(of: mark, at: list.count, id: nextID())]
        case .linkList: return [list.insertion(of: .link(Author.other.key), at: list.count, id: nextID())]
        case .insertTwo:
            // A run of two in one changeset.
            var list = list
            let first = list.insertion(of: mark, at: min(1, list.count), id: nextID())
            list.join(first, stamp: Stamp(time: time << 16, client: client))
            return [first, list.insertion(of: mark, at: min(2, list.count), id: nextID())]
        case .removeFirst: return list.isEmpty ? [] : [list.removal(at: 0)]
        case .removeLast: return list.isEmpty ? [] : [list.removal(at: last)]
        case .setFirst: return list.isEmpty ? [] : [list.replacement(at: 0, with: mark)]
        case .setLast: return list.isEmpty ? [] : [list.replacement(at: last, with: mark)]
        case .moveFirstToLast: return last < 1 ? [] : [list.movement(from: 0, to: last, id: nextID())]
        case .moveLastToFirst: return last < 1 ? [] : [list.movement(from: last, to: 0, id: nextID())]
        case .moveFirstToSecond: return last < 1 ? [] : [list.movement(from: 0, to: 1, id: nextID())]
        case .clearList: return list.isEmpty ? [] : [list.clearing()]
        default: return nil
        }
    }
}

// MARK: - Sets and maps

extension Author {
    private func aboutEntries(_ intention: Intention) -> [Operation]? {
        func map(_ edits: KeyedOperation...) -> [Operation] {
            edits.map { .keyed(Author.note, property: "entries", $0) }
        }
        func set(_ edits: KeyedOperation...) -> [Operation] {
            edits.map { .keyed(Author.note, property: "labels", $0) }
        }
        // One text to Unicode, and two keys.
        let (a, b) = (Value.string("\u{E9}"), Value.string("e\u{301}"))
        let elements = elements
        switch intention {
        case .putA: return map(.put(key: a, value: mark))
        case .putB: return map(.put(key: b, value: mark))
        case .putNull: return map(.put(key: a, value: .null))
        case .linkMap: return map(.put(key: a, value: .link(Author.other.key)))
        case .removeA: return map(.remove(key: a))
        case .removeB: return map(.remove(key: b))
        case .clearMap: return keys("entries").flatMap { map(.remove(key: $0)) }
        case .includeA: return set(.put(key: elements.a, value: .null))
        case .includeB: return set(.put(key: elements.b, value: .null))
        case .excludeA: return set(.remove(key: elements.a))
        case .excludeB: return set(.remove(key: elements.b))
        case .clearSet: return keys("labels").flatMap { set(.remove(key: $0)) }
        default: return nil
        }
    }

    /// Clearing names what its author sees.
    private func keys(_ property: String) -> [Value] {
        (state.keyed(property) ?? KeyedState()).visible.map(\.key)
    }
}

// MARK: - Texts

extension Author {
    private mutating func aboutText(_ intention: Intention) -> [Operation]? {
        var text = state.text("body") ?? TextState()
        let edits: [TextOperation]
        switch intention {
        case .typeFirst: edits = type(at: 0, &text)
        case .typeWithin: edits = type(at: min(2, text.count), &text)
        case .typeLast: edits = type(at: text.count, &text)
        case .eraseFirst: edits = text.remove(0..<min(1, text.count))
        case .eraseWithin: edits = text.remove(min(1, text.count)..<min(3, text.count))
        case .eraseLast: edits = text.remove(max(0, text.count - 1)..<text.count)
        case .replaceText:
            edits = text.remove(0..<text.count) + type(at: 0, &text)
        case .clearText: edits = text.remove(0..<text.count)
        default: return nil
        }
        return edits.map { .text(Author.note, property: "body", $0) }
    }

    /// Two scalars, one of them not ASCII.
    private mutating func type(at index: Int, _ text: inout TextState) -> [TextOperation] {
        let letters = ["aä", "bö", "cü"][Int(client.rawValue % 3)]
        let edit = text.insert(letters, at: index, id: nextIDs(2))
        return edit.map { [$0] } ?? []
    }
}

// MARK: - Embedded objects

extension Author {
    private mutating func aboutEmbedded(_ intention: Intention) -> [Operation]? {
        let note = Author.note
        switch intention {
        case .embed:
            let address = ObjectReference("Address", .container(nextID()))
            return [
                .create(
                    address, life: 1,
                    fields: [FieldValue("city", mark), FieldValue("number", .int(0), isDefault: true)]),
                .set(note, FieldValue("address", .link(address.key))),
            ]
        case .setEmbedded:
            return embedded.map { [.set($0, FieldValue("city", mark))] } ?? []
        case .addToEmbedded:
            return embedded.map {
                let base = world[$0]?.base(ofAdditionsTo: "number")
                return [.add($0, property: "number", Addition(1, base: base))]
            } ?? []
        case .removeEmbedded: return [.set(note, FieldValue("address", .null))]
        case .appendPart:
            let part = ObjectReference("Part", .container(nextID()))
            let insertion = parts.insertion(of: .link(part.key), at: parts.count, id: nextID())
            return [
                .create(part, life: 1, fields: [FieldValue("n", mark)]), .list(note, property: "parts", insertion),
            ]
        case .setPart:
            guard case .link(let key)? = parts.values.first else { return [] }
            return [.set(ObjectReference("Part", key), FieldValue("n", mark))]
        case .movePart:
            guard parts.count > 1 else { return [] }
            return [.list(note, property: "parts", parts.movement(from: 0, to: parts.count - 1, id: nextID()))]
        case .removePart:
            return parts.isEmpty ? [] : [.list(note, property: "parts", parts.removal(at: 0))]
        default: return nil
        }
    }

    private var parts: ListState { state.list("parts") ?? ListState() }

    private var embedded: ObjectReference? {
        guard case .link(let key)? = state["address"]?.value else { return nil }
        return ObjectReference("Address", key)
    }
}

// MARK: - Collections in mixed values

extension Author {
    private mutating func aboutMixed(_ intention: Intention) -> [Operation]? {
        let note = Author.note
        switch intention {
        case .mixList: return nest(.list) { .set(note, FieldValue("it", $0)) }
        case .mixMap: return nest(.map) { .set(note, FieldValue("it", $0)) }
        case .mixScalar: return [.set(note, FieldValue("it", notANumber))]
        case .mixNull: return [.set(note, FieldValue("it", .null))]
        case .innerAdd, .innerSet, .innerRemove, .innerMove, .innerClear, .deepMake:
            guard let (inner, kind) = nested(state["it"]?.value) else { return [] }
            return kind == .list ? editList(inner, intention) : editMap(inner, intention)
        case .deepAdd, .deepRemove, .deepReplace:
            guard let (inner, kind) = nested(state["it"]?.value),
                let (deep, deepKind) = firstNested(in: inner, kind)
            else { return [] }
            let meant: Intention =
                intention == .deepAdd ? .innerAdd : intention == .deepRemove ? .innerRemove : .innerSet
            return deepKind == .list ? editList(deep, meant) : editMap(deep, meant)
        default: return nil
        }
    }

    /// A new collection with one value in it, and the operation that puts it in its place.
    private mutating func nest(_ kind: NestedCollection, _ place: (Value) -> Operation) -> [Operation] {
        let made = ObjectReference(kind.className, .container(nextID()))
        let property = NestedCollection.property
        let first: Operation =
            kind == .list
            ? .list(made, property: property, .insert(nextID(), left: nil, right: nil, value: mark))
            : .keyed(made, property: property, .put(key: .string("a"), value: mark))
        return [
            .create(made, life: 1, fields: []), first, place(.anyLink(ClassedLink(made.className, made.key))),
        ]
    }

    private func nested(_ value: Value?) -> (ObjectReference, NestedCollection)? {
        guard case .anyLink(let link)? = value, let kind = NestedCollection(className: link.className) else {
            return nil
        }
        return (ObjectReference(link.className, link.key), kind)
    }

    private func firstNested(
        in object: ObjectReference, _ kind: NestedCollection
    ) -> (ObjectReference, NestedCollection)? {
        let values = kind == .list ? list(object).values : entries(object).visible.map(\.value)
        for value in values {
            if let found = nested(value) { return found }
        }
        return nil
    }

    private func list(_ object: ObjectReference) -> ListState {
        world[object]?.list(NestedCollection.property) ?? ListState()
    }

    private func entries(_ object: ObjectReference) -> KeyedState {
        world[object]?.keyed(NestedCollection.property) ?? KeyedState()
    }

    private mutating func editList(_ object: ObjectReference, _ intention: Intention) -> [Operation] {
        let list = list(object)
        let property = NestedCollection.property
        func edit(_ operation: ListOperation) -> Operation { .list(object, property: property, operation) }
        switch intention {
        case .innerAdd: return [edit(list.insertion(of: mark, at: list.count, id: nextID()))]
        case .innerSet: return list.isEmpty ? [] : [edit(list.replacement(at: 0, with: mark))]
        case .innerRemove: return list.isEmpty ? [] : [edit(list.removal(at: 0))]
        case .innerMove: return list.count < 2 ? [] : [edit(list.movement(from: 0, to: 1, id: nextID()))]
        case .innerClear: return list.isEmpty ? [] : [edit(list.clearing())]
        case .deepMake:
            let id = nextID()
            return nest(.map) { edit(list.insertion(of: $0, at: 0, id: id)) }
        default: return []
        }
    }

    private mutating func editMap(_ object: ObjectReference, _ intention: Intention) -> [Operation] {
        let entries = entries(object)
        let property = NestedCollection.property
        func edit(_ operation: KeyedOperation) -> Operation { .keyed(object, property: property, operation) }
        switch intention {
        case .innerAdd: return [edit(.put(key: .string(""), value: mark))]
        case .innerSet: return [edit(.put(key: .string("a"), value: mark))]
        case .innerRemove: return [edit(.remove(key: .string("a")))]
        case .innerClear: return entries.visible.map { edit(.remove(key: $0.key)) }
        case .deepMake: return nest(.list) { edit(.put(key: .string("a"), value: $0)) }
        default: return []
        }
    }
}
