import CausewayModel
import Foundation

/// Objects that are being made from dictionaries, arrays and other objects, before they enter a Realm.
///
/// It remembers which properties each of them was given: an update writes only those.
final class Draft {
    /// The Realm the objects are meant for: its own objects are linked to, those of others are copied. Unowned, because
    /// the instance keeps a draft for the next object, and whoever uses a draft holds the instance.
    unowned(unsafe) let instance: RealmInstance?
    /// The properties that each object was given, by position in the class's model. Only an update fills it, because
    /// nobody else asks.
    private var given: [ObjectIdentifier: Given] = [:]
    private let isUpdate: Bool
    /// Whether a link to an object of another Realm leads to the object of this Realm with the same primary key.
    private let linksByKey: Bool
    /// Copies made so far, so that a cycle of objects becomes the same cycle of copies.
    private var copies: [ObjectIdentifier: Copy] = [:]

    private struct Given {
        /// Held, because the identity of one that is gone may become another's.
        var object: ObjectBase
        var positions: Set<Int> = []
    }

    private struct Copy {
        /// Held, because the identity of a released object may become another's.
        var source: ObjectBase
        var object: ObjectBase
    }

    init(for instance: RealmInstance? = nil, isUpdate: Bool = false, linksByKey: Bool = false) {
        self.instance = instance
        self.isUpdate = isUpdate
        self.linksByKey = linksByKey
    }

    /// Whether it remembers nothing and may be used for other objects.
    var isBlank: Bool { !isUpdate && copies.isEmpty }

    /// Whether an update should write the property. Objects that were not made here are written whole.
    func wrote(_ property: Int, of object: ObjectBase) -> Bool {
        given[ObjectIdentifier(object)]?.positions.contains(property) ?? true
    }

    // MARK: - Filling

    func make(_ model: ObjectModel, from value: Any) -> ObjectBase {
        let object = model.type.init()
        fill(object, model, from: value)
        return object
    }

    func fill(_ object: ObjectBase, from value: Any) {
        fill(object, ObjectModel.of(type(of: object)), from: value)
    }

    private func fill(_ object: ObjectBase, _ model: ObjectModel, from value: Any) {
        if isUpdate { given[ObjectIdentifier(object)] = Given(object: object) }
        // Objects last: testing whether an array or a dictionary is one bridges it to Foundation first.
        switch value {
        case let values as [Any]: fill(object, model, from: values)
        case let values as [String: Any]: fill(object, model, from: values)
        case let source as ObjectBase: fill(object, model, from: source)
        case let snapshot as any AnySnapshot:
            let values = snapshot.content.values(in: instance)
            fill(object, model, from: values.filter { model.position(of: $0.key) != nil })
        default: misuse("Invalid value '\(value)' to initialize object of type '\(model.className)'")
        }
    }

    private func fill(_ object: ObjectBase, _ model: ObjectModel, from values: [Any]) {
        guard values.count <= model.properties.count else {
            misuse("Invalid array input: more values (\(values.count)) than properties (\(model.properties.count)).")
        }
        for position in values.indices { set(object, position, to: values[position], in: model) }
    }

    private func fill(_ object: ObjectBase, _ model: ObjectModel, from values: [String: Any]) {
        // Keys that name no property are passed over: a dictionary from elsewhere often holds more than the class.
        for position in model.properties.indices {
            if let value = values[model.properties[position].name] { set(object, position, to: value, in: model) }
        }
    }

    private func fill(_ object: ObjectBase, _ model: ObjectModel, from source: ObjectBase) {
        copies[ObjectIdentifier(source)] = Copy(source: source, object: object)
        let sourceModel = ObjectModel.of(type(of: source))
        for position in model.properties.indices {
            let name = model.properties[position].name
            guard sourceModel.position(of: name) != nil else { continue }
            set(object, position, to: source.held(forKey: name) ?? Optional<Any>.none as Any, in: model)
        }
    }

    func set(_ object: ObjectBase, _ name: String, to value: Any) {
        let model = ObjectModel.of(type(of: object))
        guard let position = model.position(of: name) else {
            misuse("Invalid property name '\(name)' for class '\(model.className)'.")
        }
        set(object, position, to: value, in: model)
    }

