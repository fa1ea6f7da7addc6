import Foundation

extension ObjectBase: CustomStringConvertible {
    /// The object with its properties, links and lists, to a depth of five.
    ///
    ///     Dog {
    ///     	name = Rex;
    ///     	age = 10;
    ///     }
    public var description: String { description(depth: 5) }

    final func description(depth: Int) -> String {
        if isInvalidated { return "[invalid object]" }
        let model = _access?.model ?? ObjectModel.of(type(of: self))
        let name = model.className
        guard depth > 0 else { return "<Maximum depth exceeded>" }
        var text = name + " {\n"
        for property in model.properties {
            let value = value(forKey: property.name)
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

/// An element within the description of its collection.
func describeElement(_ element: Any, depth: Int) -> String {
    (element as? ObjectBase)?.description(depth: depth)
        ?? (element as? AnyRealmValue)?.description(depth: depth) ?? "\(element)"
}

/// A collection that can describe itself within a description.
protocol ListDescribing {
    func description(depth: Int) -> String
}

extension String {
    /// Every line but the first, one tab further in.
    var indentedAfterFirstLine: String { replacingOccurrences(of: "\n", with: "\n\t") }
}
