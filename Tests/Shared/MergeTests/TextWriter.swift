import CausewayMerge
import CausewayModel
import CausewayOperations

/// A device that types: the text it sees, and the operations it makes of what it sees.
struct TextWriter {
    let client: ClientID
    var text = TextState()
    private var counter: UInt64 = 0

    init(_ client: UInt64) {
        self.client = ClientID(client)
    }

    mutating func insert(_ string: String, at index: Int) -> [TextOperation] {
        let id = ElementID(client: client, counter: counter + 1)
        counter += UInt64(string.unicodeScalars.count)
        return [text.insert(string, at: index, id: id)].compactMap { $0 }
    }

    mutating func remove(_ range: Range<Int>) -> [TextOperation] {
        text.remove(range)
    }
}

/// The text as the list that RULES.md says it is: a scalar an element, by the reference for lists.
struct NaiveText {
    private var list = NaiveList()

    mutating func join(_ operation: TextOperation) {
        let stamp = Stamp(time: 1, client: ClientID(1))
        switch operation {
        case .insert(let id, let left, let right, let text):
            var left = left
            for (number, scalar) in text.unicodeScalars.enumerated() {
                let made = ElementID(client: id.client, counter: id.counter + UInt64(number))
                let value = Value.string(String(scalar))
                list.operations.append((.insert(made, left: left, right: right, value: value), stamp))
                left = made
            }
        case .delete(let id, let count):
            for number in 0..<UInt64(count) {
                list.operations.append((.delete(ElementID(client: id.client, counter: id.counter + number)), stamp))
            }
        }
    }

    var string: String {
        list.values.reduce(into: "") { string, value in
            if case .string(let scalar) = value { string.unicodeScalars.append(contentsOf: scalar.unicodeScalars) }
        }
    }
}
