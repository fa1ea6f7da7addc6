import CausewayModel
import CausewayObjectStore

/// The block that migrates the objects of a file. It runs once, when the file is first opened with a newer schema
/// version.
///
/// ```swift
/// let migrate: MigrationBlock = { migration, oldSchemaVersion in
///     if oldSchemaVersion < 2 { migration.renameProperty(onType: "Person", from: "firstName", to: "givenName") }
/// }
/// let configuration = Realm.Configuration(schemaVersion: 2, migrationBlock: migrate)
/// ```
///
/// It runs inside one write transaction, before the Realm is returned. Its changes are committed as a whole.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// The block that `Migration.enumerateObjects` calls for each object, as it was and as it will be.
///
/// ```swift
/// let join: MigrationObjectEnumerateBlock = { oldObject, newObject in
///     newObject!["fullName"] = "\(oldObject!["firstName"]!) \(oldObject!["lastName"]!)"
/// }
/// migration.enumerateObjects(ofType: "Person", join)
/// ```
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// The objects of a file before and after its classes changed, handed to a migration block.
///
/// ```swift
/// configuration.schemaVersion = 2
/// configuration.migrationBlock = { (migration: Migration, oldSchemaVersion) in
///     guard oldSchemaVersion < 2 else { return }
///     migration.enumerateObjects(ofType: "Person") { oldObject, newObject in
///         newObject!["fullName"] = "\(oldObject!["firstName"]!) \(oldObject!["lastName"]!)"
///     }
/// }
/// ```
///
/// Properties whose type is the same before and after have kept their values; all others begin empty.
public final class Migration {
    private let old: RealmInstance
    private let new: RealmInstance
    private let declared: StoredSchema

    /// - Parameter declared: The classes that the program has.
    init(from old: RealmInstance, to new: RealmInstance, declared: StoredSchema) {
        self.old = old
        self.new = new
        self.declared = declared
    }

    /// The classes as the file had them before the migration.
    ///
    /// ```swift
    /// let hadAges = migration.oldSchema["Person"]?["age"] != nil
    /// ```
    public var oldSchema: Schema { old.declared.shown }

    /// The classes after the migration: those that the program declares, with the names that the file has.
    ///
    /// ```swift
    /// let hasAges = migration.newSchema["Person"]?["age"] != nil
    /// ```
    public var newSchema: Schema {
        Schema(new.declared.models.values.filter { declared[$0.className] != nil }.map(\.shown))
    }

