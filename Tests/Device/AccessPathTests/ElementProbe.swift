import Causeway
import Foundation

/// How the elements of one type are made, and what they read like.
private struct Elements<Element: RealmCollectionValue> {
    let make: @Sendable (Int) -> Element
    let read: @Sendable (Element) -> String
    let text: @Sendable (Int) -> String
}

/// A list, a set and a map of one type.
private func probes<Element: RealmCollectionValue & Hashable>(
    _ name: String, _ elements: Elements<Element>,
    list: @escaping @Sendable (ReachedThing) -> List<Element>,
    some: @escaping @Sendable (ReachedThing) -> MutableSet<Element>,
    named: @escaping @Sendable (ReachedThing) -> Map<String, Element>
) -> [Probe] {
    [
        Probe(
            name,
            write: { thing, number in
                let list = list(thing)
                list.removeAll()
                list.append(objectsIn: [elements.make(number), elements.make(number + 1)])
            }, read: { list($0).map { elements.read($0) }.joined(separator: "|") },
            text: { "\(elements.text($0))|\(elements.text($0 + 1))" }),
        Probe(
            "some " + name,
            write: { thing, number in
                let some = some(thing)
                some.removeAll()
                for next in [number, number + 1] { some.insert(elements.make(next)) }
            }, read: { some($0).map { elements.read($0) }.sorted().joined(separator: "|") },
            text: { Set([elements.text($0), elements.text($0 + 1)]).sorted().joined(separator: "|") }),
        Probe(
            "named " + name,
            write: { thing, number in named(thing)["key"] = elements.make(number) },
            read: { thing in named(thing)["key"].map { elements.read($0) } ?? "nil" }, text: { elements.text($0) }),
    ]
}

let elementProbes: [Probe] =
    elementsOfNumbers + elementsOfOthers + [
        Probe(
            "intsMaybe",
            write: {
                $0.intsMaybe.removeAll()
                $0.intsMaybe.append(objectsIn: [nil, $1])
            }, read: { $0.intsMaybe.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: "|") }, text: { "nil|\($0)" }),
        Probe(
            "namedAnys", write: { $0.namedAnys["key"] = mixed($1, $0) }, read: { read($0.namedAnys["key"] ?? .none) },
            text: { text(mixed: $0) }),
    ]

private let elementsOfNumbers: [Probe] =
    probes(
        "bools", Elements<Bool>(make: { $0 % 2 == 0 }, read: { "\($0)" }, text: { "\($0 % 2 == 0)" }),
        list: { $0.bools }, some: { $0.someBools }, named: { $0.namedBools })
    + probes(
        "int8s",
        Elements<Int8>(
            make: { Int8(truncatingIfNeeded: $0) }, read: { "\($0)" }, text: { "\(Int8(truncatingIfNeeded: $0))" }),
        list: { $0.int8s }, some: { $0.someInt8s }, named: { $0.namedInt8s })
    + probes(
        "int16s",
        Elements<Int16>(
            make: { Int16(truncatingIfNeeded: $0) }, read: { "\($0)" }, text: { "\(Int16(truncatingIfNeeded: $0))" }),
        list: { $0.int16s }, some: { $0.someInt16s }, named: { $0.namedInt16s })
    + probes(
        "int32s", Elements<Int32>(make: { Int32($0) }, read: { "\($0)" }, text: { "\($0)" }),
        list: { $0.int32s }, some: { $0.someInt32s }, named: { $0.namedInt32s })
    + probes(
        "int64s", Elements<Int64>(make: { Int64($0) }, read: { "\($0)" }, text: { "\($0)" }),
        list: { $0.int64s }, some: { $0.someInt64s }, named: { $0.namedInt64s })
    + probes(
        "floats", Elements<Float>(make: { Float($0) / 2 }, read: { "\($0)" }, text: { "\(Float($0) / 2)" }),
        list: { $0.floats }, some: { $0.someFloats }, named: { $0.namedFloats })
    + probes(
        "doubles", Elements<Double>(make: { Double($0) / 4 }, read: { "\($0)" }, text: { "\(Double($0) / 4)" }),
        list: { $0.doubles }, some: { $0.someDoubles }, named: { $0.namedDoubles })

private let elementsOfOthers: [Probe] =
    probes(
        "datas", Elements<Data>(make: { Data(bytes($0)) }, read: { "\(Array($0))" }, text: { "\(bytes($0))" }),
        list: { $0.datas }, some: { $0.someDatas }, named: { $0.namedDatas })
    + probes(
        "dates",
        Elements<Date>(
            make: { Date(timeIntervalSince1970: Double($0)) }, read: { "\(Int($0.timeIntervalSince1970))" },
            text: { "\($0)" }),
        list: { $0.dates }, some: { $0.someDates }, named: { $0.namedDates })
    + probes(
        "decimals", Elements<Decimal128>(make: { Decimal128($0) }, read: { "\($0)" }, text: { "\($0)" }),
        list: { $0.decimals }, some: { $0.someDecimals }, named: { $0.namedDecimals })
    + probes(
        "objectIds", Elements<ObjectId>(make: { objectId($0) }, read: { $0.stringValue }, text: { hex($0, 24) }),
        list: { $0.objectIds }, some: { $0.someObjectIds }, named: { $0.namedObjectIds })
    + probes(
        "uuids", Elements<UUID>(make: { uuid($0) }, read: { $0.uuidString }, text: { uuid($0).uuidString }),
        list: { $0.uuids }, some: { $0.someUuids }, named: { $0.namedUuids })
    + probes(
        "sizes", Elements<ReachedSize>(make: { ReachedSize($0) }, read: { "\($0)" }, text: { "\(ReachedSize($0))" }),
        list: { $0.sizes }, some: { $0.someSizes }, named: { $0.namedSizes })
    + probes(
        "angles",
        Elements<ReachedAngle>(
            make: { ReachedAngle(degrees: Double($0)) }, read: { "\($0.degrees)" }, text: { "\(Double($0))" }),
        list: { $0.angles }, some: { $0.someAngles }, named: { $0.namedAngles })
