import Causeway
import Foundation

/// A property of `ReachedThing`: how its nth value is written, how it is read, and what the nth value reads like. The text of
/// a value is made from the number alone, without the library.
struct Probe: Sendable {
    let name: String
    /// Nil for what follows from other objects.
    let write: (@Sendable (ReachedThing, _ number: Int) -> Void)?
    let read: @Sendable (ReachedThing) -> String
    let text: @Sendable (_ id: Int, _ number: Int) -> String

    init(
        _ name: String, write: (@Sendable (ReachedThing, Int) -> Void)?,
        read: @escaping @Sendable (ReachedThing) -> String,
        text: @escaping @Sendable (Int) -> String
    ) {
        self.name = name
        self.write = write
        self.read = read
        self.text = { _, number in text(number) }
    }

    /// For what does not change with what is written.
    init(
        _ name: String, read: @escaping @Sendable (ReachedThing) -> String,
        textOfID: @escaping @Sendable (Int) -> String
    ) {
        self.name = name
        write = nil
        self.read = read
        text = { id, _ in textOfID(id) }
    }
}

/// How many parts there are to link to.
let partCount = 20

private func part(_ number: Int, _ thing: ReachedThing) -> ReachedPart? {
    thing.realm?.object(ofType: ReachedPart.self, forPrimaryKey: number % partCount)
}

func bytes(_ number: Int) -> [UInt8] { (0..<number % 5).map { UInt8(truncatingIfNeeded: number &+ $0) } }

func hex(_ number: Int, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: width - digits.count) + digits
}

func objectId(_ number: Int) -> ObjectId { try! ObjectId(string: hex(number, 24)) }

func uuid(_ number: Int) -> UUID { UUID(uuidString: "00000000-0000-4000-8000-\(hex(number, 12))")! }

func isNil(_ number: Int) -> Bool { number % 3 == 0 }

private func place(_ number: Int) -> ReachedPlace {
    ReachedPlace(value: ["street": "street \(number)", "notes": ["note \(number)"]] as [String: Any])
}

private func read(_ place: ReachedPlace?) -> String { place.map { "\($0.street) \(Array($0.notes))" } ?? "nil" }

private func text(place number: Int) -> String { "street \(number) [\"note \(number)\"]" }

func read(_ value: AnyRealmValue) -> String {
    switch value {
    case .none: "none"
    case .int(let value): "int \(value)"
    case .string(let value): "string \(value)"
    case .object: "part \(value.object(ReachedPart.self)?.id ?? -1)"
    case .list(let list): "list " + list.map { read($0) }.joined(separator: ",")
    case .dictionary(let map):
        "map " + map.keys.sorted().map { "\($0)=\(read(map[$0] ?? .none))" }.joined(separator: ",")
    default: "other"
    }
}

func mixed(_ number: Int, _ thing: ReachedThing) -> AnyRealmValue {
    switch number % 6 {
    case 0: .none
    case 1: .int(number)
    case 2: .string("text \(number)")
    case 3: part(number, thing).map { .object($0) } ?? .none
    case 4: .fromArray([.int(number), .string("in \(number)")])
    default: .fromDictionary(["key": .int(number)])
    }
}

func text(mixed number: Int) -> String {
    switch number % 6 {
    case 0: "none"
    case 1: "int \(number)"
    case 2: "string text \(number)"
    case 3: "part \(number % partCount)"
    case 4: "list int \(number),string in \(number)"
    default: "map key=int \(number)"
    }
}

let probes: [Probe] = scalarProbes + linkProbes + collectionProbes + elementProbes

