import CausewayModel
import Foundation

/// Objects that are being made from dictionaries, arrays and other objects, before they enter a Realm.
///
/// It remembers which properties each of them was given: an update writes only those.
final class Draft {
    /// The Realm the objects are meant for: its own objects are linked to, those of others are copied.
    let instance: RealmInstance?
    private var given: [ObjectIdentifier: Set<String>] = [:]
    /// Copies made so far, so that a cycle of objects becomes the same cycle of copies.
    private var copies: [ObjectIdentifier: ObjectBase] = [:]

    init(for instance: RealmInstance? = nil) {
        self.instance = instance
    }

    /// Whether an update should write the property. Objects that were not made here are written whole.
    func wrote(_ property: String, of object: ObjectBase) -> Bool {
        given[ObjectIdentifier(object)]?.contains(property) ?? true
    }

    // MARK: - Filling

    func make(_ type: ObjectBase.Type, from value: Any) -> ObjectBase {
        let object = type.init()
        fill(object, from: value)
        return object
    }

    func fill(_ object: ObjectBase, from value: Any) {
        let model = ObjectModel.of(type(of: object))
        given[ObjectIdentifier(object)] = []
        switch value {
        case let source as ObjectBase:
            copies[ObjectIdentifier(source)] = object
            let sourceModel = ObjectModel.of(type(of: source))
            for property in model.properties where sourceModel.property(named: property.name) != nil {
                set(object, property, to: source.value(forKey: property.name) ?? Optional<Any>.none as Any, in: model)
            }
        case let values as [String: Any]:
            for name in values.keys.sorted() where model.property(named: name) == nil {
                if model.inverses.contains(where: { $0.name == name }) {
                    misuse("Linking objects property '\(model.className).\(name)' cannot be assigned.")
                }
                misuse("Invalid property name '\(name)' for class '\(model.className)'.")
            }
            for property in model.properties {
                if let value = values[property.name] { set(object, property, to: value, in: model) }
            }
        case let values as [Any]:
            guard values.count <= model.properties.count else {
                misuse(
                    "Invalid array input: more values (\(values.count)) than properties (\(model.properties.count)).")
            }
            for (property, value) in zip(model.properties, values) {
                set(object, property, to: value, in: model)
            }
        default:
            misuse("Invalid value '\(value)' to initialize object of type '\(model.className)'")
        }
    }

    func set(_ object: ObjectBase, _ name: String, to value: Any) {
        let model = ObjectModel.of(type(of: object))
        guard let property = model.property(named: name) else {
            misuse("Invalid property name '\(name)' for class '\(model.className)'.")
        }
        set(object, property, to: value, in: model)
    }

    private func set(_ object: ObjectBase, _ property: ObjectModel.Property, to any: Any, in model: ObjectModel) {
        given[ObjectIdentifier(object)]?.insert(property.name)
        let wrapper = Unmanaged.passUnretained(object).toOpaque() + property.offset
        let written =
            if property.isScalar {
                setScalar(object, wrapper, property, any)
            } else if property.shape.collection == .list {
                setList(object, wrapper, property, any)
            } else {
                setLink(object, wrapper, property, any)
            }
        guard written else {
            let kind =
                property.shape.collection == .list ? "array of \(property.shape.type.word)" : property.shape.type.word
            misuse(
                "Invalid value '\(flattened(any) ?? "<null>")' of type '\(type(of: flattened(any) ?? NSNull()))' for "
                    + "'\(kind)\(property.shape.isOptional ? "?" : "")' property '\(model.className).\(property.name)'."
            )
        }
    }

    private func setScalar(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        guard
            let value = storedValue(of: flattened(any) ?? NSNull())?
                .converted(to: property.shape.type, isOptional: property.shape.isOptional)
        else { return false }
        if object._header == nil { return property.wrapper.write(wrapper, stored: value) }
        let access = object._writableAccess()
        access.write(object._key, access.column(of: property), value)
        return true
    }

    private func setLink(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        guard let target = property.shape.target else { return false }
        var link: ObjectBase?
        if let value = flattened(any), !(value is NSNull) {
            guard let found = resolve(value, as: target) else { return false }
            link = found
        }
        return property.wrapper.assign(object, wrapper, link)
    }

    private func setList(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        guard let elements = elements(of: flattened(any)),
            let list = property.wrapper.read(object, wrapper) as? any ListFilling
        else { return false }
        return list.fill(with: elements) { [self] element in
            guard let target = property.shape.target else { return element }
            return flattened(element).flatMap { resolve($0, as: target) }
        }
    }

    private func elements(of any: Any?) -> [Any]? {
        switch any {
        case nil: []
        case is NSNull: []
        case is String, is ObjectBase: nil
        case let array as [Any]: array
        case let sequence as any Sequence: sequence.map { $0 as Any }
        default: nil
        }
    }

    /// The object a link should lead to: the very object where it may be linked to, else a copy or a new one.
    private func resolve(_ any: Any, as target: ObjectBase.Type) -> ObjectBase? {
        guard let object = any as? ObjectBase else {
            guard any is [String: Any] || any is [Any] else { return nil }
            return make(target, from: any)
        }
        guard type(of: object) == target || object.isMember(of: target) else { return make(target, from: object) }
        if target._kind != .embedded {
            if object._header == nil, instance == nil { return object }
            if let instance, object._instance === instance { return object }
        } else if object._header == nil, instance == nil {
            return object
        }
        if let copy = copies[ObjectIdentifier(object)] { return copy }
        return make(target, from: object)
    }
}

extension ObjectBase {
    final func isMember(of type: ObjectBase.Type) -> Bool {
        Swift.type(of: self).className() == type.className()
    }
}

/// A list that a draft can fill, whatever its element type.
protocol ListFilling {
    /// Replaces the content; false when an element does not fit.
    func fill(with elements: [Any], resolving: (Any) -> Any?) -> Bool
}
