package import CausewayHTTP

/// A parameter of a call: what the document says of it, and how its value is checked.
package struct DescribedParameter: Hashable, Sendable {
    package var name: String
    package var kind: Kind
    package var summary: String

    package enum Kind: Hashable, Sendable {
        case text
        case number(ClosedRange<Int>, standard: Int)
        case flag
    }

    package init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }
}

/// Why the parameters of a request are refused.
package struct ParameterProblem: Error, Hashable, Sendable {
    /// What is wrong, and what is expected.
    package var message: String

    init(_ message: String) { self.message = message }
}

extension [DescribedParameter] {
    /// The parameters of a request by their names: each is known, is given once, and has a value of its kind.
    package func values(in query: [HTTPHead.Parameter]) throws(ParameterProblem) -> [String: String] {
        var values: [String: String] = [:]
        for parameter in query {
            guard let known = first(where: { $0.name == parameter.name }) else {
                let names = map(\.name).joined(separator: ", ")
                throw ParameterProblem(
                    "The parameter “\(parameter.name.prefix(40))” is unknown here. "
                        + (names.isEmpty ? "There are none." : "Known are: \(names)."))
            }
            guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw ParameterProblem("The parameter \(parameter.name) is given twice.")
            }
            try known.check(parameter.value)
        }
        return values
    }
}

extension DescribedParameter {
    fileprivate func check(_ value: String) throws(ParameterProblem) {
        switch kind {
        case .text: return
        case .flag:
            guard value == "true" || value == "false" else {
                throw ParameterProblem("\(name) is neither true nor false.")
            }
        case .number(let range, _):
            guard let number = Int(value), range.contains(number) else {
                throw ParameterProblem(
                    "\(name) is no whole number from \(range.lowerBound) to \(range.upperBound).")
            }
        }
    }
}
