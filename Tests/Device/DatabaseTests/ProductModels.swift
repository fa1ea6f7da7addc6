import Causeway
import Foundation

/// A collection of every kind of every type that a collection can hold, but for objects.
class ProductHolder: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var listBool: List<Bool>
    @Persisted var setBool: MutableSet<Bool>
    @Persisted var mapBool: Map<String, Bool>
    @Persisted var listBoolMaybe: List<Bool?>
    @Persisted var setBoolMaybe: MutableSet<Bool?>
    @Persisted var mapBoolMaybe: Map<String, Bool?>
    @Persisted var listInt: List<Int>
    @Persisted var setInt: MutableSet<Int>
    @Persisted var mapInt: Map<String, Int>
    @Persisted var listIntMaybe: List<Int?>
    @Persisted var setIntMaybe: MutableSet<Int?>
    @Persisted var mapIntMaybe: Map<String, Int?>
    @Persisted var listInt8: List<Int8>
    @Persisted var setInt8: MutableSet<Int8>
    @Persisted var mapInt8: Map<String, Int8>
    @Persisted var listInt8Maybe: List<Int8?>
    @Persisted var setInt8Maybe: MutableSet<Int8?>
    @Persisted var mapInt8Maybe: Map<String, Int8?>
    @Persisted var listInt16: List<Int16>
    @Persisted var setInt16: MutableSet<Int16>
    @Persisted var mapInt16: Map<String, Int16>
    @Persisted var listInt16Maybe: List<Int16?>
    @Persisted var setInt16Maybe: MutableSet<Int16?>
    @Persisted var mapInt16Maybe: Map<String, Int16?>
    @Persisted var listInt32: List<Int32>
    @Persisted var setInt32: MutableSet<Int32>
    @Persisted var mapInt32: Map<String, Int32>
    @Persisted var listInt32Maybe: List<Int32?>
    @Persisted var setInt32Maybe: MutableSet<Int32?>
    @Persisted var mapInt32Maybe: Map<String, Int32?>
    @Persisted var listInt64: List<Int64>
    @Persisted var setInt64: MutableSet<Int64>
    @Persisted var mapInt64: Map<String, Int64>
    @Persisted var listInt64Maybe: List<Int64?>
    @Persisted var setInt64Maybe: MutableSet<Int64?>
    @Persisted var mapInt64Maybe: Map<String, Int64?>
    @Persisted var listFloat: List<Float>
    @Persisted var setFloat: MutableSet<Float>
    @Persisted var mapFloat: Map<String, Float>
    @Persisted var listFloatMaybe: List<Float?>
    @Persisted var setFloatMaybe: MutableSet<Float?>
    @Persisted var mapFloatMaybe: Map<String, Float?>
    @Persisted var listDouble: List<Double>
    @Persisted var setDouble: MutableSet<Double>
    @Persisted var mapDouble: Map<String, Double>
    @Persisted var listDoubleMaybe: List<Double?>
    @Persisted var setDoubleMaybe: MutableSet<Double?>
    @Persisted var mapDoubleMaybe: Map<String, Double?>
    @Persisted var listDecimal: List<Decimal128>
    @Persisted var setDecimal: MutableSet<Decimal128>
    @Persisted var mapDecimal: Map<String, Decimal128>
    @Persisted var listDecimalMaybe: List<Decimal128?>
    @Persisted var setDecimalMaybe: MutableSet<Decimal128?>
    @Persisted var mapDecimalMaybe: Map<String, Decimal128?>
    @Persisted var listString: List<String>
    @Persisted var setString: MutableSet<String>
    @Persisted var mapString: Map<String, String>
    @Persisted var listStringMaybe: List<String?>
    @Persisted var setStringMaybe: MutableSet<String?>
    @Persisted var mapStringMaybe: Map<String, String?>
    @Persisted var listData: List<Data>
    @Persisted var setData: MutableSet<Data>
    @Persisted var mapData: Map<String, Data>
    @Persisted var listDataMaybe: List<Data?>
    @Persisted var setDataMaybe: MutableSet<Data?>
    @Persisted var mapDataMaybe: Map<String, Data?>
    @Persisted var listDate: List<Date>
    @Persisted var setDate: MutableSet<Date>
    @Persisted var mapDate: Map<String, Date>
    @Persisted var listDateMaybe: List<Date?>
    @Persisted var setDateMaybe: MutableSet<Date?>
    @Persisted var mapDateMaybe: Map<String, Date?>
    @Persisted var listDuration: List<Duration>
    @Persisted var setDuration: MutableSet<Duration>
    @Persisted var mapDuration: Map<String, Duration>
    @Persisted var listDurationMaybe: List<Duration?>
    @Persisted var setDurationMaybe: MutableSet<Duration?>
    @Persisted var mapDurationMaybe: Map<String, Duration?>
    @Persisted var listObjectId: List<ObjectId>
    @Persisted var setObjectId: MutableSet<ObjectId>
    @Persisted var mapObjectId: Map<String, ObjectId>
    @Persisted var listObjectIdMaybe: List<ObjectId?>
    @Persisted var setObjectIdMaybe: MutableSet<ObjectId?>
    @Persisted var mapObjectIdMaybe: Map<String, ObjectId?>
    @Persisted var listUUID: List<UUID>
    @Persisted var setUUID: MutableSet<UUID>
    @Persisted var mapUUID: Map<String, UUID>
    @Persisted var listUUIDMaybe: List<UUID?>
    @Persisted var setUUIDMaybe: MutableSet<UUID?>
    @Persisted var mapUUIDMaybe: Map<String, UUID?>
    @Persisted var listSize: List<ProductSize>
    @Persisted var setSize: MutableSet<ProductSize>
    @Persisted var mapSize: Map<String, ProductSize>
    @Persisted var listSizeMaybe: List<ProductSize?>
    @Persisted var setSizeMaybe: MutableSet<ProductSize?>
    @Persisted var mapSizeMaybe: Map<String, ProductSize?>
    @Persisted var listWord: List<ProductWord>
    @Persisted var setWord: MutableSet<ProductWord>
    @Persisted var mapWord: Map<String, ProductWord>
    @Persisted var listWordMaybe: List<ProductWord?>
    @Persisted var setWordMaybe: MutableSet<ProductWord?>
    @Persisted var mapWordMaybe: Map<String, ProductWord?>
    @Persisted var listWeight: List<ProductWeight>
    @Persisted var setWeight: MutableSet<ProductWeight>
    @Persisted var mapWeight: Map<String, ProductWeight>
    @Persisted var listWeightMaybe: List<ProductWeight?>
    @Persisted var setWeightMaybe: MutableSet<ProductWeight?>
    @Persisted var mapWeightMaybe: Map<String, ProductWeight?>
    @Persisted var listMixed: List<AnyRealmValue>
    @Persisted var setMixed: MutableSet<AnyRealmValue>
    @Persisted var mapMixed: Map<String, AnyRealmValue>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum ProductSize: Int, PersistableEnum, Codable {
    case small = -1, medium, large
}

