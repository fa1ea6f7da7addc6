import CausewayModel
import CausewayObjectStore

extension RealmInstance {
    /// Creates an object for each element, leaf by leaf.
    func create<Model: ObjectBase, Elements: Collection>(
        _ mapping: ObjectMapping<Model, Elements>, from elements: Elements
    ) throws(Realm.Error) {
        checkThread()
        checkTransaction()
        let access = access(for: Model.self)
        if access.isEmbedded {
            misuse("Embedded objects cannot be created directly: create them as part of their parent.")
        }
        let creation = MappedCreation(self, access, mapping.columns.map { $0?.values })
        let write = writeNumber
        let keys = creation.primaryKeys(mapping, elements)
        checkUndisturbed(write, access, isDisturbed: false)
        let rows: NewRows
        do {
            rows = try access.table.beginRows(keys)
        } catch {
            throw refusal(error, access)
        }
        var index = elements.startIndex
        while let part = rows.next() {
            let start = index
            for (position, column) in mapping.columns.enumerated() {
                guard let column, position != access.model.primaryKeyIndex else { continue }
                index = start
                column.make(elements, &index, part.count, column.values.memory)
                column.values.made(part.count)
            }
            if index == start { elements.formIndex(&index, offsetBy: part.count) }
            creation.makeDefaults(part)
            checkUndisturbed(write, access, isDisturbed: rows.isDisturbed)
            creation.enter(part, rows, keys)
        }
        creation.finish()
    }

    /// The functions of a mapping belong to the app. This stops the program if they ended the transaction or changed
    /// objects of the class.
    private func checkUndisturbed(_ write: UInt, _ access: _ClassAccess, isDisturbed: Bool) {
        guard isInWrite, writeNumber == write else {
            misuse("The write transaction ended while objects of type '\(access.model.className)' were created.")
        }
        if isDisturbed {
            misuse(
                "Objects of type '\(access.model.className)' were changed by the functions that were to say what the "
                    + "properties of new ones are.")
        }
    }

    private func refusal(_ refusal: NewKeysRefusal, _ access: _ClassAccess) -> Realm.Error {
        guard refusal.error.code == .duplicatePrimaryKey else {
            return Realm.Error(.invalidInput, refusal.error.message, fileURL: configuration.fileURL)
        }
        return Realm.Error(
            .invalidInput, Self.duplicate(access.model.className, refusal.primaryKey), fileURL: configuration.fileURL)
    }
}

/// The rows that a mapping creates: where each column's values come from, and what is left to do at the end.
private final class MappedCreation {
    private let instance: RealmInstance
    private let access: _ClassAccess
    private let model: ObjectModel
    /// By position in the model; nil for properties that were not set.
    private let values: [MappedValues?]
    /// Properties that were not set and that have no default of their own: every row gets the same value.
    private var zeros: [(place: PropertyPlace, value: Value)] = []
    /// Properties that were not set and whose defaults only a new object knows.
    private var defaults: [PropertyPlace] = []
    /// The new objects that know these defaults: of the current part or, where the primary keys come from them, of all
    /// elements.
    private var drafts: [ObjectBase] = []
    private var areAllDrafted = false
    /// Work that must wait until the rows are whole: adding linked objects, filling lists.
    private var promotions: [(object: ObjectBase?, key: ObjectKey, column: Int, run: (ObjectBase, Int) -> Void)] = []

    init(_ instance: RealmInstance, _ access: _ClassAccess, _ values: [MappedValues?]) {
        self.instance = instance
        self.access = access
        self.values = values
        model = access.model
        // The app's initialiser runs here, and not before this object is whole.
        let example = model.type.init()
        let base = Unmanaged.passUnretained(example).toOpaque()
        for place in access.places where values[place.position] == nil && place.position != model.primaryKeyIndex {
            let isUntouched = model.places[place.position].isUntouched(base + place.offset)
            if isUntouched, !place.isDrawn {
                zeros.append((place, place.isScalar ? place.value(base, model) : .null))
            } else {
                defaults.append(place)
            }
        }
    }

    // MARK: - Values

    /// The primary keys of all elements, made in one go: nothing is created unless all of them are free.
    func primaryKeys<Model: ObjectBase, Elements: Collection>(
        _ mapping: ObjectMapping<Model, Elements>, _ elements: Elements
    ) -> NewKeys {
        let count = elements.count
        guard let place = access.primaryKeyPlace else { return .none(count) }
        guard let column = mapping.columns[place.position] else {
            draft(count)
            areAllDrafted = true
            return .others(drafts.map { primaryKey(place.value(Unmanaged.passUnretained($0).toOpaque(), model)) })
        }
        var integers: [Int64] = []
        var others: [PrimaryKey] = []
        if place.type == .int { integers.reserveCapacity(count) } else { others.reserveCapacity(count) }
        var index = elements.startIndex
        for start in stride(from: 0, to: count, by: slotsPerLeaf) {
            let part = min(slotsPerLeaf, count - start)
            let memory = column.values.memory
            column.make(elements, &index, part, memory)
            column.values.made(part)
            if place.type == .int {
                let values = UnsafeBufferPointer(start: memory.assumingMemoryBound(to: Int.self), count: part)
                for value in values { integers.append(Int64(value)) }
            } else {
                for position in 0..<part { others.append(primaryKey(column.values.stored(memory, position))) }
            }
            column.values.forget()
        }
        return place.type == .int ? .integers(integers) : .others(others)
    }

