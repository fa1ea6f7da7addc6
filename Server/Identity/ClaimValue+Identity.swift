import CausewayModel

// Texts and names are equal if their bytes are. So the claims of two tokens are told apart, and the claims that rules
// ask for.

extension ClaimValue: Hashable {
    package static func == (left: ClaimValue, right: ClaimValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { name, value in right[exactly: name] == value }
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): value.hashBytes(into: &hasher)
        case .array(let values): hasher.combine(values)
        case .object(let members):
            // Members have no order.
            var all = 0
            for (name, value) in members {
                var member = Hasher()
                name.hashBytes(into: &member)
                member.combine(value)
                all ^= member.finalize()
            }
            hasher.combine(all)
        }
    }
}

extension [String: ClaimValue] {
    /// The member whose name has these bytes.
    subscript(exactly name: String) -> ClaimValue? {
        guard let place = index(forKey: name), self[place].key.isSame(as: name) else { return nil }
        return self[place].value
    }
}
