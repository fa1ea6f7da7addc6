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
    /// - Parameter start: what stands before every path.
    func text(from start: String) -> String {
        switch self {
        case .path(let path): return start + path.text
        case .value(let value): return value.literalText
        case .claim(let number): return Expression.text(ofClaim: number)
        case .operation(let left, let sign, let right):
            return left.text(from: start, in: sign.precedence) + " \(sign.symbol.rawValue) "
                + right.text(from: start, in: sign.precedence + 1)
        }
    }

    /// - Parameter precedence: the least that an operation needs to stand here without parentheses.
    private func text(from start: String, in precedence: Int) -> String {
        guard case .operation(_, let sign, _) = self, sign.precedence < precedence else { return text(from: start) }
        return "(\(text(from: start)))"
    }
}
