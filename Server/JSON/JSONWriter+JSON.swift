import CausewayModel

extension JSONWriter {
    /// Writes a value that was read.
    package mutating func write(_ json: JSON) {
        switch json {
        case .null: null()
        case .bool(let flag): write(flag)
        case .number(let text): raw(text)
        case .string(let text): write(text)
        case .array(let elements): array(elements) { element, writer in writer.write(element) }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.name(member.name.string)
                    writer.write(member.value)
                }
            }
        }
    }
}
