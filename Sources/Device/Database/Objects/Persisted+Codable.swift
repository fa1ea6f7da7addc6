// Objects as JSON and the like, where a class adds `Codable`:
//
//     class Dog: Object, Codable { @Persisted var name = "" }

extension Persisted: Decodable where Value: Decodable {
    /// Reads the value of a new, unmanaged object.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try Value(from: decoder))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Writes the value of an unmanaged object.
    ///
    /// - Throws: `EncodingError.invalidValue` for a managed object, whose properties hold no values: a class whose managed
    ///   objects are to be written implements `encode(to:)` and names its properties there.
    public func encode(to encoder: any Encoder) throws {
        switch storage {
        case .unmanaged(let value, _): try value.encode(to: encoder)
        case .zero: try Value._zeroValue().encode(to: encoder)
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
    /// An optional property whose key is missing, or null, is nil.
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

    /// A property whose key is missing, or null, holds nothing.
    public func decode<T: RealmPropertyType & Decodable>(
        _ type: RealmProperty<T>.Type, forKey key: Key
    ) throws -> RealmProperty<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmProperty()
    }

    /// A property whose key is missing, or null, holds nothing.
    public func decode<T: RealmOptionalType & Decodable>(
        _ type: RealmOptional<T>.Type, forKey key: Key
    ) throws -> RealmOptional<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmOptional()
    }
}
