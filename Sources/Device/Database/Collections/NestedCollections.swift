import CausewayModel
import CausewayObjectStore

/// The stored form of a list inside of a mixed value. Apps never see it.
final class NestedList: EmbeddedObject {
    @Persisted var elements: List<AnyRealmValue>

    override class func _realmObjectName() -> String? { NestedCollection.list.className }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The stored form of a dictionary inside of a mixed value. Apps never see it.
final class NestedMap: EmbeddedObject {
    @Persisted var elements: Map<String, AnyRealmValue>

    override class func _realmObjectName() -> String? { NestedCollection.map.className }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension NestedCollection {
    var model: ObjectModel {
        switch self {
        case .list: ObjectModel.of(NestedList.self)
        case .map: ObjectModel.of(NestedMap.self)
        }
    }
}

extension DeclaredSchema {
    /// The schema for the file. It includes the classes of nested collections, unless the file is opened read-only.
    func stored(for configuration: Realm.Configuration) -> StoredSchema {
        configuration.readOnly ? schema : schema.withNestedCollections
    }
}

// MARK: - Reading

extension RealmInstance {
    /// The live collection that a mixed value holds; nil when it has been deleted.
    func nested(_ kind: NestedCollection, _ key: ObjectKey) -> AnyRealmValue? {
        let access = access(named: kind.className)
        guard access.exists(key) else { return nil }
        let elements = ManagedList(key, access, NestedCollection.column)
        return switch kind {
        case .list: .list(List(state: .managed(elements)))
        case .map: .dictionary(Map(state: .managed(ManagedMap(elements))))
        }
    }
}

// MARK: - Making

extension RealmInstance {
    /// Creates the row of a nested collection and lets the closure fill it.
    func makeNested(_ kind: NestedCollection, _ fill: (Table, ObjectKey, _ClassAccess) -> Void) -> Value {
        guard transaction.nestedTable(kind) != nil else {
            misuse(
                "This file has no room for collections inside of AnyRealmValue yet: open it once with the class that "
                    + "holds them among its objectTypes.")
        }
        let access = access(named: kind.className)
        nestedBeingMade += 1
        defer { nestedBeingMade -= 1 }
        if nestedBeingMade > NestedCollection.levelMax { Self.refuseLevel() }
        let key: ObjectKey
        do {
            key = try access.table.beginRow(coordinator.participant?.container(in: transaction)).key
        } catch {
            refuse(error, access, nil)
        }
        access.created(key)
        fill(access.table, key, access)
        return .anyObject(ClassedKey(access.table.number, key))
    }

    /// Stops the program if a collection would be nested too deeply at its new place.
    ///
    /// - Parameters:
    ///   - access: The class of the holder.
    ///   - key: The holder: the row of a nested collection, or the object whose list or map will hold the value.
    func checkLevel(of value: Value, in access: _ClassAccess, _ key: ObjectKey) {
        guard nestedBeingMade == 0, transaction.nested(value) != nil else { return }
        let level = level(of: access.table, key)
        if level + height(of: value, atMost: NestedCollection.levelMax - level + 1) > NestedCollection.levelMax {
            Self.refuseLevel()
        }
    }

    /// The number of collections from an object's property down to this row.
    private func level(of table: Table, _ key: ObjectKey) -> Int {
        var (table, key) = (table, key)
        var level = 1
        while table.nestedKind != nil, level <= NestedCollection.levelMax, let holder = table.holder(of: key) {
            // A property that holds this collection directly adds no level.
            if holder.table.nestedKind == nil, holder.table.schema.properties[holder.column].collection == .none {
                break
            }
            level += 1
            (table, key) = (holder.table, holder.key)
        }
        return level
    }

    private func height(of value: Value, atMost limit: Int) -> Int {
        guard limit > 0, let (table, key, _) = transaction.nested(value) else { return 0 }
        var highest = 0
        for element in transaction.elements(of: table, key) {
            guard case .anyObject = element else { continue }
            highest = max(highest, height(of: element, atMost: limit - 1))
        }
        return highest + 1
    }

    private static func refuseLevel() -> Never {
        misuse(
            "Max nesting level reached: at most \(NestedCollection.levelMax) lists and dictionaries stand inside of each "
                + "other in AnyRealmValue. Keep deeper data in objects of their own.")
    }

    func refuseNestedInSet(_ value: Value) {
        guard transaction.nested(value) != nil else { return }
        misuse(
            "Lists and dictionaries inside of a MutableSet<AnyRealmValue> are not supported: use a List or a Map, whose "
                + "elements can be collections.")
    }
}

extension _ClassAccess {
    /// Sets a mixed property whose old or new value may be a collection.
    func writeMixed(_ key: ObjectKey, _ column: Int, _ value: AnyRealmValue) {
        if model.kind == .asymmetric, value.isCollection { refuseNestedOneWay() }
        let present = self.value(key, column)
        let endsCollection = instance.transaction.nested(present) != nil
        // Assigning the collection that the property already holds does not replace it by a copy.
        if endsCollection, instance.holds(present, value) { return }
        let stored = value._toStored(self).value
        write(key, column, stored)
        if endsCollection { instance.rowsDeleted() }
    }
}

extension RealmInstance {
    /// Whether a stored value is this very collection.
    fileprivate func holds(_ present: Value, _ value: AnyRealmValue) -> Bool {
        let list: ManagedList? =
            switch value {
            case .list(let list): list.managed
            case .dictionary(let map): map.managed?.list
            default: nil
            }
        guard let list, list.instance === self, let (table, key, _) = transaction.nested(present) else { return false }
        return list.access.table === table && list.key == key
    }
}

extension _ClassAccess {
    func refuseNestedOneWay() -> Never {
        misuse(
            "Lists and dictionaries inside of AnyRealmValue are not supported in class '\(model.className)': asymmetric "
                + "objects hold single values only.")
    }
}

// MARK: - Migration

extension _ClassAccess {
    /// Copies the values that another property had before a migration to a mixed property.
    func copyMixed(_ key: ObjectKey, _ source: Int, of before: _ClassAccess, to column: Int) {
        switch schema.properties[column].collection {
        case .none: write(key, column, copied(before.table.value(key, source), from: before))
        case .list, .set, .map:
            table.copyCollection(key, source, of: before.table, to: column) { copied($0, from: before) }
        }
    }

    private func copied(_ value: Value, from before: _ClassAccess) -> Value {
        let old = before.instance.transaction
        guard let (source, row, kind) = old.nested(value) else { return value }
        let elements = old.elements(of: source, row)
        let names = kind == .map ? source.mapKeys(row, NestedCollection.column) : []
        return instance.makeNested(kind) { table, key, _ in
            switch kind {
            case .list:
                for element in elements {
                    table.listAppend(key, NestedCollection.column, copied(element, from: before))
                }
            case .map:
                for (name, element) in zip(names, elements) {
                    table.mapPut(key, NestedCollection.column, name, copied(element, from: before))
                }
            }
        }
    }
}
