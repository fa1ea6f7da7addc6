import Foundation

/// A `Codable` type that is stored as JSON.
///
/// ```swift
/// struct Address: PersistableAsJSON {
///     var street = ""
///     var city = ""
/// }
/// class Person: Object {
///     @Persisted var home: Address?
///     @Persisted var addresses: List<Address>
/// }
/// ```
///
/// The type needs a value to begin with: give every member a default, or write an `init()`. It works as a property, as an
/// optional, and in lists, sets and maps.
///
/// **Stored form.** The value is one JSON text, with the keys of every object in ascending order. So values that encode
/// alike are stored as equal bytes. Dates are stored as seconds since 2001, data as base 64, and a number that is not
/// finite as a text. A value that nobody has set, of an object that is older than the property, is stored as an empty
/// text.
///
/// **Queries** compare the stored text of the whole value: `==`, `!=`, `in`, and `contains` of collections. So values that
/// are equal and encode differently are different to a query: a type with a `Set`, two spellings of one letter, 0 and −0.
/// A value that nobody has set is found by none of its own. The order of the texts says nothing, and no query looks
/// inside; declare an `EmbeddedObject` for that. `persistableValue` is the text.
///
/// **Merging.** The value is one property: of two devices that change parts of it, the later one wins.
///
/// **Other versions of the type.** What was stored must be readable by the type of today: make a new member optional,
/// or write `init(from:)`. A text that cannot be decoded reads as nil in an optional property; elsewhere it
/// stops the program with the decoder's reason.
///
/// - Complexity: Each read decodes and each assignment encodes the whole value. Keep a read value in a variable.
public protocol PersistableAsJSON: FailableCustomPersistable, Codable where PersistedType == String {
    /// The value of a property that nobody has set. Members with defaults make it without a line.
    init()
}

extension PersistableAsJSON {
    /// The value as JSON. A value that cannot be encoded stops the program.
    ///
    /// ```swift
    /// struct Size: PersistableAsJSON {
    ///     var width = 0.0
    /// }
    /// print(Size(width: 2).persistableValue)    // {"width":2}
    /// ```
    public var persistableValue: String {
        do {
            return String(decoding: try Self.encoder.encode(self), as: UTF8.self)
        } catch {
            misuse("A value of type '\(Self.self)' cannot be stored as JSON: \(error)")
        }
    }

    /// Decodes a stored value; nil if it is no JSON of this type. An empty text stands for the value of ``init()``.
    public init?(persistedValue: String) {
        guard let value = try? Self.decoded(persistedValue) else { return nil }
        self = value
    }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Self { Self() }

    /// A value for reading key paths.
    public static func _tracing(_ recorder: _PathRecorder) -> Self { Self() }

    private static func decoded(_ text: String) throws -> Self {
        text.isEmpty ? Self() : try decoder.decode(Self.self, from: Data(text.utf8))
    }

    /// Why a stored text is no value of this type.
    static func failure(of text: Any) -> String? {
        do {
            _ = try (text as? String).map(decoded)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}
