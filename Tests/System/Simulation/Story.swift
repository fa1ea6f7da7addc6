/// What happened, in the steps of the life of a change. Costs nothing unless somebody wants to read it.
final class Story {
    /// The rows of the table in Sources/README.md.
    enum Step: Int {
        case set = 1, committed, uploaded, arrived, merged, versioned, decided, sent, applied, observed
    }

    let isTold: Bool
    private(set) var lines: [String] = []
    /// Since the beginning.
    var milliseconds: UInt64 = 0

    init(isTold: Bool) {
        self.isTold = isTold
    }

    func tell(_ step: Step, _ line: @autoclosure () -> String) {
        guard isTold else { return }
        let number = step.rawValue
        add(number < 10 ? " \(number)" : "\(number)", line())
    }

    /// What no change goes through: connections, faults, rest.
    func note(_ line: @autoclosure () -> String) {
        if isTold { add(" ·", line()) }
    }

    private func add(_ mark: String, _ text: String) {
        let digits = "\(milliseconds)"
        lines.append(String(repeating: " ", count: max(0, 7 - digits.count)) + "\(digits) ms \(mark)  \(text)")
    }

    /// For the reader of a replay.
    static let legend = """
        1 the app sets · 2 committed with its operations · 3 uploaded · 4 arrived · 5 merged · 6 has a version
        7 standing queries decide · 8 sent · 9 merged on the device · 10 observers learn
        """
}

/// What must not be, is.
struct Divergence: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
