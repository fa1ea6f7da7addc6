// Coding of objects, for classes that add `Codable`:
//
//     class Dog: Object, Codable { @Persisted var name = "" }

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value for a new, unmanaged object.
    public init(from decoder: any Decoder) throws {
        // By way of a container: there a decoder applies its strategies for dates and data.
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value of an unmanaged object.
    ///
    /// - Throws: `EncodingError.invalidValue` for a managed object, whose properties hold no values. To encode managed
    ///   objects, a class implements `encode(to:)` and encodes its properties there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch storage {
        case .unmanaged(let value, _): try container.encode(value)
        case .zero: try container.encode(Value._zeroValue())
        case .managed, .managedCached, .tracing:
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "Only unmanaged Realm objects can be encoded using automatic Codable synthesis. "
                        + "You must explicitly define encode(to:) on your model class to support managed Realm "
                        + "objects."))
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property. A missing key and null decode to nil.
    ///
    /// ```swift
    /// class Pet: Object, Codable {
    ///     @Persisted var nickname: String?
    ///     override init() { super.init() }
    ///     required init(from decoder: any Decoder) throws {
    ///         super.init()
    ///         let container = try decoder.container(keyedBy: CodingKeys.self)
    ///         _nickname = try container.decode(Persisted<String?>.self, forKey: .nickname)
    ///     }
    /// }
    /// ```
    public func decode<T: _Persistable & Decodable & ExpressibleByNilLiteral>(
        _ type: Persisted<T>.Type, forKey key: Key
    ) throws -> Persisted<T> {
        try decodeIfPresent(type, forKey: key) ?? Persisted(wrappedValue: nil)
    }

    /// Decodes a property. A missing key and null decode to its zero value.
    public func decode<T: RealmPropertyType & Decodable>(
        _ type: RealmProperty<T>.Type, forKey key: Key
    ) throws -> RealmProperty<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmProperty()
    }

    /// Decodes a property. A missing key and null decode to its zero value.
    public func decode<T: RealmOptionalType & Decodable>(
        _ type: RealmOptional<T>.Type, forKey key: Key
    ) throws -> RealmOptional<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmOptional()
    }
}