private let scalarProbes: [Probe] = [
    Probe("int", write: { $0.int = $1 }, read: { "\($0.int)" }, text: { "\($0)" }),
    Probe(
        "intMaybe", write: { $0.intMaybe = isNil($1) ? nil : $1 }, read: { $0.intMaybe.map { "\($0)" } ?? "nil" },
        text: { isNil($0) ? "nil" : "\($0)" }),
    Probe(
        "narrow", write: { $0.narrow = Int8(truncatingIfNeeded: $1) }, read: { "\($0.narrow)" },
        text: { "\(Int8(truncatingIfNeeded: $0))" }),
    Probe("bool", write: { $0.bool = $1 % 2 == 0 }, read: { "\($0.bool)" }, text: { "\($0 % 2 == 0)" }),
    Probe(
        "boolMaybe", write: { $0.boolMaybe = isNil($1) ? nil : $1 % 2 == 0 },
        read: { $0.boolMaybe.map { "\($0)" } ?? "nil" }, text: { isNil($0) ? "nil" : "\($0 % 2 == 0)" }),
    Probe("float", write: { $0.float = Float($1) / 2 }, read: { "\($0.float)" }, text: { "\(Float($0) / 2)" }),
    Probe("double", write: { $0.double = Double($1) / 4 }, read: { "\($0.double)" }, text: { "\(Double($0) / 4)" }),
    Probe(
        "doubleMaybe", write: { $0.doubleMaybe = isNil($1) ? nil : Double($1) },
        read: { $0.doubleMaybe.map { "\($0)" } ?? "nil" }, text: { isNil($0) ? "nil" : "\(Double($0))" }),
    Probe("string", write: { $0.string = "text \($1)" }, read: { $0.string }, text: { "text \($0)" }),
    Probe(
        "stringMaybe", write: { $0.stringMaybe = isNil($1) ? nil : "text \($1)" }, read: { $0.stringMaybe ?? "nil" },
        text: { isNil($0) ? "nil" : "text \($0)" }),
    Probe("indexed", write: { $0.indexed = "word \($1)" }, read: { $0.indexed }, text: { "word \($0)" }),
    Probe("data", write: { $0.data = Data(bytes($1)) }, read: { "\(Array($0.data))" }, text: { "\(bytes($0))" }),
    Probe(
        "dataMaybe", write: { $0.dataMaybe = isNil($1) ? nil : Data(bytes($1)) },
        read: { $0.dataMaybe.map { "\(Array($0))" } ?? "nil" }, text: { isNil($0) ? "nil" : "\(bytes($0))" }),
    Probe(
        "date", write: { $0.date = Date(timeIntervalSince1970: Double($1)) },
        read: { "\(Int($0.date.timeIntervalSince1970))" }, text: { "\($0)" }),
    Probe(
        "dateMaybe", write: { $0.dateMaybe = isNil($1) ? nil : Date(timeIntervalSince1970: Double($1)) },
        read: { $0.dateMaybe.map { "\(Int($0.timeIntervalSince1970))" } ?? "nil" },
        text: { isNil($0) ? "nil" : "\($0)" }),
    Probe("decimal", write: { $0.decimal = Decimal128($1) }, read: { "\($0.decimal)" }, text: { "\($0)" }),
    Probe(
        "objectId", write: { $0.objectId = objectId($1) }, read: { $0.objectId.stringValue },
        text: { hex($0, 24) }),
    Probe("uuid", write: { $0.uuid = uuid($1) }, read: { $0.uuid.uuidString }, text: { uuid($0).uuidString }),
    Probe(
        "uuidMaybe", write: { $0.uuidMaybe = isNil($1) ? nil : uuid($1) }, read: { $0.uuidMaybe?.uuidString ?? "nil" },
        text: { isNil($0) ? "nil" : uuid($0).uuidString }),
    Probe("size", write: { $0.size = ReachedSize($1) }, read: { "\($0.size)" }, text: { "\(ReachedSize($0))" }),
    Probe(
        "angle", write: { $0.angle = ReachedAngle(degrees: Double($1)) }, read: { "\($0.angle.degrees)" },
        text: { "\(Double($0))" }),
    Probe(
        "spot", write: { $0.spot = ReachedSpot(street: "spot \($1)") }, read: { $0.spot.street }, text: { "spot \($0)" }
    ),
    Probe("counter", write: { $0.counter = Counter($1) }, read: { "\($0.counter.value)" }, text: { "\($0)" }),
    Probe("body", write: { $0.body.replace(with: "body \($1)") }, read: { $0.body.string }, text: { "body \($0)" }),
    Probe("any", write: { $0.any = mixed($1, $0) }, read: { read($0.any) }, text: { text(mixed: $0) }),
    Probe(
        "int16", write: { $0.int16 = Int16(truncatingIfNeeded: $1) }, read: { "\($0.int16)" },
        text: { "\(Int16(truncatingIfNeeded: $0))" }),
    Probe("int32", write: { $0.int32 = Int32($1) }, read: { "\($0.int32)" }, text: { "\($0)" }),
    Probe("int64", write: { $0.int64 = Int64($1) }, read: { "\($0.int64)" }, text: { "\($0)" }),
    Probe(
        "floatMaybe", write: { $0.floatMaybe = isNil($1) ? nil : Float($1) },
        read: { $0.floatMaybe.map { "\($0)" } ?? "nil" }, text: { isNil($0) ? "nil" : "\(Float($0))" }),
    Probe(
        "decimalMaybe", write: { $0.decimalMaybe = isNil($1) ? nil : Decimal128($1) },
        read: { $0.decimalMaybe.map { "\($0)" } ?? "nil" }, text: { isNil($0) ? "nil" : "\($0)" }),
    Probe(
        "objectIdMaybe", write: { $0.objectIdMaybe = isNil($1) ? nil : objectId($1) },
        read: { $0.objectIdMaybe?.stringValue ?? "nil" }, text: { isNil($0) ? "nil" : hex($0, 24) }),
    Probe(
        "sizeMaybe", write: { $0.sizeMaybe = isNil($1) ? nil : ReachedSize($1) },
        read: { $0.sizeMaybe.map { "\($0)" } ?? "nil" }, text: { isNil($0) ? "nil" : "\(ReachedSize($0))" }),
    Probe(
        "angleMaybe", write: { $0.angleMaybe = isNil($1) ? nil : ReachedAngle(degrees: Double($1)) },
        read: { $0.angleMaybe.map { "\($0.degrees)" } ?? "nil" }, text: { isNil($0) ? "nil" : "\(Double($0))" }),
]

