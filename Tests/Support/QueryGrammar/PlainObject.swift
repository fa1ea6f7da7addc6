package import CausewaySeeds

/// One object of the class that the texts are about, as dictionaries.
package struct PlainObject: Sendable {
    package var values: [String: PlainValue] = [:]
    package var lists: [String: [PlainValue]] = [:]
    package var maps: [String: [String: PlainValue]] = [:]

    package static let className = "Item"
    package static let primaryKey = "row"
    package static let backlinks = "@links.Item.items"

    package struct Property: Sendable {
        package var name: String
        package var type: PlainType
        package var isOptional = false
    }

    /// The properties with one value, but for the primary key.
    package static let singles: [Property] = [
        Property(name: "int", type: .int), Property(name: "optInt", type: .int, isOptional: true),
        Property(name: "double", type: .double), Property(name: "float", type: .float),
        Property(name: "decimal", type: .decimal), Property(name: "optDecimal", type: .decimal, isOptional: true),
        Property(name: "bool", type: .bool), Property(name: "name", type: .text),
        Property(name: "optName", type: .text, isOptional: true), Property(name: "data", type: .bytes),
        Property(name: "date", type: .date), Property(name: "objectId", type: .objectId),
        Property(name: "identifier", type: .uuid), Property(name: "mixed", type: .mixed, isOptional: true),
        Property(name: "link", type: .object, isOptional: true), Property(name: "in", type: .int),
    ]
    package static let listProperties: [Property] = [
        Property(name: "ints", type: .int), Property(name: "limits", type: .int),
        Property(name: "doubles", type: .double), Property(name: "decimals", type: .decimal),
        Property(name: "names", type: .text), Property(name: "items", type: .object),
    ]
    package static let mapProperties: [Property] = [Property(name: "map", type: .int)]
    static let mapKeys = ["a", "b", "c d"]

    /// So many objects that hold values which meet each other often.
    package static func drawn(_ count: Int, _ numbers: inout SeededNumbers) -> [PlainObject] {
        (0..<count).map { row in
            var object = PlainObject()
            object.values[primaryKey] = .number(PlainNumber(row), .int)
            for property in singles {
                let isAbsent = property.isOptional && numbers.once(in: 4)
                object.values[property.name] = isAbsent ? .null : value(property.type, &numbers, objects: count)
            }
            for property in listProperties {
                object.lists[property.name] = (0..<numbers.below(4)).map { _ in
                    value(property.type, &numbers, objects: count)
                }
            }
            for property in mapProperties {
                object.maps[property.name] = Dictionary(
                    uniqueKeysWithValues: mapKeys.filter { _ in numbers.once(in: 2) }.map {
                        ($0, value(property.type, &numbers, objects: count))
                    })
            }
            return object
        }
    }

    /// - Parameter objects: how many there are to link to.
    static func value(_ type: PlainType, _ numbers: inout SeededNumbers, objects: Int) -> PlainValue {
        switch type {
        case .int: .number(PlainNumber(numbers.below(9) - 2), .int)
        case .float: .number(eighths(&numbers), .float)
        case .double:
            .number(
                numbers.once(in: 12)
                    ? numbers.one(of: [.notANumber, .infinity(isNegative: false), .infinity(isNegative: true)])
                    : eighths(&numbers), .double)
        case .decimal:
            .number(numbers.once(in: 3) ? nearby(eighths(&numbers), &numbers) : eighths(&numbers), .decimal)
        case .bool: .bool(numbers.once(in: 2))
        case .text: .text(text(&numbers))
        case .bytes: .bytes(numbers.one(of: [[], [0x61], [0x61, 0x62], [0, 255], [0x62, 0x61]]))
        case .date:
            .date(seconds: numbers.below(4), nanoseconds: numbers.one(of: [0, 125_000_000, 500_000_000]))
        case .objectId: .objectId([numbers.one(of: [0, 1, 255])] + Array(repeating: 7, count: 11))
        case .uuid: .uuid([numbers.one(of: [0, 1, 255])] + Array(repeating: 9, count: 15))
        case .object: .object(numbers.below(objects))
        case .mixed:
            value(
                numbers.one(of: [.int, .double, .decimal, .bool, .text, .bytes, .date, .objectId, .uuid, .object]),
                &numbers, objects: objects)
        }
    }

    static func text(_ numbers: inout SeededNumbers) -> String {
        let words = ["rex", "Rex", "dog", "dogs", "é", "a", "ab", "B", "", "x'y", "C\\D"]
        return (0..<numbers.below(3)).map { _ in numbers.one(of: words) }.joined(separator: " ")
    }

    /// Numbers that every type holds exactly.
    static func eighths(_ numbers: inout SeededNumbers) -> PlainNumber {
        PlainNumber(Int128(numbers.below(48) - 12), over: 8)
    }

    /// A number whose nearest Double is another one, which only decimals tell apart.
    static func nearby(_ number: PlainNumber, _ numbers: inout SeededNumbers) -> PlainNumber {
        let offset = PlainNumber(numbers.one(of: [-2, -1, 1, 2]), over: offsetParts)
        return PlainNumber.result(number, .plus, offset, areIntegers: false) ?? number
    }

    /// A Double beside an eighth is further away than two of these parts.
    static let offsetParts: Int128 = 1_000_000_000_000_000_000
}
