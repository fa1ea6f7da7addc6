import CausewayModel
import CausewayOperations
import CausewaySeeds

/// Operations of every kind and shape, sensible and not, from a seed.
struct Drawing {
    private var numbers: SeededNumbers

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
    }

    mutating func below(_ limit: Int) -> Int { numbers.below(limit) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { numbers.one(of: elements) }

    mutating func operation() -> Operation {
        let target = reference()
        switch below(5) {
        case 0...1:
            return .create(target, life: pick([1, 1, 1, 3, 5, UInt32.max]), fields: fields(of: target.className))
        case 2: return .delete(target, life: pick([2, 2, 4, 6, UInt32.max - 1]))
        case 3:
            let (property, value) = assignment(of: target.className)
            return .set(target, FieldValue(property, value, isDefault: below(5) == 0))
        default:
            return .list(target, property: "toys", listOperation())
        }
    }

    private mutating func reference() -> ObjectReference {
        switch below(8) {
        case 0...3: return dog(Int64(below(4)))
        case 4...5: return home(UInt64(below(4)))
        case 6: return room(UInt64(below(4)))
        default: return ObjectReference(pick(["Dog", "Cat", "Reading"]), pick([.null, .int(3), .string("x")]))
        }
    }

    private mutating func fields(of className: String) -> [FieldValue] {
        var fields: [String: Value] = [:]
        for _ in 0..<below(3) {
            let (property, value) = assignment(of: className)
            fields[property] = value
        }
        return fields.sorted { $0.key < $1.key }.map { FieldValue($0.key, $0.value) }
    }

    private mutating func assignment(of className: String) -> (String, Value) {
        switch className {
        case "Home":
            return pick([
                ("city", .string("x")), ("room", .link(room(UInt64(below(4))).key)), ("room", .null), ("city", .null),
            ])
        case "Room":
            return pick([("size", .int(4)), ("size", .string("4"))])
        default:
            return pick([
                ("name", .string("x")), ("age", .int(1)), ("age", .null), ("friend", .link(.int(Int64(below(4))))),
                ("friend", .null), ("home", .link(home(UInt64(below(4))).key)), ("home", .null),
                ("nothing", .double(.nan)),
            ])
        }
    }

    private mutating func listOperation() -> ListOperation {
        func id(_ number: Int) -> ElementID { ElementID(client: ClientID(1), counter: UInt64(number)) }
        let (a, b, c, d) = (below(6), below(6), below(6), below(6))
        switch below(6) {
        case 0...2: return .insert(id(a), left: b == 0 ? nil : id(b), right: c == 0 ? nil : id(c), value: .string("t"))
        case 3: return .delete(id(a))
        case 4: return .move(id(a), position: id(d + 10), left: b == 0 ? nil : id(b), right: c == 0 ? nil : id(c))
        default: return below(2) == 0 ? .clear([id(a), id(b)]) : .set(id(a), value: .string("u"))
        }
    }
}