    private func set(_ object: ObjectBase, _ position: Int, to any: Any, in model: ObjectModel) {
        if isUpdate { given[ObjectIdentifier(object)]?.positions.insert(position) }
        let base = Unmanaged.passUnretained(object).toOpaque()
        // Nearly always the value has the property's own type, and needs no conversion.
        if object._header == nil, model.places[position].take(base + model.places[position].offset, any) { return }
        if object._header == nil, let link = link(any, model.places[position].linkTarget) {
            Persisted<Object?>.take(base + model.places[position].offset, link)
            return
        }
        let property = model.properties[position]
        let wrapper = base + property.offset
        let written =
            if property.isScalar {
                setScalar(object, wrapper, property, any)
            } else if property.shape.isText {
                setText(object, wrapper, property, any)
            } else if property.shape.collection == .map {
                setMap(object, wrapper, property, any)
            } else if property.shape.collection != .none {
                setList(object, wrapper, property, any)
            } else if property.shape.type == .mixed {
                setMixed(object, wrapper, property, any)
            } else {
                setLink(object, wrapper, property, any)
            }
        guard written else {
            let kind =
                property.shape.collection == .none
                ? property.shape.type.word : "\(property.shape.collection.word) of \(property.shape.type.word)"
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

    private func setText(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        let given = flattened(any)
        guard let string = (given as? Text)?.string ?? given as? String,
            let text = property.wrapper.read(object, wrapper) as? Text
        else { return false }
        text.replace(with: string)
        return true
    }

    /// The value, if it is an object of exactly the property's class and of the Realm that the new object is meant for.
    /// Most links are.
    private func link(_ any: Any, _ target: ObjectBase.Type?) -> ObjectBase? {
        guard let target, let instance, let link = exactly(any, target), let header = link._header,
            header.pointee.access._withUnsafeGuaranteedRef({ $0.instance === instance })
        else { return nil }
        return link
    }

    private func setMixed(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        mixed(any).map { property.wrapper.assign(object, wrapper, mixed: $0) } ?? false
    }

    /// Any value as a mixed one. An object is linked to or copied like the target of a link.
    private func mixed(_ any: Any) -> AnyRealmValue? {
        if let collection = AnyRealmValue.collection(any, { mixed($0) }) { return collection }
        guard let value = AnyRealmValue(any: any), case .object(let object) = value else {
            return AnyRealmValue(any: any)
        }
        guard let linked = resolve(object, as: type(of: object)) as? Object else { return nil }
        return .object(linked)
    }

    private func setLink(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        guard let target = property.shape.target else { return false }
        var link: ObjectBase?
        if let value = flattened(any), !(value is NSNull) {
            guard let found = resolve((value as? any _CustomPersistable)?.embeddedObject ?? value, as: target) else {
                return false
            }
            link = found
        }
        return property.wrapper.assign(object, wrapper, link)
    }

    private func setList(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        guard let elements = elements(of: flattened(any)), !(flattened(any) is [String: Any]),
            let list = property.wrapper.read(object, wrapper) as? any ListFilling
        else { return false }
        return list.fill(with: elements) { [self] element in
            if property.shape.type == .mixed { return mixed(element) }
            guard let target = property.shape.target else { return element }
            return flattened(element).flatMap { resolve($0, as: target) }
        }
    }

    private func setMap(
        _ object: ObjectBase, _ wrapper: UnsafeMutableRawPointer, _ property: ObjectModel.Property, _ any: Any
    ) -> Bool {
        guard let entries = entries(of: flattened(any)),
            let map = property.wrapper.read(object, wrapper) as? any MapFilling
        else { return false }
        return map.fill(with: entries) { [self] value in
            if property.shape.type == .mixed { return mixed(value) }
            guard let target = property.shape.target else { return value }
            return flattened(value).flatMap { resolve($0, as: target) }
        }
    }

    private func entries(of any: Any?) -> [(key: String, value: Any)]? {
        switch any {
        case nil, is NSNull: []
        case let map as any MapFilling: map.namedValues
        case let values as [String: Any]: values.map { (key: $0.key, value: $0.value) }
        default: nil
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

    /// The object that a link should lead to: the given object where it may be linked to, else a copy or a new one.
    private func resolve(_ any: Any, as target: ObjectBase.Type) -> ObjectBase? {
        guard let object = any as? ObjectBase else {
            if let snapshot = any as? any AnySnapshot {
                return snapshot.content.linked(in: instance).flatMap { resolve($0, as: target) }
            }
            guard any is [String: Any] || any is [Any] else { return nil }
            return make(ObjectModel.of(target), from: any)
        }
        guard type(of: object) == target || object.isMember(of: target) else {
            return make(ObjectModel.of(target), from: object)
        }
        if target._kind != .embedded {
            // An unmanaged object may link to any object. Adding it later refuses what cannot be.
            guard let instance else { return object }
            if object._instance === instance { return object }
            if linksByKey, let counterpart = instance.counterpart(of: object) { return counterpart }
        } else if object._header == nil, instance == nil {
            return object
        }
        if let copy = copies[ObjectIdentifier(object)] { return copy.object }
        return make(ObjectModel.of(target), from: object)
    }
}

extension ObjectBase {
    final func isMember(of type: ObjectBase.Type) -> Bool {
        Swift.type(of: self).className() == type.className()
    }
}

/// A map that a draft can read and fill, whatever the type of its values.
protocol MapFilling {
    var namedValues: [(key: String, value: Any)] { get }

    /// Replaces the content; false when a value does not fit.
    func fill(with entries: [(key: String, value: Any)], resolving: (Any) -> Any?) -> Bool
}

/// A list or a set that a draft can fill, whatever its element type.
protocol ListFilling {
    /// Replaces the content; false when an element does not fit.
    func fill(with elements: [Any], resolving: (Any) -> Any?) -> Bool
}
