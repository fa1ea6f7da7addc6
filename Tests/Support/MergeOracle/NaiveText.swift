import CausewayModel
package import CausewayOperations

/// The text as the list that RULES.md says it is: a scalar an element, by the reference for lists.
package struct NaiveText {
    private var list = NaiveList()

    package init() {}

    package mutating func join(_ operation: TextOperation) {
        let stamp = Stamp(time: 1, client: ClientID(1))
        switch operation {
        case .insert(let id, let left, let right, let text):
            var (left, right) = (left, right)
            for (number, scalar) in text.unicodeScalars.enumerated() {
                let made = ElementID(client: id.client, counter: id.counter + UInt64(number))
                let value = Value.string(String(scalar))
                list.operations.append((.insert(made, left: left, right: right, value: value), stamp))
                // Each other one is the right child of the one before.
                left = made
                right = nil
            }
        case .delete(let id, let count):
            for number in 0..<UInt64(count) {
                list.operations.append((.delete(ElementID(client: id.client, counter: id.counter + number)), stamp))
            }
        }
    }

    package var string: String {
        list.values.reduce(into: "") { string, value in
            if case .string(let scalar) = value { string.unicodeScalars.append(contentsOf: scalar.unicodeScalars) }
        }
    }
}
