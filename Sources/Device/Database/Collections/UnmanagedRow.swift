import CausewayModel
import CausewayQuery

/// An object that no Realm manages, as a query sees it: `index(matching:)` of an unmanaged collection asks for these.
struct UnmanagedRow: RowSource {
    private let object: ObjectBase
    private let known: KnownObjects

    private init(_ object: ObjectBase, _ known: KnownObjects) {
        self.object = object
        self.known = known
    }

    /// The position of the first object that meets a condition.
    static func firstIndex(
        of objects: [ObjectBase], in type: ObjectBase.Type, matching predicate: CausewayQuery.Predicate,
        comparing origin: FileCoordinator?
    ) -> Int? {
        let known = KnownObjects(from: type, comparing: origin)
        do {
            let condition = try predicate.withStoredNames(ObjectModel.of(type))
                .bound(to: type.className(), in: known.schema)
            return objects.firstIndex { condition.matches(UnmanagedRow($0, known)) }
        } catch {
            misuse("\(error)")
        }
    }

    private func content(of property: Int, in className: String) -> Any? {
        known.name(of: property, in: className).flatMap { object.value(forKey: $0) }
    }

    func value(of property: Int, in className: String) -> Value {
        content(of: property, in: className).map { known.stored($0) } ?? .null
    }

    func elements(of property: Int, in className: String) -> [Value] {
        guard property >= 0 else {
            return (content(of: ~property, in: className) as? any MapFilling)?.namedValues.map { .string($0.key) } ?? []
        }
        return switch content(of: property, in: className) {
        case let map as any MapFilling: map.namedValues.map { known.stored($0.value) }
        case let collection as any RealmCollection: collection.value(forKey: "self").map { known.stored($0 as Any) }
        default: []
        }
    }

    func object(at link: Value, in target: String) -> UnmanagedRow? {
        known.object(link, target).map { UnmanagedRow($0, known) }
    }
}

/// The objects that a search has met, by the keys that stand for them in its values. A managed object of the file that
/// the condition's objects are of has its own key, as it has in the condition. The others have negative ones, which no
/// condition names.
private final class KnownObjects {
    let schema: StoredSchema
    private let models: [String: ObjectModel]
    private var objects: [String: [ObjectKey: ObjectBase]] = [:]
    private var keys: [Identity: ObjectKey] = [:]

    private let origin: FileCoordinator?

    init(from type: ObjectBase.Type, comparing origin: FileCoordinator?) {
        self.origin = origin
        var models: [String: ObjectModel] = [:]
        var open: [ObjectBase.Type] = [type]
        while let next = open.popLast() {
            let model = ObjectModel.of(next)
            guard models.updateValue(model, forKey: model.className) == nil else { continue }
            open += model.properties.compactMap(\.shape.target) + model.inverses.map(\.origin)
        }
        self.models = models
        schema = StoredSchema(models.values.map(\.schema))
    }

    func name(of property: Int, in className: String) -> String? {
        guard let stored = schema[className]?.properties[property].name else { return nil }
        return models[className]?.properties.first { $0.storedName == stored }?.name
    }

    func object(_ link: Value, _ className: String) -> ObjectBase? {
        guard case .object(let key) = link else { return nil }
        return objects[className]?[key]
    }

    func stored(_ any: Any) -> Value {
        guard let object = embeddedObject(any) else { return storedValue(of: flattened(any) as Any) ?? .null }
        let key = origin.flatMap { object._instance?.coordinator === $0 ? object._key : nil } ?? standInKey(object)
        objects[type(of: object).className(), default: [:]][key] = object
        return .object(key)
    }

    private func standInKey(_ object: ObjectBase) -> ObjectKey {
        let identity = Identity(object)
        if let known = keys[identity] { return known }
        let key = ObjectKey(ObjectKey.unmanaged.rawValue - 1 - Int64(keys.count))
        keys[identity] = key
        return key
    }

    /// What makes two references the same object: a row of one file, or one instance in memory.
    private enum Identity: Hashable {
        case managed(file: ObjectIdentifier, className: String, ObjectKey)
        case unmanaged(ObjectIdentifier)

        init(_ object: ObjectBase) {
            self =
                if let file = object._instance?.coordinator, object._header != nil {
                    .managed(file: ObjectIdentifier(file), className: type(of: object).className(), object._key)
                } else {
                    .unmanaged(ObjectIdentifier(object))
                }
        }
    }
}
