import CausewayModel
import CausewayOperations
import CausewaySeeds

/// Changesets to write and read.
enum Sample {
    static func stamp(_ time: UInt64, _ client: UInt64 = 7) -> Stamp {
        Stamp(time: time << 16, client: ClientID(client))
    }

    static func changeset(_ sequence: UInt64, _ operations: [Operation]) -> Changeset {
        Changeset(
            client: ClientID(7), sequence: sequence, stamp: stamp(1_700_000_000_000 + sequence),
            base: ServerVersion(sequence + 40), operations: operations)
    }

    /// A value of every kind, the awkward ones included.
    static let values: [Value] = [
        .null, .bool(true), .bool(false), .int(0), .int(-1), .int(.max), .int(.min), .float(1.5), .float(-0.0),
        .float(.infinity), .double(0), .double(-0.0), .double(3), .double(-1e300), .double(0.1), .double(.infinity),
        .string(""), .string("Flug"), .string("e\u{301}"), .string("\u{e9}"), .bytes([]), .bytes([0, 255, 1]),
        .timestamp(Timestamp(seconds: 1_357_034_400, nanoseconds: 0)),
        .timestamp(Timestamp(seconds: -5, nanoseconds: -999_999_999)),
        .timestamp(Timestamp(seconds: .min, nanoseconds: 0)),
        .objectId(ObjectIdentifier12(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c)),
        .uuid(UUID16(high: .max, low: 1)), .link(.null), .link(.int(-7)), .link(.string("JFK")),
        .link(.objectId(ObjectIdentifier12(high: 1, low: 2))), .link(.uuid(UUID16(high: 3, low: 4))),
        .link(.container(ElementID(client: ClientID(.max), counter: .max))),
    ]

    static let decimals: [Value] = [
        "0", "1.50", "1.5", "-0", "1E+6111", "-Infinity", "12345678901234567890.1234567890",
    ]
    .compactMap { DecimalNumber($0).map { .decimal($0) } }

    static let anyLinks: [Value] = [
        .anyLink(ClassedLink("Dog", .int(-7))), .anyLink(ClassedLink("Größe", .string("e\u{301}"))),
        .anyLink(ClassedLink("", .null)),
    ]

    static func id(_ counter: UInt64, _ client: UInt64 = 7) -> ElementID {
        ElementID(client: ClientID(client), counter: counter)
    }

    /// A row of the flights table: nineteen properties, the identifier not counted.
    static func flight(_ index: Int, _ random: inout SeededNumbers) -> Operation {
        func minutes(_ random: inout SeededNumbers) -> Value {
            Int.random(in: 0..<40, using: &random) == 0 ? .null : .int(.random(in: -20...90, using: &random))
        }
        let hour = Int64(index / 40 % 24)
        let carriers = ["AA", "UA", "DL", "B6", "EV"]
        let airports = ["JFK", "LGA", "EWR", "LAX", "ORD", "ATL", "MIA", "SFO", "BOS", "DEN"]
        return .create(
            ObjectReference("Flight", .int(Int64(index))), life: 1,
            fields: [
                FieldValue("year", .int(2013)), FieldValue("month", .int(Int64(index / 27_000 + 1))),
                FieldValue("day", .int(Int64(index / 900 % 31 + 1))),
                FieldValue("dep_time", .int(.random(in: 500...2359, using: &random))),
                FieldValue("sched_dep_time", .int(hour * 100)), FieldValue("dep_delay", minutes(&random)),
                FieldValue("arr_time", .int(.random(in: 500...2359, using: &random))),
                FieldValue("sched_arr_time", .int(.random(in: 500...2359, using: &random))),
                FieldValue("arr_delay", minutes(&random)),
                FieldValue("carrier", .link(.string(carriers.randomElement(using: &random)!))),
                FieldValue("flight", .int(.random(in: 1...8000, using: &random))),
                FieldValue("tailnum", .link(.string("N\(Int.random(in: 100...4000, using: &random))UA"))),
                FieldValue("origin", .link(.string(airports[Int.random(in: 0..<3, using: &random)]))),
                FieldValue("dest", .link(.string(airports.randomElement(using: &random)!))),
                FieldValue("air_time", .double(Double(Int.random(in: 30...400, using: &random)))),
                FieldValue("distance", .double(Double(Int.random(in: 90...2600, using: &random)))),
                FieldValue("hour", .int(hour)), FieldValue("minute", .int(.random(in: 0..<60, using: &random))),
                FieldValue("time_hour", .timestamp(Timestamp(seconds: 1_357_034_400 + hour * 3600, nanoseconds: 0))),
            ])
    }

