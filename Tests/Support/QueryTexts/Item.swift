import Causeway
import CausewayQueryGrammar
import Foundation

/// The class that the texts are about, as an app declares it.
final class Item: Object {
    @Persisted(primaryKey: true) var row: Int
    @Persisted var int: Int
    @Persisted var optInt: Int?
    @Persisted var double: Double
    @Persisted var float: Float
    @Persisted var decimal: Decimal128
    @Persisted var optDecimal: Decimal128?
    @Persisted var bool: Bool
    @Persisted var name: String
    @Persisted var optName: String?
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var objectId: ObjectId
    @Persisted var identifier: UUID
    @Persisted var mixed: AnyRealmValue
    @Persisted var link: Item?
    @Persisted var `in`: Int
    @Persisted var ints: List<Int>
    @Persisted var limits: List<Int>
    @Persisted var doubles: List<Double>
    @Persisted var decimals: List<Decimal128>
    @Persisted var names: List<String>
    @Persisted var items: List<Item>
    @Persisted var map: Map<String, Int>
}

/// The objects in the Realm of a device.
struct DeviceItems {
    let realm: Realm

    init(_ objects: [PlainObject]) throws {
        realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Item.self]))
        try realm.write {
            let items = objects.indices.map { row in
                let item = Item()
                item.row = row
                return item
            }
            realm.add(items)
            for (item, object) in zip(items, objects) { Self.fill(item, object, items) }
        }
    }

    private static func fill(_ item: Item, _ object: PlainObject, _ items: [Item]) {
        func target(_ value: PlainValue) -> Any? {
            if case .object(let row) = value { items[row] } else { value.any }
        }
        for (name, value) in object.values where name != PlainObject.primaryKey {
            item.setValue(name == "mixed" ? mixed(value, items) : target(value), forKey: name)
        }
        for property in PlainObject.listProperties {
            let values = object.lists[property.name] ?? []
            item.setValue(values.compactMap { target($0) }, forKey: property.name)
        }
        for (key, value) in object.maps["map"] ?? [:] {
            if let value = value.any as? Int { item.map[key] = value }
        }
    }

    private static func mixed(_ value: PlainValue, _ items: [Item]) -> AnyRealmValue {
        switch value {
        case .null, .written: .none
        case .bool(let value): .bool(value)
        case .number(let number, .int): .int(number.integer ?? 0)
        case .number(let number, .decimal): .decimal128(Decimal128(stringLiteral: number.text))
        case .number(let number, _): .double(number.double)
        case .text(let text): .string(text)
        case .bytes(let bytes): .data(Data(bytes))
        case .date, .objectId, .uuid: typed(value)
        case .object(let row): .object(items[row])
        }
    }

    private static func typed(_ value: PlainValue) -> AnyRealmValue {
        switch value.any {
        case let date as Date: .date(date)
        case let id as ObjectId: .objectId(id)
        case let uuid as UUID: .uuid(uuid)
        default: .none
        }
    }

    /// The rows that a text finds, in the order of the results.
    func found(_ text: String, _ arguments: [PlainValue]) -> [Int] {
        // Arguments that no placeholder asks for are ignored.
        let given = arguments.map { $0.any ?? NSNull() } + Array(repeating: 0 as Any, count: 6)
        let results = realm.objects(Item.self).filter(text, given[0], given[1], given[2], given[3], given[4], given[5])
        return results.map(\.row)
    }
}

extension PlainValue {
    /// As an app hands it over.
    var any: Any? {
        switch self {
        case .null, .written, .object: nil
        case .bool(let value): value
        case .number(let number, .int): number.integer
        case .number(let number, .float): Float(number.double)
        case .number(let number, .decimal): Decimal128(stringLiteral: number.text)
        case .number(let number, _): number.double
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        case .date(let seconds, let nanoseconds):
            Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
        case .objectId(let bytes): try? ObjectId(string: Self.hexadecimal(bytes))
        case .uuid(let bytes):
            UUID(
                uuidString: Self.hexadecimal(bytes).enumerated().reduce(into: "") { text, digit in
                    if [8, 12, 16, 20].contains(digit.offset) { text.append("-") }
                    text.append(digit.element)
                })
        }
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
