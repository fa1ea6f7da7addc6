import CausewayModel

// Finds the properties that a class declares and their offsets in its objects.
//
// The runtime's own reflection lists every stored property with its type and its offset, superclasses included. The
// standard library exports these functions but does not declare them. So their answers are compared with those of
// `Mirror`, the public interface to the same records, for a live object. If a later runtime changes them, this check
// stops the program with a message before anything is written to a wrong address.

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func recursiveChildCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func recursiveChildMetadata(
    _ type: Any.Type, index: Int, fieldMetadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func recursiveChildOffset(_ type: Any.Type, index: Int) -> Int

/// The layout that the runtime fills in.
private struct FieldMetadata {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVar = false
}

extension ObjectModel {
    private struct Field {
        var label: String
        var type: Any.Type
        var offset: Int
    }

    /// See ``RuntimeLayout``.
    static var offsetsAreAsExpected: Bool {
        class First {
            let small: UInt8 = 7
        }
        final class Second: First {
            let large: UInt64 = 0x0123_4567_89AB_CDEF
        }
        let probe = Second()
        let base = Unmanaged.passUnretained(probe).toOpaque()
        return withExtendedLifetime(probe) {
            recursiveChildCount(Second.self) == 2
                && base.load(fromByteOffset: recursiveChildOffset(Second.self, index: 0), as: UInt8.self) == 7
                && base.load(fromByteOffset: recursiveChildOffset(Second.self, index: 1), as: UInt64.self)
                    == probe.large
        }
    }

    static func discover(_ type: ObjectBase.Type) -> ObjectModel {
        let object = type.init()
        let base = Unmanaged.passUnretained(object).toOpaque()
        let ignored = Set(type.ignoredProperties())
        let indexed = Set(type.indexedProperties())
        let mapping = type.propertiesMapping()
        let declaredPrimaryKey = type._declaredPrimaryKey
        var properties: [Property] = []
        var inverses: [Inverse] = []

        let fields = fields(of: type)
        // If one property is declared with `@Persisted`, properties without it are not persisted.
        let isOfBoxes = !fields.contains { $0.type is any PersistedWrapper.Type }
        var passedOver: [String] = []
        for (field, live) in zip(fields, liveWrappers(of: object, type)) {
            guard let (name, wrapper) = declaration(field, isOfBoxes), !ignored.contains(name) else {
                if field.type is any PropertyBox.Type, !ignored.contains(field.label) { passedOver.append(field.label) }
                continue
            }
            let shape = wrapper.shape
            if shape.isInverse {
                guard let origin = shape.target, let property = wrapper.originProperty(base + field.offset) else {
                    misuse(
                        "Property '\(type.className()).\(name)' of type 'LinkingObjects' needs an origin property: "
                            + "declare it with @Persisted(originProperty:).")
                }
                inverses.append(
                    Inverse(name: name, offset: field.offset, wrapper: wrapper, origin: origin, property: property))
                continue
            }
            properties.append(
                Property(
                    name: name,
                    storedName: mapping[name] ?? name,
                    offset: field.offset,
                    wrapper: wrapper,
                    shape: shape,
                    isPrimaryKey: (live?.flags ?? 0) & PersistedFlags.primaryKey != 0 || declaredPrimaryKey == name,
                    isIndexed: (live?.flags ?? 0) & PersistedFlags.indexed != 0 || indexed.contains(name),
                    isFullTextIndexed: (live?.flags ?? 0) & PersistedFlags.fullText != 0,
                    deletionRule: PersistedFlags.deletionRule(live?.flags ?? 0)))
        }
        withExtendedLifetime(object) {}
        if let declaredPrimaryKey, !properties.contains(where: { $0.name == declaredPrimaryKey }) {
            misuse("Primary key property '\(declaredPrimaryKey)' does not exist on object '\(type.className())'")
        }
        let declared = recursiveChildCount(type) - recursiveChildCount(ObjectBase.self)
        return ObjectModel(
            type: type, className: type.className(), kind: type._kind, properties: properties, inverses: inverses,
            passedOver: passedOver,
            holdsOnlyRows: declared == properties.count + inverses.count && !isOfBoxes)
    }

    /// The name and the wrapper of a field that declares a persisted property.
    private static func declaration(
        _ field: Field, _ isOfBoxes: Bool
    ) -> (name: String, wrapper: any PersistedWrapper.Type)? {
        if let wrapper = field.type as? any PersistedWrapper.Type { return (String(field.label.dropFirst()), wrapper) }
        guard isOfBoxes, let box = field.type as? any PropertyBox.Type else { return nil }
        return (field.label, box.wrapper)
    }

    /// Every stored property, superclasses first.
    private static func fields(of type: ObjectBase.Type) -> [Field] {
        (0..<recursiveChildCount(type)).map { index in
            var metadata = FieldMetadata()
            let fieldType = recursiveChildMetadata(type, index: index, fieldMetadata: &metadata)
            defer { metadata.free?(metadata.name) }
            return Field(
                label: metadata.name.map { String(cString: $0) } ?? "",
                type: fieldType,
                offset: recursiveChildOffset(type, index: index))
        }
    }

    /// The wrappers of a live object, one entry for each stored property in the same order. Stops the program if the
    /// two reflections differ.
    private static func liveWrappers(of object: ObjectBase, _ type: ObjectBase.Type) -> [(any PersistedWrapper)?] {
        var levels: [Mirror] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            levels.append(level)
            mirror = level.superclassMirror
        }
        let children = levels.reversed().flatMap { Array($0.children) }
        let fields = fields(of: type)
        let agrees =
            children.count == fields.count
            && zip(children, fields).allSatisfy { child, field in
                (child.label ?? "") == field.label && field.offset > 0
                    && (child.value is any PersistedWrapper) == (field.type is any PersistedWrapper.Type)
            }
        guard agrees else {
            misuse(
                "The Swift runtime describes the properties of '\(type.className())' in two different ways. "
                    + "This build of the library does not fit this version of Swift; update the library.")
        }
        return children.map { $0.value as? any PersistedWrapper }
    }
}