    /// Operations of all kinds in random runs.
    static func operations(_ random: inout SeededNumbers) -> [Operation] {
        var operations: [Operation] = []
        let values = values + decimals + anyLinks
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let className = ["Note", "Tag", "Address"].randomElement(using: &random)!
            let length = Int.random(in: 1...12, using: &random)
            let kind = Int.random(in: 0..<6, using: &random)
            let properties = ["title", "done", "a rather long name of a property", "π"].shuffled(using: &random)
                .prefix(.random(in: 0...4, using: &random))
            let property = properties.first ?? "title"
            let isUniform = Bool.random(using: &random)
            let value = values.randomElement(using: &random)!
            for _ in 0..<length {
                let target = ObjectReference(className, key(&random))
                switch kind {
                case 0:
                    let fields = properties.map { name in
                        FieldValue(
                            name, isUniform ? value : values.randomElement(using: &random)!, isDefault: name == "done")
                    }
                    operations.append(.create(target, life: 1, fields: Array(fields)))
                case 1:
                    operations.append(.set(target, FieldValue(property, values.randomElement(using: &random)!)))
                case 2: operations.append(.delete(target, life: isUniform ? 2 : .random(in: 1...9, using: &random) * 2))
                case 3:
                    let map = ObjectReference(className, .int(2))
                    operations.append(.keyed(map, property: property, keyedOperation(&random)))
                case 4:
                    let amount: Int64 = isUniform ? 1 : .random(in: .min ... .max, using: &random)
                    operations.append(.add(target, property: property, Addition(amount)))
                default:
                    let list = ObjectReference(className, .int(1))
                    operations.append(.list(list, property: property, listOperation(&random)))
                }
            }
        }
        return operations
    }

    static func key(_ random: inout SeededNumbers) -> PrimaryKey {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .null
        case 1: .int(.random(in: -100...100, using: &random))
        case 2: .string("key \(Int.random(in: 0..<9, using: &random))")
        case 3: .objectId(ObjectIdentifier12(high: random.next(), low: 5))
        case 4: .uuid(UUID16(high: random.next(), low: 6))
        default: .container(anyID(&random))
        }
    }

    static func anyID(_ random: inout SeededNumbers) -> ElementID {
        id(.random(in: 1...300, using: &random), .random(in: 7...9, using: &random))
    }

    static func keyedOperation(_ random: inout SeededNumbers) -> KeyedOperation {
        let key = values.randomElement(using: &random)!
        guard Bool.random(using: &random) else { return .remove(key: key) }
        return .put(key: key, value: values.randomElement(using: &random)!)
    }

    static func listOperation(_ random: inout SeededNumbers) -> ListOperation {
        func origin(_ random: inout SeededNumbers) -> ElementID? {
            Int.random(in: 0..<3, using: &random) == 0 ? nil : anyID(&random)
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return .insert(
                anyID(&random), left: origin(&random), right: origin(&random),
                value: values.randomElement(using: &random)!)
        case 1: return .delete(anyID(&random))
        case 2:
            return .move(
                anyID(&random), position: anyID(&random), left: origin(&random), right: origin(&random))
        case 3: return .set(anyID(&random), value: values.randomElement(using: &random)!)
        default: return .clear((0..<Int.random(in: 0..<5, using: &random)).map { _ in anyID(&random) })
        }
    }
}
