import CausewayStore
import Yams

/// One mapping of the file, read key by key. What is wrong is noted and reading goes on. A key that was never asked for
/// is an unknown key.
struct Section {
    let path: String
    private let mapping: Node.Mapping?
    private let line: Int?
    private(set) var problems: [ConfigurationProblem] = []
    private var asked: [String] = []

    init(_ node: Node?, path: String) {
        self.path = path
        line = node?.mark?.line
        switch node {
        case .mapping(let mapping)?: self.mapping = mapping
        // A section without content (`log:`) takes the defaults.
        case .scalar(let scalar)? where scalar.string.isEmpty: mapping = nil
        case nil: mapping = nil
        case .some:
            mapping = nil
            problems.append(ConfigurationProblem(path, line: line, "Expected are keys with values, one a line."))
        }
    }

    func key(_ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    mutating func node(_ name: String) -> Node? {
        if !asked.contains(name) { asked.append(name) }
        return mapping?[name]
    }

    mutating func note(_ name: String, _ node: Node?, _ message: String) {
        problems.append(ConfigurationProblem(key(name), line: node?.mark?.line ?? line, message))
    }

    mutating func take(_ problems: [ConfigurationProblem]) {
        self.problems += problems
    }

    // MARK: - Values

    mutating func text(_ name: String) -> String? {
        guard let node = node(name) else { return nil }
        guard case .scalar(let scalar) = node else {
            note(name, node, "Expected is one value, not a list or a section.")
            return nil
        }
        return scalar.string
    }

    /// A text that must be there and not be empty.
    mutating func requiredText(_ name: String, _ remedy: String) -> String {
        guard let node = node(name) else {
            note(name, nil, "The key is missing. \(remedy)")
            return ""
        }
        guard let text = text(name) else { return "" }
        if text.isEmpty { note(name, node, "The value is empty. \(remedy)") }
        return text
    }

    mutating func number(_ name: String, _ range: ClosedRange<Int>, default standard: Int) -> Int {
        guard let node = node(name), let text = text(name) else { return standard }
        guard let number = Int(text.filter { $0 != "_" }), range.contains(number) else {
            note(
                name, node,
                "'\(text.prefix(40))' is not a whole number from \(range.lowerBound) to \(range.upperBound).")
            return standard
        }
        return number
    }

    mutating func flag(_ name: String, default standard: Bool) -> Bool {
        guard let node = node(name), let text = text(name) else { return standard }
        switch text {
        case "true": return true
        case "false": return false
        default:
            note(name, node, "'\(text.prefix(40))' is neither true nor false.")
            return standard
        }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, default standard: Choice?) -> Choice?
    where Choice.RawValue == String {
        guard let node = node(name) else {
            if standard == nil { note(name, nil, "The key is missing. \(Self.choices(Choice.self))") }
            return standard
        }
        guard let text = text(name) else { return standard }
        guard let choice = Choice(rawValue: text) else {
            let nearest = NearestName.of(text, among: Choice.allCases.map(\.rawValue))
            note(
                name, node,
                "'\(text.prefix(40))' is unknown. " + (nearest.map { "Did you mean \($0)? " } ?? "")
                    + Self.choices(Choice.self)
            )
            return standard
        }
        return choice
    }

    private static func choices<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) -> String
    where Choice.RawValue == String {
        "Choose one of: " + Choice.allCases.map(\.rawValue).joined(separator: ", ") + "."
    }

    /// A list; a single value counts as a list of one.
    mutating func list(_ name: String) -> [Node] {
        switch node(name) {
        case .sequence(let sequence)?: return Array(sequence)
        case .scalar(let scalar)? where scalar.string.isEmpty: return []
        case let node?: return [node]
        case nil: return []
        }
    }

    mutating func texts(_ name: String) -> [String] {
        list(name).compactMap { node in
            guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
                note(name, node, "Expected is a list of texts.")
                return nil
            }
            return scalar.string
        }
    }

    /// The keys of a section whose names the operator chooses.
    var names: [String] { mapping?.keys.compactMap(\.string) ?? [] }

    // MARK: - The end

    /// Call when every known key was asked for: notes those that nobody asked for.
    mutating func finish() -> [ConfigurationProblem] {
        for (keyNode, _) in mapping ?? [:] {
            let name = keyNode.string ?? "?"
            guard !asked.contains(name) else { continue }
            let shown = String(name.prefix(40))
            let nearest = NearestName.of(name, among: asked)
            note(
                shown, keyNode,
                "The key is unknown. "
                    + (nearest.map { "Did you mean \($0)?" } ?? "Known here are: \(asked.joined(separator: ", ")).")
            )
        }
        return problems
    }
}
