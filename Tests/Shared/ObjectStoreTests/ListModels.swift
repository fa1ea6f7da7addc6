import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds

/// A class with lists of every type, and what a list does to an array.
enum ListModels {
    static let schema = Schema([holder, toy])

    static let toy = ClassSchema(name: "Toy", properties: [Property(name: "id", type: .int, isPrimaryKey: true)])

    static let holder = ClassSchema(
        name: "Holder",
        properties: [Property(name: "id", type: .int, isPrimaryKey: true)]
            + PropertyType.allCases.filter { $0 != .object }.flatMap { type in
                [
                    Property(name: "\(type)", type: type, collection: .list),
                    Property(name: "optional \(type)", type: type, collection: .list, isOptional: true),
                ]
            } + [Property(name: "toys", type: .object, collection: .list, target: "Toy")])

    static var toys: Int { holder.properties.count - 1 }
    static let numbers = column("int")

    static func column(_ name: String) -> Int { holder.properties.firstIndex { $0.name == name }! }

    static func value(_ column: Int, _ toys: [ObjectKey], _ numbers: inout SeededNumbers) -> Value {
        let property = holder.properties[column]
        if property.type == .object { return .object(numbers.one(of: toys)) }
        if property.isOptional, numbers.once(in: 4) { return .null }
        if property.type == .string, numbers.once(in: 100) { return .string(String(repeating: "x", count: 3000)) }
        return RandomValues.value(of: property.type, &numbers)
    }

    /// What edits make of a list.
    static func apply(_ edits: [ListEdit], to values: [Value]) -> [Value] {
        var values = values
        for edit in edits {
            switch edit {
            case .insert(let index, let value): values.insert(value, at: index)
            case .remove(let index): values.remove(at: index)
            case .set(let index, let value): values[index] = value
            case .move(let from, let to): values.insert(values.remove(at: from), at: to)
            case .clear: values = []
            }
        }
        return values
    }
}

/// Does the same random things to one list and to an array.
struct RandomListEdits {
    let column: Int
    let toys: [ObjectKey]
    var numbers: SeededNumbers
    var values: [Value] = []

    /// - Parameter growth: how many of a hundred edits insert.
    mutating func edit(_ table: Table, _ key: ObjectKey, times: Int, growth: Int) {
        // Now and then at one place, as programs do.
        let isAtEnd = numbers.once(in: 3)
        let isAtFront = !isAtEnd && numbers.once(in: 4)
        for _ in 0..<times {
            let index = isAtEnd ? values.count : isAtFront ? 0 : numbers.below(values.count + 1)
            let value = ListModels.value(column, toys, &numbers)
            if numbers.below(100) < growth || values.isEmpty {
                table.listInsert(key, column, index, value)
                values.insert(value, at: index)
                continue
            }
            let place = min(index, values.count - 1)
            switch numbers.below(10) {
            case 0:
                let to = numbers.below(values.count)
                table.listMove(key, column, place, to)
                values.insert(values.remove(at: place), at: to)
            case 1...2:
                table.listSet(key, column, place, value)
                values[place] = value
            case 3 where numbers.once(in: 300):
                table.listClear(key, column)
                values = []
            case 4 where numbers.once(in: 300):
                let count = numbers.one(of: [0, 1, 63, 64, 65, 700])
                values = (0..<count).map { _ in ListModels.value(column, toys, &numbers) }
                table.listReplace(key, column, values)
            default:
                table.listRemove(key, column, place)
                values.remove(at: place)
            }
        }
    }
}
