package import CausewayModel

/// `age * 2 + 1`: numbers computed from paths and constants, as written.
package indirect enum Arithmetic: Hashable, Sendable {
    case path(PropertyPath)
    case value(Value)
    /// See `Expression.claim`.
    case claim(Int)
    case operation(Arithmetic, ArithmeticOperator, Arithmetic)
}

package enum ArithmeticOperator: UInt8, Hashable, Sendable {
    case plus
    case minus
    case times
    case divided
}

extension ArithmeticOperator {
    var symbol: Token.Symbol {
        switch self {
        case .plus: .plus
        case .minus: .minus
        case .times: .star
        case .divided: .slash
        }
    }

    /// `*` and `/` bind tighter than `+` and `-`.
    fileprivate var precedence: Int { self == .plus || self == .minus ? 1 : 2 }
}

extension Arithmetic {
    /// Every path, from left to right.
    package var paths: [PropertyPath] {
        switch self {
        case .path(let path): [path]
        case .value, .claim: []
        case .operation(let left, _, let right): left.paths + right.paths
        }
    }

    package func mappingPaths<Failure: Error>(
        _ transform: (PropertyPath) throws(Failure) -> PropertyPath
    ) throws(Failure) -> Arithmetic {
        switch self {
        case .path(let path): return .path(try transform(path))
        case .value, .claim: return self
        case .operation(let left, let sign, let right):
            return .operation(try left.mappingPaths(transform), sign, try right.mappingPaths(transform))
        }
    }

    /// The text, with parentheses only where another tree would be read without them.
    ///
    /// - Parameters:
    ///   - start: what stands before every path.
    ///   - digits: of its numbers, see `WrittenDigits`.
    func text(from start: String, _ digits: [Int: DecimalNumber] = [:]) -> String {
        var place = 0
        return text(from: start, digits, &place)
    }

    private func text(from start: String, _ digits: [Int: DecimalNumber], _ place: inout Int) -> String {
        switch self {
        case .operation(let left, let sign, let right):
            let left = left.text(from: start, digits, &place, in: sign.precedence)
            return left + " \(sign.symbol.rawValue) "
                + right.text(from: start, digits, &place, in: sign.precedence + 1)
        case .path, .value, .claim:
            defer { place += 1 }
            return operandText(from: start, digits[place])
        }
    }

    private func operandText(from start: String, _ digits: DecimalNumber?) -> String {
        switch self {
        case .path(let path): start + path.text
        case .value(let value): digits?.description ?? value.literalText
        case .claim(let number): Expression.text(ofClaim: number)
        case .operation: text(from: start)
        }
    }

    /// - Parameter precedence: the least that an operation needs to stand here without parentheses.
    private func text(
        from start: String, _ digits: [Int: DecimalNumber], _ place: inout Int, in precedence: Int
    ) -> String {
        let text = text(from: start, digits, &place)
        guard case .operation(_, let sign, _) = self, sign.precedence < precedence else { return text }
        return "(\(text))"
    }
}