    private func primaryKey(_ value: Value) -> PrimaryKey {
        guard let primaryKey = PrimaryKey(value) else {
            misuse("Invalid primary key '\(value)' for class '\(model.className)'.")
        }
        return primaryKey
    }

    private func draft(_ count: Int) {
        drafts = (0..<count).map { _ in model.type.init() }
    }

    func makeDefaults(_ part: Range<Int>) {
        if !defaults.isEmpty, !areAllDrafted { draft(part.count) }
    }

    // MARK: - Rows

    func enter(_ part: Range<Int>, _ rows: NewRows, _ keys: NewKeys) {
        access.created(rows.key(of: part.lowerBound))
        let first = rows.open()
        enterPrimaryKeys(part, rows, first, keys)
        for place in access.places {
            guard let values = values[place.position], place.position != model.primaryKeyIndex else { continue }
            switch place.type {
            case .link: enterLinks(values, part.count, first, place)
            case .list, .boxedList: promoteAll(values, part, rows, place)
            case .mapped, .mixed:
                for position in 0..<part.count { rows.set(position, place.column, .null) }
                promoteAll(values, part, rows, place)
            default: place.enter(values, part.count, rows, first)
            }
            values.forget()
        }
        for (place, zero) in zeros {
            for position in 0..<part.count { rows.set(position, place.column, zero) }
        }
        for column in access.undeclaredColumns {
            for position in 0..<part.count { rows.set(position, column, .null) }
        }
        enterDefaults(part, rows)
        rows.close()
        instance.contentChanged()
    }

    private func enterPrimaryKeys(_ part: Range<Int>, _ rows: NewRows, _ first: NewRow, _ keys: NewKeys) {
        guard let column = access.primaryKeyPlace?.column else { return }
        switch keys {
        case .none: break
        case .integers(let keys):
            for (position, element) in part.enumerated() { first.advanced(by: position).set(column, keys[element]) }
        case .others(let keys):
            for (position, element) in part.enumerated() {
                rows.set(position, column, keys[element].value ?? .null)
            }
        }
    }

    /// Writes links to objects of this Realm now, with the row. Other objects are added at the end.
    private func enterLinks(_ values: MappedValues, _ count: Int, _ first: NewRow, _ place: PropertyPlace) {
        let links = values.memory.assumingMemoryBound(to: Unmanaged<ObjectBase>?.self)
        let target = access.target(place.column)
        for position in 0..<count {
            let row = first.advanced(by: position)
            guard let linked = links[position] else {
                row.setNull(place.column)
                continue
            }
            let key = linked._withUnsafeGuaranteedRef { linked in
                target.flatMap { instance.rowToLink(linked, in: $0) }
            }
            if let key {
                row.set(place.column, key.rawValue)
            } else {
                row.setNull(place.column)
                promotions.append((nil, row.key, place.column, values.promotion(values.memory, position)))
            }
        }
    }

    private func promoteAll(_ values: MappedValues, _ part: Range<Int>, _ rows: NewRows, _ place: PropertyPlace) {
        for (position, element) in part.enumerated() {
            promotions.append(
                (nil, rows.key(of: element), place.column, values.promotion(values.memory, position)))
        }
    }

    private func enterDefaults(_ part: Range<Int>, _ rows: NewRows) {
        guard !defaults.isEmpty else { return }
        for (position, element) in part.enumerated() {
            let draft = drafts[areAllDrafted ? element : position]
            let base = Unmanaged.passUnretained(draft).toOpaque()
            for place in defaults {
                if place.isScalar {
                    rows.set(position, place.column, place.value(base, model))
                    continue
                }
                if !place.isCollection { rows.set(position, place.column, .null) }
                if model.places[place.position].isUntouched(base + place.offset) { continue }
                if let run = model.properties[place.position].wrapper.promotion(base + place.offset) {
                    promotions.append((draft, rows.key(of: element), place.column, run))
                }
            }
        }
    }

    /// Does the work that had to wait until all rows were whole.
    func finish() {
        var last: ObjectBase?
        for promotion in promotions {
            if let object = promotion.object {
                // Bound once: its other properties' promotions still need what their wrappers hold.
                if object._header == nil { access.bind(object, to: promotion.key) }
                promotion.run(object, promotion.column)
            } else {
                if last?._key != promotion.key { last = access.object(promotion.key) }
                if let last { promotion.run(last, promotion.column) }
            }
        }
    }
}
