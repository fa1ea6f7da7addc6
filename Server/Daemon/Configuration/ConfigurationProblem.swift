/// One thing wrong with the configuration: where, what, and how to put it right.
struct ConfigurationProblem: Hashable, Sendable {
    /// `databases[0].folder`; empty for the file as a whole.
    var key: String
    /// The line in the file, counted from one.
    var line: Int?
    /// A sentence that names cause and remedy.
    var message: String

    init(_ key: String, line: Int? = nil, _ message: String) {
        self.key = key
        self.line = line
        self.message = message
    }

    /// Whether it is about a section, or about something in it.
    func isOf(_ section: String) -> Bool { key == section || key.hasPrefix(section + ".") }
}

extension ConfigurationProblem: CustomStringConvertible {
    var description: String {
        let place = [line.map { "line \($0)" }, key.isEmpty ? nil : key].compactMap { $0 }.joined(separator: ", ")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}

/// Everything that is wrong, so that an operator can fix it in one go.
struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    var problems: [ConfigurationProblem]

    var description: String {
        problems.map { "- \($0)" }.joined(separator: "\n")
    }
}
