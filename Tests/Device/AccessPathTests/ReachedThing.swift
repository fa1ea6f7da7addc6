import Causeway
import Foundation

// One class with a property of every type, and what objects of it are reached from.

enum ReachedSize: Int, PersistableEnum {
    case small = 0
    case middle = 1
    case large = 2

    init(_ number: Int) { self = ReachedSize(rawValue: number % 3) ?? .small }
}

struct ReachedAngle: CustomPersistable {
    var degrees: Double
    init(degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

final class ReachedPlace: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var notes: List<String>
}

/// A value of the app's that is stored as an embedded object.
struct ReachedSpot: CustomPersistable {
    var street: String
    init(street: String) { self.street = street }
    init(persistedValue: ReachedPlace) { street = persistedValue.street }
    var persistableValue: ReachedPlace { ReachedPlace(value: ["street": street]) }
}

final class ReachedPart: Object {
    @Persisted(primaryKey: true) var id = 0
}

final class ReachedThing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var group = 0

    @Persisted var int = 0
    @Persisted var intMaybe: Int?
    @Persisted var narrow: Int8 = 0
    @Persisted var bool = false
    @Persisted var boolMaybe: Bool?
    @Persisted var float: Float = 0
    @Persisted var double = 0.0
    @Persisted var doubleMaybe: Double?
    @Persisted var string = ""
    @Persisted var stringMaybe: String?
    @Persisted(indexed: true) var indexed = ""
    @Persisted var data = Data()
    @Persisted var dataMaybe: Data?
    @Persisted var date = Date(timeIntervalSince1970: 0)
    @Persisted var dateMaybe: Date?
    @Persisted var decimal = Decimal128(0)
    @Persisted var objectId = ObjectId()
    @Persisted var uuid = UUID()
    @Persisted var uuidMaybe: UUID?
    @Persisted var size = ReachedSize.small
    @Persisted var angle = ReachedAngle(degrees: 0)
    @Persisted var spot = ReachedSpot(street: "")
    @Persisted var counter = Counter(0)
    @Persisted var body: Text
    @Persisted var any: AnyRealmValue
    @Persisted var int16: Int16 = 0
    @Persisted var int32: Int32 = 0
    @Persisted var int64: Int64 = 0
    @Persisted var floatMaybe: Float?
    @Persisted var decimalMaybe: Decimal128?
    @Persisted var objectIdMaybe: ObjectId?
    @Persisted var sizeMaybe: ReachedSize?
    @Persisted var angleMaybe: ReachedAngle?

    @Persisted var part: ReachedPart?
    @Persisted var place: ReachedPlace?

    @Persisted var ints: List<Int>
    @Persisted var stringsMaybe: List<String?>
    @Persisted var parts: List<ReachedPart>
    @Persisted var places: List<ReachedPlace>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var someStrings: MutableSet<String>
    @Persisted var someParts: MutableSet<ReachedPart>
    @Persisted var namedInts: Map<String, Int>
    @Persisted var namedParts: Map<String, ReachedPart?>
    @Persisted var namedPlaces: Map<String, ReachedPlace?>

    @Persisted var bools: List<Bool>
    @Persisted var someBools: MutableSet<Bool>
    @Persisted var namedBools: Map<String, Bool>
    @Persisted var int8s: List<Int8>
    @Persisted var someInt8s: MutableSet<Int8>
    @Persisted var namedInt8s: Map<String, Int8>
    @Persisted var int16s: List<Int16>
    @Persisted var someInt16s: MutableSet<Int16>
    @Persisted var namedInt16s: Map<String, Int16>
    @Persisted var int32s: List<Int32>
    @Persisted var someInt32s: MutableSet<Int32>
    @Persisted var namedInt32s: Map<String, Int32>
    @Persisted var int64s: List<Int64>
    @Persisted var someInt64s: MutableSet<Int64>
    @Persisted var namedInt64s: Map<String, Int64>
    @Persisted var floats: List<Float>
    @Persisted var someFloats: MutableSet<Float>
    @Persisted var namedFloats: Map<String, Float>
    @Persisted var doubles: List<Double>
    @Persisted var someDoubles: MutableSet<Double>
    @Persisted var namedDoubles: Map<String, Double>
    @Persisted var datas: List<Data>
    @Persisted var someDatas: MutableSet<Data>
    @Persisted var namedDatas: Map<String, Data>
    @Persisted var dates: List<Date>
    @Persisted var someDates: MutableSet<Date>
    @Persisted var namedDates: Map<String, Date>
    @Persisted var decimals: List<Decimal128>
    @Persisted var someDecimals: MutableSet<Decimal128>
    @Persisted var namedDecimals: Map<String, Decimal128>
    @Persisted var objectIds: List<ObjectId>
    @Persisted var someObjectIds: MutableSet<ObjectId>
    @Persisted var namedObjectIds: Map<String, ObjectId>
    @Persisted var uuids: List<UUID>
    @Persisted var someUuids: MutableSet<UUID>
    @Persisted var namedUuids: Map<String, UUID>
    @Persisted var sizes: List<ReachedSize>
    @Persisted var someSizes: MutableSet<ReachedSize>
    @Persisted var namedSizes: Map<String, ReachedSize>
    @Persisted var angles: List<ReachedAngle>
    @Persisted var someAngles: MutableSet<ReachedAngle>
    @Persisted var namedAngles: Map<String, ReachedAngle>
    @Persisted var intsMaybe: List<Int?>
    @Persisted var namedAnys: Map<String, AnyRealmValue>

    /// The same for all things.
    @Persisted var anchor: ReachedAnchor?

    @Persisted(originProperty: "thing") var holders: LinkingObjects<ReachedHolder>
}

final class ReachedHolder: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var thing: ReachedThing?
    @Persisted var list: List<ReachedThing>
    @Persisted var some: MutableSet<ReachedThing>
    @Persisted var named: Map<String, ReachedThing?>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "holder") var origins: LinkingObjects<ReachedOrigin>
}

/// Leads back to all things that link to it.
final class ReachedAnchor: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(originProperty: "anchor") var things: LinkingObjects<ReachedThing>
}

/// Leads to a thing over two links.
final class ReachedOrigin: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var holder: ReachedHolder?
}

final class ReachedView: Projection<ReachedThing> {
    @Projected(\ReachedThing.string) var string
    @Projected(\ReachedThing.body) var body
}
