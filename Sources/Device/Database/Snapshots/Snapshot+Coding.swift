import CausewayModel
import Foundation

// The encoded form is an object keyed by property names. A reference has only its primary key. A mixed value is encoded
// as an object with one key: the name of its type, or for a link the name of its class.

extension Snapshot: Codable {
    /// Decodes a snapshot from an object keyed by property names.
    ///
    /// ```swift
    /// let rex = try JSONDecoder().decode(Snapshot<Dog>.self, from: json)
    /// ```
    ///
    /// - Throws: `DecodingError` if a property is missing or has a value that does not fit the class.
    public init(from decoder: any Decoder) throws {
        content = try SnapshotContent(from: decoder, as: ObjectModel.of(Model.self))
    }

    /// Encodes the snapshot as an object keyed by property names.
    ///
    /// ```swift
    /// let json = try JSONEncoder().encode(dog.snapshot())    // calls encode(to:)
    /// ```
    public func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
}

private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { nil }
}

// MARK: - Writing

extension SnapshotContent: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        guard let items else {
            guard let property = model.primaryKey else { return }
            return try container.encode(CodedItem(.value(primaryKey), property.shape.type), forKey: Name(property.name))
        }
        for (property, item) in zip(model.properties, items) {
            try container.encode(
                CodedItem(item, property.shape.type, isValue: property.shape.collection == .none),
                forKey: Name(property.name))
        }
    }
}

private struct CodedItem: Encodable {
    let item: SnapshotItem
    let type: StoredType
    /// Whether a collection here is inside a mixed value.
    let isValue: Bool

    init(_ item: SnapshotItem, _ type: StoredType, isValue: Bool = true) {
        self.item = item
        self.type = type
        self.isValue = isValue
    }

