import CausewayModel
import SwiftProtobuf

extension Schema {
    init(_ envelope: EnvelopeSchema) throws(SyncFailure) {
        guard envelope.classes.count <= Bounds.classes else {
            throw .tooMuch("A schema of \(envelope.classes.count) classes", Bounds.classes)
        }
        var classes: [ClassSchema] = []
        var names: Set<String> = []
        for described in envelope.classes {
            let one = try ClassSchema(described)
            guard names.insert(one.name).inserted else {
                throw .malformed("its schema describes the class '\(one.name)' twice")
            }
            classes.append(one)
        }
        self.init(classes)
    }
}

extension ClassSchema {
    init(_ envelope: EnvelopeClass) throws(SyncFailure) {
        guard envelope.properties.count <= Bounds.propertiesOfClass else {
            throw .tooMuch("A class of \(envelope.properties.count) properties", Bounds.propertiesOfClass)
        }
        let kind: ClassKind
        switch envelope.kind {
        case .object: kind = .object
        case .embedded: kind = .embedded
        case .asymmetric: kind = .asymmetric
        case .UNRECOGNIZED(let number):
            throw .malformed("the class '\(envelope.name)' is of kind \(number), which this program does not know")
        }
        var properties: [Property] = []
        var names: Set<String> = []
        for described in envelope.properties {
            let property = try Property(described, of: envelope.name)
            guard names.insert(property.name).inserted else {
                throw .malformed("the class '\(envelope.name)' has the property '\(property.name)' twice")
            }
            properties.append(property)
        }
        self.init(name: try checked(name: envelope.name), kind: kind, properties: properties)
    }
}

extension Property {
    init(_ envelope: EnvelopeProperty, of className: String) throws(SyncFailure) {
        let isCounter = envelope.type == Self.counterType
        // A text is a string in a collection kind of its own, so that a program that knows no texts refuses it.
        let isText = envelope.collection == textCollection && envelope.type == UInt32(PropertyType.string.rawValue)
        guard let type = isCounter ? .int : UInt8(exactly: envelope.type).flatMap(PropertyType.init),
            let collection = isText
                ? CollectionKind.none : UInt8(exactly: envelope.collection).flatMap(CollectionKind.init)
        else {
            throw .malformed(
                "the property '\(className).\(envelope.name)' is of type \(envelope.type) in collection "
                    + "\(envelope.collection), which this program does not know")
        }
        guard (type == .object) == !envelope.target.isEmpty else {
            throw .malformed("the property '\(className).\(envelope.name)' is no link or links to no class")
        }
        self.init(
            name: try checked(name: envelope.name), type: type, collection: collection,
            // Null is a value of every mixed property, so the sender's flag is ignored for it.
            isOptional: envelope.optional || type == .mixed, isPrimaryKey: envelope.primaryKey,
            isIndexed: envelope.indexed,
            target: envelope.target.isEmpty ? nil : try checked(name: envelope.target), isCounter: isCounter,
            isText: isText)
    }

    /// The type of a counter on the wire. It has its own, so that a program that knows no counters refuses it. In the
    /// store it is an integer like others.
    fileprivate static let counterType: UInt32 = 18
}

/// The collection kind of a text on the wire.
private let textCollection: UInt32 = 4

private func checked(name: String) throws(SyncFailure) -> String {
    guard !name.isEmpty, name.utf8.count <= Bounds.nameBytes else {
        throw .malformed("a name in its schema has \(name.utf8.count) bytes; 1 to \(Bounds.nameBytes) are allowed")
    }
    return name
}

// MARK: - The other way

extension EnvelopeSchema {
    init(_ schema: Schema) {
        self.init()
        classes = schema.classes.map { EnvelopeClass($0) }
    }
}

extension EnvelopeClass {
    init(_ schema: ClassSchema) {
        self.init()
        name = schema.name
        kind =
            switch schema.kind {
            case .object: .object
            case .embedded: .embedded
            case .asymmetric: .asymmetric
            }
        properties = schema.properties.map { EnvelopeProperty($0) }
    }
}

extension EnvelopeProperty {
    init(_ property: Property) {
        self.init()
        name = property.name
        type = property.isCounter ? Property.counterType : UInt32(property.type.rawValue)
        collection = property.isText ? textCollection : UInt32(property.collection.rawValue)
        optional = property.isOptional
        primaryKey = property.isPrimaryKey
        indexed = property.isIndexed
        target = property.target ?? ""
    }
}
