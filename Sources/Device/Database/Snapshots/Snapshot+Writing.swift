import CausewayModel
import CausewayObjectStore
import Foundation

// Converts a snapshot to the dictionary that `Realm.create` and initialisers take.

/// A snapshot of any class.
protocol AnySnapshot {
    var content: SnapshotContent { get }
}

extension Snapshot: AnySnapshot {}

extension SnapshotContent {
    /// The values by property name. References are resolved in the Realm. If the object is gone, the link is nil, and a
    /// collection omits it. Properties with a reference without primary key are left out, because nothing identifies
    /// the object.
    func values(in instance: RealmInstance?) -> [String: Any] {
        guard let items else {
            return model.primaryKey.map { [$0.name: primaryKey.any ?? NSNull()] } ?? [:]
        }
        var values: [String: Any] = [:]
        for (property, item) in zip(model.properties, items) where !item.isUnnamed {
            values[property.name] = item.any(in: instance) ?? NSNull()
        }
        return values
    }

    /// The object of a reference, nil when it is not in the Realm; or the values of a full snapshot.
    func linked(in instance: RealmInstance?) -> Any? {
        guard items == nil, let instance else { return values(in: instance) }
        guard let key = PrimaryKey(primaryKey), instance.declared.models[model.className] != nil else { return nil }
        let access = instance.access(named: model.className)
        return access.table.key(for: key).map { access.object($0) }
    }
}

extension SnapshotItem {
    /// Whether it has a reference without primary key.
    fileprivate var isUnnamed: Bool {
        switch self {
        case .value: false
        case .object(let content): content.items == nil && content.model.primaryKeyIndex == nil
        case .elements(let elements): elements.contains(where: \.isUnnamed)
        case .entries(let entries): entries.values.contains(where: \.isUnnamed)
        }
    }

    fileprivate func any(in instance: RealmInstance?) -> Any? {
        switch self {
        case .value(let value): value.any
        case .object(let content): content.linked(in: instance)
        case .elements(let elements):
            elements.compactMap { element -> Any? in
                if case .value(let value) = element { return value.any ?? NSNull() }
                return element.any(in: instance)
            }
        case .entries(let entries): entries.mapValues { $0.any(in: instance) ?? NSNull() }
        }
    }
}