    func encode(to encoder: any Encoder) throws {
        switch item {
        case .elements where type == .mixed && isValue:
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(CodedItem(item, type, isValue: false), forKey: Name(NestedName.list))
        case .entries where type == .mixed && isValue:
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(CodedItem(item, type, isValue: false), forKey: Name(NestedName.dictionary))
        case .elements(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(CodedItem(element, type)) }
        case .entries(let entries):
            var container = encoder.container(keyedBy: Name.self)
            for (key, value) in entries { try container.encode(CodedItem(value, type), forKey: Name(key)) }
        case .object(let content) where type == .mixed:
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(content, forKey: Name(content.model.className))
        case .object(let content): try content.encode(to: encoder)
        case .value(let value) where type == .mixed:
            guard let type = value.type else {
                var container = encoder.singleValueContainer()
                return try container.encodeNil()
            }
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(CodedItem(item, type), forKey: Name(type.word))
        case .value(let value):
            var container = encoder.singleValueContainer()
            switch value.any {
            case let value as any Encodable: try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }
}

/// The keys of collections inside a mixed value, in place of a type name. No Swift name begins with `#`, so no class
/// has such a name.
private enum NestedName {
    static let list = "#list"
    static let dictionary = "#dictionary"
}

// MARK: - Reading

extension SnapshotContent {
    init(from decoder: any Decoder, as model: ObjectModel) throws {
        let container = try decoder.container(keyedBy: Name.self)
        let names = Set(container.allKeys.map(\.stringValue))
        let primaryKey = model.primaryKey
        if model.properties.count > (primaryKey == nil ? 0 : 1), names.isSubset(of: primaryKey.map { [$0.name] } ?? []),
            names.count == (primaryKey == nil ? 0 : 1)
        {
            guard let primaryKey else {
                self.init(model, referenceTo: .null)
                return
            }
            guard case .value(let value) = try Self.item(of: primaryKey, in: container) else {
                self.init(model, referenceTo: .null)
                return
            }
            self.init(model, referenceTo: value)
            return
        }
        self.init(model, items: try model.properties.map { try Self.item(of: $0, in: container) })
    }

    private static func item(
        of property: ObjectModel.Property, in container: KeyedDecodingContainer<Name>
    ) throws -> SnapshotItem {
        let name = Name(property.name)
        let shape = property.shape
        switch shape.collection {
        case .none:
            guard shape.isOptional, try !container.contains(name) || container.decodeNil(forKey: name) else {
                let item = try container.superDecoder(forKey: name, ifPresent: property.name)
                return try Self.item(from: item, property)
            }
            return .value(.null)
        case .list, .set:
            guard container.contains(name) else { return .elements([]) }
            var elements = try container.nestedUnkeyedContainer(forKey: name)
            var items: [SnapshotItem] = []
            while !elements.isAtEnd {
                if shape.isOptional, try elements.decodeNil() {
                    items.append(.value(.null))
                } else {
                    items.append(try Self.item(from: elements.superDecoder(), property))
                }
            }
            return .elements(items)
        case .map:
            guard container.contains(name) else { return .entries([:]) }
            let entries = try container.nestedContainer(keyedBy: Name.self, forKey: name)
            var items: [String: SnapshotItem] = [:]
            for key in entries.allKeys {
                if shape.isOptional, try entries.decodeNil(forKey: key) {
                    items[key.stringValue] = .value(.null)
                } else {
                    items[key.stringValue] = try Self.item(from: entries.superDecoder(forKey: key), property)
                }
            }
            return .entries(items)
        }
    }

    private static func item(from decoder: any Decoder, _ property: ObjectModel.Property) throws -> SnapshotItem {
        switch property.shape.type {
        case .object:
            guard let target = property.shape.target else { throw invalid(decoder, "no object") }
            return .object(try SnapshotContent(from: decoder, as: ObjectModel.of(target)))
        case .mixed:
            let container = try decoder.container(keyedBy: Name.self)
            guard let key = container.allKeys.first, container.allKeys.count == 1 else {
                throw invalid(decoder, "no value under the name of its type")
            }
            if let type = StoredType.allCases.first(where: { $0.word == key.stringValue && $0 != .mixed }),
                type != .object
            {
                return .value(try value(of: type, from: container.superDecoder(forKey: key)))
            }
            if key.stringValue == NestedName.list || key.stringValue == NestedName.dictionary {
                return try nested(from: container.superDecoder(forKey: key), property)
            }
            guard let type = classes[key.stringValue] else {
                throw invalid(decoder, "a value of the unknown type '\(key.stringValue.prefix(80))'")
            }
            let content = try SnapshotContent(from: container.superDecoder(forKey: key), as: ObjectModel.of(type))
            return .object(content)
        default:
            let value = try value(of: property.shape.type, from: decoder)
            guard property.wrapper.canRead(value) else {
                throw invalid(decoder, "a value that its property has no place for")
            }
            return .value(value)
        }
    }

    private static func nested(from decoder: any Decoder, _ property: ObjectModel.Property) throws -> SnapshotItem {
        guard decoder.codingPath.count <= 3 * NestedCollection.levelMax else {
            throw invalid(decoder, "collections nested deeper than \(NestedCollection.levelMax) levels")
        }
        if let container = try? decoder.container(keyedBy: Name.self) {
            var entries: [String: SnapshotItem] = [:]
            for key in container.allKeys {
                let isNull = try container.decodeNil(forKey: key)
                entries[key.stringValue] =
                    isNull ? .value(.null) : try item(from: container.superDecoder(forKey: key), property)
            }
            return .entries(entries)
        }
        var container = try decoder.unkeyedContainer()
        var elements: [SnapshotItem] = []
        while !container.isAtEnd {
            elements.append(
                try container.decodeNil() ? .value(.null) : item(from: container.superDecoder(), property))
        }
        return .elements(elements)
    }

    /// The classes that a mixed value may link to.
    private static let classes = Dictionary(
        ClassDiscovery.allClasses().filter { $0._kind == .object }.map { ($0.className(), $0) },
        uniquingKeysWith: { $1 })

    private static func value(of type: StoredType, from decoder: any Decoder) throws -> Value {
        let container = try decoder.singleValueContainer()
        return switch type {
        case .bool: .bool(try container.decode(Bool.self))
        case .int: .int(try container.decode(Int64.self))
        case .float: .float(try container.decode(Float.self))
        case .double: .double(try container.decode(Double.self))
        case .string: .string(try container.decode(String.self))
        case .data: .bytes(Array(try container.decode(Data.self)))
        case .date: try container.decode(Date.self)._stored.value
        case .objectId: try container.decode(ObjectId.self)._stored.value
        case .uuid: try container.decode(UUID.self)._stored.value
        case .decimal128: .decimal(try container.decode(Decimal128.self).number)
        case .object, .mixed: throw invalid(decoder, "no plain value")
        }
    }

    private static func invalid(_ decoder: any Decoder, _ what: String) -> DecodingError {
        DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "The snapshot has \(what)."))
    }
}

extension KeyedDecodingContainer<Name> {
    fileprivate func superDecoder(forKey name: Name, ifPresent shown: String) throws -> any Decoder {
        guard contains(name) else {
            throw DecodingError.keyNotFound(
                name, DecodingError.Context(codingPath: codingPath, debugDescription: "The snapshot has no '\(shown)'.")
            )
        }
        return try superDecoder(forKey: name)
    }
}

// MARK: - What a property can show

extension PersistedWrapper {
    /// Whether a decoded value is valid for the property or its elements: a number fits its width, an enumeration has
    /// the case.
    static func canRead(_ stored: Value) -> Bool {
        guard let type = readableType as? any _OptionalPersistable.Type else { return true }
        return type.canRead(stored)
    }
}

extension _OptionalPersistable {
    fileprivate static func canRead(_ stored: Value) -> Bool {
        _optionalFromStored(_StoredValue(stored), nil) != nil
    }
}

/// A collection that exposes the type of its elements.
protocol ElementTyped {
    static var elementType: any Any.Type { get }
}

extension List: ElementTyped { static var elementType: any Any.Type { Element.self } }
extension MutableSet: ElementTyped { static var elementType: any Any.Type { Element.self } }
extension Map: ElementTyped { static var elementType: any Any.Type { Value.self } }
