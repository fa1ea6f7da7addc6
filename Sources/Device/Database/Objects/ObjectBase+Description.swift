import Foundation

extension ObjectBase: CustomStringConvertible, CustomDebugStringConvertible {
    final func description(depth: Int) -> String {
        if isInvalidated { return "[invalid object]" }
        let model = _access?.model ?? ObjectModel.of(type(of: self))
        let name = model.className
        guard depth > 0 else { return depthExceeded }
        var text = name + " {\n"
        for property in model.properties {
            let value = held(forKey: property.name)
            text += "\t\(property.name) = \(describe(value, depth: depth - 1).indentedAfterFirstLine);\n"
        }
        return text + "}"
    }

    private func describe(_ value: Any?, depth: Int) -> String {
        switch value {
        case nil: "(null)"
        case let object as ObjectBase: object.description(depth: depth)
        case let mixed as AnyRealmValue: mixed.description(depth: depth)
        case let list as any ListDescribing: list.description(depth: depth)
        case let data as Data:
            "<\(data.prefix(24).map { String(format: "%02x", $0) }.joined())> — \(data.count) total bytes"
        case let bool as Bool: bool ? "1" : "0"
        case let value?: "\(value)"
        }
    }
}

extension String {
    /// The text with every line but the first indented by one tab.
    var indentedAfterFirstLine: String { replacingOccurrences(of: "\n", with: "\n\t") }
}