enum ProductWord: String, PersistableEnum, Codable {
    case zero = "", one, two
}

struct ProductWeight: CustomPersistable, Codable {
    var grams: Double
    init(persistedValue: Double) { grams = persistedValue }
    var persistableValue: Double { grams }
}

/// Values of a type in their order, as a person would write it down.
protocol ProductValue: RealmCollectionValue, _OptionalPersistable, SendableMetatype {
    static var ordered: [Self] { get }
    /// What numbers of the type add up to; nil for what is no number.
    var amount: Double? { get }
}

extension ProductValue {
    var amount: Double? { nil }
}

extension Bool: ProductValue { static var ordered: [Bool] { [false, true] } }
extension Int8: ProductValue {
    static var ordered: [Int8] { [.min, -1, 0, 1, 7, .max] }
    var amount: Double? { Double(self) }
}
extension Int16: ProductValue {
    static var ordered: [Int16] { [.min, -1, 0, 1, 7, .max] }
    var amount: Double? { Double(self) }
}
extension Int32: ProductValue {
    static var ordered: [Int32] { [.min, -1, 0, 1, 7, .max] }
    var amount: Double? { Double(self) }
}
extension Int: ProductValue {
    static var ordered: [Int] { [-1 << 40, -1, 0, 1, 7, 1 << 40] }
    var amount: Double? { Double(self) }
}
extension Int64: ProductValue {
    static var ordered: [Int64] { [-1 << 40, -1, 0, 1, 7, 1 << 40] }
    var amount: Double? { Double(self) }
}
extension Float: ProductValue {
    static var ordered: [Float] { [-2.5, 0, 0.25, 3, 1e6] }
    var amount: Double? { Double(self) }
}
extension Double: ProductValue {
    static var ordered: [Double] { [-1e9, -2.5, 0, 0.25, 3, 1e9] }
    var amount: Double? { self }
}
extension Decimal128: ProductValue {
    static var ordered: [Decimal128] { ["-1E+3", "-0.5", "0", "0.25", "12345678901234567890.5"] }
    var amount: Double? { doubleValue }
}
extension String: ProductValue { static var ordered: [String] { ["", "A", "a", "ab", "b", "é", "日本"] } }
extension Data: ProductValue {
    static var ordered: [Data] { [Data(), Data([0]), Data([0, 1]), Data([1]), Data([255])] }
}
extension Date: ProductValue {
    static var ordered: [Date] { [-1e9, 0, 0.5, 1e9].map { Date(timeIntervalSince1970: $0) } }
}
extension Duration: ProductValue {
    static var ordered: [Duration] { [.seconds(-3), .zero, .milliseconds(1), .seconds(3600)] }
}
extension ObjectId: ProductValue {
    static var ordered: [ObjectId] {
        [
            ObjectId("000000000000000000000000"), ObjectId("00000000000000000000000a"),
            ObjectId("7fffffffffffffffffffffff"), ObjectId("ff0000000000000000000000"),
        ]
    }
}
extension UUID: ProductValue {
    static var ordered: [UUID] {
        [0, 1, 128, 255].map { UUID(uuid: ($0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) }
    }
}
extension ProductSize: ProductValue { static var ordered: [ProductSize] { [.small, .medium, .large] } }
extension ProductWord: ProductValue { static var ordered: [ProductWord] { [.zero, .one, .two] } }
extension ProductWeight: ProductValue {
    static var ordered: [ProductWeight] { [-2, 0, 0.5, 9].map { ProductWeight(persistedValue: $0) } }
    var amount: Double? { grams }
}
