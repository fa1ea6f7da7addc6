import CausewayModel
import CausewayObjectStore

/// An object of a class that the program need not declare. Its properties are those of the file, accessed by name.
///
/// ```swift
/// let dogs: Results<DynamicObject> = realm.dynamicObjects("Dog")
/// let name = dogs[0]["name"] as? String
/// let age: Any? = dogs[0].age
/// ```
///
/// Enumerations and mapped types appear as their stored values. An unknown property name stops the program.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// Reads or writes the property of this name.
    ///
    /// ```swift
    /// let first = realm.dynamicObjects("Dog")[0]
    /// print(first.name as? String ?? "")
    /// ```
    public subscript(dynamicMember member: String) -> Any? {
        get { value(forKey: member) }
        set { setValue(newValue, forKey: member) }
    }

    /// False: dynamic objects are rows of the file's classes, and this class has no table of its own.
    ///
    /// ```swift
    /// DynamicObject.shouldIncludeInDefaultSchema()    // false
    /// ```
    public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An object inside of a migration.
///
/// ```swift
/// func fullName(of person: MigrationObject) -> String { "\(person["firstName"]!) \(person["lastName"]!)" }
/// ```
public typealias MigrationObject = DynamicObject

// MARK: - Values by the file's schema

extension _ClassAccess {
    /// The value of a dynamic object's property; nil for an empty optional.
    func dynamicValue(of object: ObjectBase, _ name: String) -> Any? {
        let position = dynamicPosition(name)
        return flattened(model.properties[position].wrapper.readManaged(object, columns[position]))
    }

    /// Sets a dynamic object's property, converting as `Realm.create` does.
    func setDynamicValue(_ any: Any?, of object: ObjectBase, _ name: String) {
        let column = columns[dynamicPosition(name)]
        let property = schema.properties[column]
        instance.checkWritable()
        var given = any.flatMap(flattened)
        if let text = given as? Text { given = text.string }
        if property.collection == .none {
            return write(object._key, column, element(given, of: property, column))
        }
        let list = ManagedList(object, self, column)
        list.checkWritable()
        if property.collection == .map {
            guard let entries = entries(of: given) else { refuse(given, for: property) }
            return ManagedMap(list).replaceAll(
                entries.map { (key: $0.key, value: element(flattened($0.value), of: property, column)) })
        }
        guard let elements = elements(of: given) else { refuse(given, for: property) }
        let values = elements.map { element(flattened($0), of: property, column) }
        if property.collection == .set { ManagedSet(list).replaceAll(values) } else { list.replaceAll(values) }
    }

    /// A property's value, or an element of its collection, as the store holds it.
    private func element(_ any: Any?, of property: StoredProperty, _ column: Int) -> Value {
        if property.type == .mixed {
            guard let value = AnyRealmValue(any: any as Any) else { refuse(any, for: property) }
            let stored = value._toStored(self).value
            if property.collection == .set { instance.refuseNestedInSet(stored) }
            return stored
        }
        guard property.type == .object else {
            guard let value = storedValue(of: any as Any)?.converted(to: property.type, isOptional: property.isOptional)
            else { refuse(any, for: property) }
            return value
        }
        guard let any, let target = target(column) else { return .null }
        if let object = any as? ObjectBase, object._instance === instance, !target.isEmbedded,
            object._access?.model.className == target.model.className
        {
            _ = object._checkedAccess()
            return .object(object._key)
        }
        return .object(target.createDynamic(from: any))
    }

    private func elements(of any: Any?) -> [Any]? {
        switch any {
        case nil: []
        case is String, is ObjectBase: nil
        case let array as [Any]: array
        case let sequence as any Sequence: sequence.map { $0 as Any }
        default: nil
        }
    }

    /// The entries of a map or dictionary, sorted by key, so that objects that are created here always get their rows
    /// in the same order; nil for other values.
    private func entries(of any: Any?) -> [(key: String, value: Any)]? {
        let entries: [(key: String, value: Any)]
        switch any {
        case nil: return []
        case let map as any MapFilling: entries = map.namedValues
        case let dictionary as [String: Any]: entries = dictionary.map { (key: $0.key, value: $0.value) }
        default: return nil
        }
        return entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private func refuse(_ any: Any?, for property: StoredProperty) -> Never {
        misuse(
            "Invalid value '\(any ?? "<null>")' for '\(property.type.word)\(property.isOptional ? "?" : "")' property "
                + "'\(model.className).\(property.name)'.")
    }

    private func dynamicPosition(_ name: String) -> Int {
        guard let position = model.position(of: name) else {
            misuse("Invalid property name '\(name)' for class '\(model.className)'.")
        }
        return position
    }

    // MARK: - Making objects

    /// Creates an object of this class from a dictionary, an array in the order of the properties, or another object.
    /// Under an update policy, changes the object with that primary key instead, if there is one.
    @discardableResult
    func createDynamic(from any: Any, update: Realm.UpdatePolicy = .error) -> ObjectKey {
        var values = dynamicValues(of: any)
        var primaryKey: PrimaryKey?
        if let property = schema.primaryKeyIndex.map({ schema.properties[$0] }) {
            let value = values.removeValue(forKey: property.name).flatMap(flattened)
            let converted = storedValue(of: value as Any)?.converted(to: property.type, isOptional: property.isOptional)
            guard let key = PrimaryKey(converted ?? property.type.zero) else { refuse(value, for: property) }
            primaryKey = key
        } else if isEmbedded {
            primaryKey = instance.coordinator.participant?.container(in: instance.transaction)
        }
        let key = primaryKey.flatMap { update == .error ? nil : table.key(for: $0) } ?? newRow(primaryKey)
        let object = object(key)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { setDynamicValue(value, of: object, name) }
        return key
    }

    private func newRow(_ primaryKey: PrimaryKey?) -> ObjectKey {
        do {
            let key = try table.create(primaryKey)
            created(key)
            return key
        } catch {
            instance.refuse(error, self, primaryKey)
        }
    }

    private func dynamicValues(of any: Any) -> [String: Any] {
        switch any {
        case let values as [String: Any]:
            return values.reduce(into: [:]) { named, entry in
                if let position = model.position(of: entry.key) { named[model.properties[position].name] = entry.value }
            }
        case let values as [Any]:
            guard values.count <= schema.properties.count else {
                misuse(
                    "Invalid array input: more values (\(values.count)) than properties (\(schema.properties.count)).")
            }
            return Dictionary(uniqueKeysWithValues: zip(schema.properties.map(\.name), values))
        case let source as ObjectBase:
            let model = source._access?.model ?? ObjectModel.of(type(of: source))
            let names = schema.properties.map(\.name).filter { model.position(of: $0) != nil }
            return Dictionary(uniqueKeysWithValues: names.map { ($0, source.held(forKey: $0) as Any) })
        default: misuse("Invalid value '\(any)' to initialize object of type '\(model.className)'")
        }
    }
}