private let linkProbes: [Probe] = [
    Probe(
        "part", write: { $0.part = isNil($1) ? nil : part($1, $0) }, read: { $0.part.map { "\($0.id)" } ?? "nil" },
        text: { isNil($0) ? "nil" : "\($0 % partCount)" }),
    Probe(
        "place", write: { $0.place = isNil($1) ? nil : place($1) }, read: { read($0.place) },
        text: { isNil($0) ? "nil" : text(place: $0) }),
    Probe("holders", read: { "\(Array($0.holders).map(\.id).filter { $0 != allHolderID })" }, textOfID: { "[\($0)]" }),
    Probe("holders.origins", read: { "\($0.holders.first?.origins.first?.id ?? -1)" }, textOfID: { "\($0)" }),
]

private let collectionProbes: [Probe] = [
    Probe(
        "ints",
        write: {
            $0.ints.removeAll()
            $0.ints.append(objectsIn: [$1, $1 + 1])
        }, read: { "\(Array($0.ints))" }, text: { "\([$0, $0 + 1])" }),
    Probe(
        "stringsMaybe",
        write: {
            $0.stringsMaybe.removeAll()
            $0.stringsMaybe.append(objectsIn: [nil, "text \($1)"])
        }, read: { $0.stringsMaybe.map { $0 ?? "nil" }.joined(separator: ",") }, text: { "nil,text \($0)" }),
    Probe(
        "parts",
        write: { thing, number in
            thing.parts.removeAll()
            for next in [number, number + 1] { if let part = part(next, thing) { thing.parts.append(part) } }
        }, read: { "\(Array($0.parts).map(\.id))" }, text: { "\([$0 % partCount, ($0 + 1) % partCount])" }),
    Probe(
        "places",
        write: {
            $0.places.removeAll()
            $0.places.append(place($1))
        }, read: { $0.places.map { read($0) }.joined() }, text: { text(place: $0) }),
    Probe(
        "anys",
        write: {
            $0.anys.removeAll()
            $0.anys.append(mixed($1, $0))
        }, read: { $0.anys.map { read($0) }.joined() }, text: { text(mixed: $0) }),
    Probe(
        "someStrings",
        write: {
            $0.someStrings.removeAll()
            $0.someStrings.insert("a \($1)")
            $0.someStrings.insert("b \($1)")
        }, read: { $0.someStrings.sorted().joined(separator: ",") }, text: { "a \($0),b \($0)" }),
    Probe(
        "someParts",
        write: {
            $0.someParts.removeAll()
            if let part = part($1, $0) { $0.someParts.insert(part) }
        }, read: { "\(Array($0.someParts).map(\.id))" }, text: { "[\($0 % partCount)]" }),
    Probe(
        "namedInts",
        write: {
            $0.namedInts.removeAll()
            $0.namedInts["key \($1)"] = $1
        }, read: { map in map.namedInts.keys.sorted().map { "\($0)=\(map.namedInts[$0] ?? -1)" }.joined() },
        text: { "key \($0)=\($0)" }),
    Probe(
        "namedParts",
        write: { $0.namedParts["key"] = part($1, $0) },
        read: { "\($0.namedParts["key"]??.id ?? -1)" }, text: { "\($0 % partCount)" }),
    Probe(
        "namedPlaces", write: { $0.namedPlaces["key"] = place($1) }, read: { read($0.namedPlaces["key"] ?? nil) },
        text: { text(place: $0) }),
]
