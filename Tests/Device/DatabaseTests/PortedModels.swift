import Causeway
import Foundation

/// Classes as they stand in apps that were written for RealmSwift: with defaults left out, values of mapped types, and
/// collections of everything.
class PortedOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name: String?
    @Persisted var joined: Date
    @Persisted var balance: Decimal128
    @Persisted var anything: AnyRealmValue
    @Persisted var home: PortedAddress?
    @Persisted var addresses: List<PortedAddress>
    @Persisted var addressesByName: Map<String, PortedAddress?>
    @Persisted var dog: PortedDog?
    @Persisted var dogs: List<PortedDog>
    @Persisted var dogsByName: Map<String, PortedDog?>
    @Persisted var nicknames: List<String>
    @Persisted var scores: List<Int?>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var mixed: Map<String, AnyRealmValue>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PortedDog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var weight: Double?
    @Persisted var toy: PortedToy?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<PortedOwner>
    var nothing: Int { 0 }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PortedToy: Object {
    @Persisted var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PortedAddress: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A type that has no value for an empty text.
struct PortedStrictCode: FailableCustomPersistable, Equatable {
    var text: String
    init?(persistedValue: String) {
        if persistedValue.isEmpty { return nil }
        text = persistedValue
    }
    var persistableValue: String { text }
}

class PortedStrict: Object {
    @Persisted var code: PortedStrictCode
    @Persisted var lastCode: PortedStrictCode?
    @Persisted var codes: List<PortedStrictCode?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Shows a property that is not stored, too.
class PortedDogProjection: Projection<PortedDog> {
    @Projected(\PortedDog.name) var name
    @Projected(\PortedDog.nothing) var nothing
}

/// A class that is nothing but the other end of links.
class PortedTag: Object {
    @Persisted(originProperty: "tag") var items: LinkingObjects<PortedItem>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PortedItem: Object {
    @Persisted var tag: PortedTag?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct PortedPoint: CustomPersistable, Equatable {
    var x: Double
    var y: Double
    init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    init(persistedValue: PortedPlace) { self.init(x: persistedValue.x, y: persistedValue.y) }
    var persistableValue: PortedPlace { PortedPlace(value: ["x": x, "y": y]) }
}

class PortedPlace: EmbeddedObject {
    @Persisted var x = 0.0
    @Persisted var y = 0.0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PortedRoute: Object {
    @Persisted var name = ""
    @Persisted var start: PortedPoint
    @Persisted var end: PortedPoint?
    @Persisted var points: List<PortedPoint>
    @Persisted var pointsByName: Map<String, PortedPoint?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum PortedKind: Int, PersistableEnum {
    case small = 1, medium, large
}

enum PortedStatus: String, PersistableEnum {
    case open, waiting, done
}

struct PortedCelsius: CustomPersistable, Equatable {
    var degrees: Double
    init(_ degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

struct PortedCode: CustomPersistable, Equatable {
    var text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

class PortedTask: Object {
    @Persisted(primaryKey: true) var kind = PortedKind.small
    @Persisted(indexed: true) var status: PortedStatus
    @Persisted(indexed: true) var lastStatus: PortedStatus?
    @Persisted(indexed: true) var code: PortedCode
    @Persisted(indexed: true) var oldCode: PortedCode?
    @Persisted var warmth: PortedCelsius
    @Persisted var warmthAtNight: PortedCelsius?
    @Persisted var statuses: List<PortedStatus>
    @Persisted var warmths: List<PortedCelsius>
    @Persisted var marks: List<Int?>
    @Persisted var marksByName: Map<String, Int?>
    @Persisted var notes: List<AnyRealmValue>
    @Persisted var files: List<Data>
    @Persisted var flags: List<Bool>
    @Persisted var words: List<String?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A Realm of its own, in memory, with all of these classes.
func portedRealm() throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [
                PortedOwner.self, PortedDog.self, PortedToy.self, PortedAddress.self, PortedTag.self, PortedItem.self,
                PortedPlace.self, PortedRoute.self, PortedTask.self, PortedStrict.self,
            ]))
}
