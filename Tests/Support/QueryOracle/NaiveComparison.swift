import CausewayModel
import CausewayObjectStoreReference
import CausewayQuery

/// One value against another.
struct NaiveComparison {
    private let options: TextOptions
    private let target: String?
    private let store: ReferenceStore?

    init(_ comparison: BoundComparison, of evaluator: NaiveEvaluator) {
        options = comparison.options
        target = comparison.path.steps.last?.target
        store = evaluator.store
    }

    /// For values among which links are keys already.
    init(options: TextOptions = []) {
        self.options = options
        target = nil
        store = nil
    }

    func holds(_ left: Value, _ comparator: CausewayQuery.Comparator, _ right: Value) -> Bool {
        if left.isNull || right.isNull {
            let areBothNull = left.isNull && right.isNull
            switch comparator {
            case .equal, .like, .lessOrEqual, .greaterOrEqual: return areBothNull
            case .notEqual: return !areBothNull
            default: return false
            }
        }
        if case .bool(let left) = left, Self.isNumber(right) { return holds(.int(left ? 1 : 0), comparator, right) }
        if case .bool(let right) = right, Self.isNumber(left) { return holds(left, comparator, .int(right ? 1 : 0)) }
        if let left = NaiveNumber(left), let right = NaiveNumber(right) {
            return ordered(left.amount, comparator, right.amount)
        }
        if Self.isDecimal(left) || Self.isDecimal(right), let left = NaiveNumber.decimal(left),
            let right = NaiveNumber.decimal(right)
        {
            return decimal(left, comparator, right)
        }
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return ordered(left ? 1 : 0, comparator, right ? 1 : 0)
        case (.string(let left), .string(let right)):
            return text(folded(left), comparator, folded(right))
        case (.bytes(let left), .bytes(let right)): return text(left, comparator, right)
        // Only mixed values meet others of another type: text and bytes compare as bytes.
        case (.string(let left), .bytes(let right)):
            return comparator != .text && text(Array(left.utf8), comparator, right)
        case (.bytes(let left), .string(let right)):
            return comparator != .text && text(left, comparator, Array(right.utf8))
        case (.timestamp(let left), .timestamp(let right)):
            let seconds = Float80(left.seconds) - Float80(right.seconds)
            return ordered(seconds != 0 ? seconds : Float80(left.nanoseconds - right.nanoseconds), comparator, 0)
        case (.objectId(let left), .objectId(let right)):
            return ordered(
                left.high == right.high
                    ? left.low == right.low ? 0 : left.low < right.low ? -1 : 1
                    : left.high < right.high ? -1 : 1, comparator, 0)
        case (.uuid(let left), .uuid(let right)):
            return ordered(
                left.high == right.high
                    ? left.low == right.low ? 0 : left.low < right.low ? -1 : 1
                    : left.high < right.high ? -1 : 1, comparator, 0)
        case (.decimal(let left), .decimal(let right)): return decimal(left, comparator, right)
        case (.object, _), (.link, _):
            let isSame = key(left) != nil && key(left) == key(right)
            return comparator == .equal ? isSame : comparator == .notEqual && !isSame
        // A collection is the same as itself alone.
        case (.anyObject(let left), .anyObject(let right)):
            return comparator == .equal ? left == right : comparator == .notEqual && left != right
        default: return comparator == .notEqual
        }
    }

    private static func isNumber(_ value: Value) -> Bool { NaiveNumber(value) != nil || isDecimal(value) }

    private static func isDecimal(_ value: Value) -> Bool {
        if case .decimal = value { true } else { false }
    }

    private func key(_ link: Value) -> ObjectKey? {
        switch link {
        case .object(let key): key
        case .link(let primaryKey): target.flatMap { store?.key($0, for: primaryKey) }
        default: nil
        }
    }

    private func decimal(
        _ left: DecimalNumber, _ comparator: CausewayQuery.Comparator, _ right: DecimalNumber
    ) -> Bool {
        if left.isNaN || right.isNaN { return comparator == .notEqual }
        return ordered(left.naiveDifference(right), comparator, 0)
    }

    private func ordered(_ left: Float80, _ comparator: CausewayQuery.Comparator, _ right: Float80) -> Bool {
        switch comparator {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: false
        }
    }

    // MARK: - Text

    private func folded(_ text: String) -> [UInt8] {
        Array(options.isEmpty ? text.utf8 : NaiveFolding.folded(text, options).utf8)
    }

    private func text(_ left: [UInt8], _ comparator: CausewayQuery.Comparator, _ right: [UInt8]) -> Bool {
        switch comparator {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left.lexicographicallyPrecedes(right)
        case .lessOrEqual: !right.lexicographicallyPrecedes(left)
        case .greater: right.lexicographicallyPrecedes(left)
        case .greaterOrEqual: !left.lexicographicallyPrecedes(right)
        // Nothing is found in any text, as Realm has it.
        case .beginsWith: !right.isEmpty && left.starts(with: right)
        case .endsWith: !right.isEmpty && left.reversed().starts(with: right.reversed())
        case .contains: !right.isEmpty && left.indices.contains { left[$0...].starts(with: right) }
        case .like: isLike(characters(left)[...], characters(right)[...])
        case .text: NaiveWords.holds(left, right)
        case .in, .between: false
        }
    }

    /// Code points, each as its bytes; the lead byte says how many.
    private func characters(_ bytes: [UInt8]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let lead = bytes[start]
            let width = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
            let end = min(start + width, bytes.count)
            result.append(Array(bytes[start..<end]))
            start = end
        }
        return result
    }

    private func isLike(_ text: ArraySlice<[UInt8]>, _ pattern: ArraySlice<[UInt8]>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == [UInt8(ascii: "*")] {
            return (text.startIndex...text.endIndex).contains { isLike(text[$0...], pattern.dropFirst()) }
        }
        guard let letter = text.first else { return false }
        return (first == [UInt8(ascii: "?")] || first == letter) && isLike(text.dropFirst(), pattern.dropFirst())
    }
}

extension DecimalNumber {
    /// -1, 0 or 1: the sign of what is left when the other is taken away. Of two equal infinities nothing is left.
    func naiveDifference(_ other: DecimalNumber) -> Float80 {
        let difference = self - other
        return difference.isNaN || difference.isZero ? 0 : difference.isNegative ? -1 : 1
    }
}