    /// Calls a block for each object of a class, as it was and as it will be.
    ///
    /// ```swift
    /// migration.enumerateObjects(ofType: "Dog") { oldObject, newObject in
    ///     newObject!["ageInMonths"] = (oldObject!["age"] as! Int) * 12
    /// }
    /// ```
    ///
    /// A new class has no old objects. A class that is no longer declared has the same values on both sides. Objects
    /// that the block has deleted are not visited.
    ///
    /// - Complexity: O(n) in the objects of the class.
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        let before = old.declared.models[typeName].map { _ in old.access(named: typeName) }
        guard new.declared.models[typeName] != nil else { return }
        for key in new.access(named: typeName).table.allKeys {
            let after = new.access(named: typeName)
            guard after.exists(key) else { continue }
            let oldObject = before.flatMap { access in
                access.exists(key) ? access.object(key, as: MigrationObject.self) : nil
            }
            block(oldObject, after.object(key, as: MigrationObject.self))
        }
    }

    /// Calls a block for each object of a class that the program declares, as it was and as it will be.
    ///
    /// ```swift
    /// migration.enumerateObjects(of: Dog.self) { oldObject, newObject in
    ///     newObject!["ageInMonths"] = (oldObject!["age"] as! Int) * 12
    /// }
    /// ```
    ///
    /// See ``enumerateObjects(ofType:_:)``. The objects are dynamic ones: the old ones are not of the class of today.
    public func enumerateObjects<Model: ObjectBase>(of type: Model.Type, _ block: MigrationObjectEnumerateBlock) {
        enumerateObjects(ofType: Model.className(), block)
    }

    /// Creates an object of a class of the new schema.
    ///
    /// ```swift
    /// let toy = migration.create("DogToy", value: ["name": "Ball"])
    /// ```
    @discardableResult
    public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
        let access = new.access(named: typeName)
        return access.object(access.createDynamic(from: value), as: MigrationObject.self)
    }

    /// Deletes an object that `create` returned, or a new object of `enumerateObjects`.
    ///
    /// ```swift
    /// migration.enumerateObjects(ofType: "Dog") { _, newObject in
    ///     if newObject!["name"] as? String == "" { migration.delete(newObject!) }
    /// }
    /// ```
    public func delete(_ object: MigrationObject) {
        new.delete(object)
    }

    /// Deletes all objects of a class, and the class itself unless another class links to it.
    ///
    /// ```swift
    /// migration.deleteData(forType: "Cat")
    /// ```
    ///
    /// - Returns: Whether the file had the class.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        guard let table = new.transaction.table(typeName), table.nestedKind == nil else { return false }
        if declared[typeName] != nil {
            let access = new.access(named: typeName)
            access.delete(access.table.allKeys)
        } else {
            new.forgetAccesses()
            new.transaction.removeClass(typeName)
        }
        return true
    }

    /// Deletes all objects of a class.
    ///
    /// ```swift
    /// migration.deleteData(for: Dog.self)
    /// ```
    ///
    /// - Returns: Whether the file had the class.
    @discardableResult
    public func deleteData<Model: ObjectBase>(for type: Model.Type) -> Bool { deleteData(forType: Model.className()) }

    /// Gives a property of the new schema the values of an old property.
    ///
    /// ```swift
    /// migration.renameProperty(onType: "Person", from: "firstName", to: "givenName")
    /// ```
    ///
    /// Both must have one type, an optional property must stay optional, and the new schema must not have the old name.
    /// Otherwise the program stops.
    ///
    /// - Complexity: O(n) in the objects of the class.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        guard let before = old.declared.schema[typeName] else {
            misuse("Cannot rename properties for type '\(typeName)' because it does not exist.")
        }
        guard let after = new.declared.schema[typeName] else {
            misuse("Cannot rename properties for type '\(typeName)' because it has been removed from the Realm.")
        }
        guard let source = before.index(of: oldName) else {
            misuse("Cannot rename property '\(typeName).\(oldName)' because it does not exist.")
        }
        guard let target = after.index(of: newName) else {
            misuse("Renamed property '\(typeName).\(newName)' does not exist.")
        }
        if after.index(of: oldName) != nil {
            misuse(
                "Cannot rename property '\(typeName).\(oldName)' to '\(newName)' because the source property still exists."
            )
        }
        let (property, renamed) = (before.properties[source], after.properties[target])
        guard property.type == renamed.type, property.collection == renamed.collection,
            property.target == renamed.target
        else {
            misuse(
                "Cannot rename property '\(typeName).\(oldName)' to '\(newName)' because it would change from type "
                    + "'\(property.type.word)' to '\(renamed.type.word)'.")
        }
        if property.isOptional, !renamed.isOptional {
            misuse(
                "Cannot rename property '\(typeName).\(oldName)' to '\(newName)' because it would change from optional to "
                    + "required.")
        }
        copyValues(typeName, source, property, to: target)
    }

    /// Gives a property of the new schema the values of an old property. The compiler checks the new name.
    ///
    /// ```swift
    /// migration.renameProperty(from: "fullName", to: \Person.name)
    /// ```
    ///
    /// See ``renameProperty(onType:from:to:)``.
    public func renameProperty<Model: ObjectBase, Value>(from oldName: String, to property: KeyPath<Model, Value>) {
        let name = _name(for: property)
        renameProperty(
            onType: Model.className(), from: oldName,
            to: ObjectModel.of(Model.self).property(named: name)?.storedName ?? name)
    }

    private func copyValues(
        _ typeName: String, _ source: Int, _ property: StoredProperty, to target: Int
    ) {
        let (from, to) = (old.access(named: typeName), new.access(named: typeName))
        let isOwned = property.target.map { old.declared.schema[$0]?.kind == .embedded } ?? false
        for key in to.table.allKeys where to.exists(key) && from.exists(key) {
            if isOwned {
                // The embedded objects were deleted with the old property: they are created again.
                let (before, after) = (from.object(key), to.object(key))
                to.setDynamicValue(
                    before.held(forKey: property.name), of: after, to.schema.properties[target].name)
            } else if property.type == .mixed, from.instance.transaction.hasNestedCollections {
                to.copyMixed(key, source, of: from, to: target)
            } else if property.collection == .none {
                to.write(key, target, from.table.value(key, source))
            } else {
                to.table.copyCollection(key, source, of: from.table, to: target)
            }
        }
    }
}
