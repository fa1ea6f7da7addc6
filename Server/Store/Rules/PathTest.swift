import CausewayModel
import CausewayQuery

/// A comparison of one value of an object with constants, and the answer that it must have.
struct PathTest {
    var comparison: BoundComparison
    var answer: Bool

    /// Whether no value passes all tests. False where that cannot be told.
    ///
    /// Comparisons with constants have the same answer for all values between two neighbouring constants. So a few
    /// candidates stand for all values: the constants and one value of each gap. They are judged by the evaluator.
    ///
    /// - Parameter mayBeNull: whether an object may have no value there.
    /// - Precondition: All tests are of one path, which has one value.
    static func excludeEachOther(_ tests: [PathTest], mayBeNull: Bool) -> Bool {
        guard let path = tests.first?.comparison.path, let type = valueType(of: path) else { return false }
        let constant = tests.filter { $0.constants != nil }
        if let listed = constant.filter(\.listsValues).min(by: { $0.constantCount < $1.constantCount }) {
            return !hasPassing(listed.constants ?? [], constant, type)
        }
        let begin = prefixes(.beginsWith, constant), end = prefixes(.endsWith, constant)
        if exclude(begin, { $0.starts(with: $1) }) || exclude(end, { $0.reversed().starts(with: $1.reversed()) }) {
            return true
        }
        // Without a test the rest permits more values, never fewer.
        let ordering = constant.filter { $0.isOrdering(type) }
        guard !ordering.isEmpty, let candidates = candidates(ordering.flatMap { $0.constants ?? [] }, type) else {
            return false
        }
        let isCount = path.aggregate == .count || path.steps.last?.nested == [.length]
        let values = candidates.filter { !isCount || !$0.isNegativeInt }
        return !hasPassing(mayBeNull ? values + [.null] : values, ordering, type)
    }

    private static let candidatesMax = 10_000

    /// The type of the path's one value; nil where it is not known.
    private static func valueType(of path: BoundPath) -> PropertyType? {
        guard let last = path.steps.last else { return nil }
        switch path.aggregate {
        case .count: return .int
        case nil where last.nested == [.length]: return .int
        case nil: return last.nested.isEmpty && last.type != .mixed ? last.type : nil
        case .minimum, .maximum, .sum, .average: return nil
        }
    }

    // MARK: - Constants

    private var constants: [Value]? {
        switch comparison.operand {
        case .value(let value): [value]
        case .values(let values): values
        case .path: nil
        }
    }

    private var constantCount: Int { constants?.count ?? 0 }

    /// Whether the value must be one of the constants.
    private var listsValues: Bool {
        answer && comparison.options == [] && (comparison.comparator == .equal || comparison.comparator == .in)
    }

    private func isOrdering(_ type: PropertyType) -> Bool {
        switch comparison.comparator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between: break
        case .beginsWith, .endsWith, .contains, .like, .text: return false
        }
        return comparison.options == [] && constants?.allSatisfy { $0.isNull || $0.isPlain(type) } == true
    }

    // MARK: - Candidates

    private static func hasPassing(_ candidates: [Value], _ tests: [PathTest], _ type: PropertyType) -> Bool {
        // What is too much to look at is taken for possible.
        if candidates.count * tests.count > candidatesMax { return true }
        return candidates.contains { candidate in tests.allSatisfy { $0.passes(candidate, type) } }
    }

    private func passes(_ value: Value, _ type: PropertyType) -> Bool {
        var comparison = comparison
        comparison.path = BoundPath(steps: [
            BoundPath.Step(className: "", property: 0, type: type, collection: .none, target: nil)
        ])
        return BoundPredicate.comparison(comparison).matches(SingleValue(value: value)) == answer
    }

    /// A value of each gap around the constants, and the constants; nil for types that have no order here.
    private static func candidates(_ constants: [Value], _ type: PropertyType) -> [Value]? {
        let constants = constants.filter { !$0.isNull }
        switch type {
        case .bool: return [.bool(false), .bool(true)]
        case .int: return [.int(.min), .int(.max)] + constants.flatMap(\.neighbours)
        case .float: return [.float(-.infinity), .float(.infinity), .float(.nan)] + constants.flatMap(\.neighbours)
        case .double: return [.double(-.infinity), .double(.infinity), .double(.nan)] + constants.flatMap(\.neighbours)
        case .string: return [.string("")] + constants.flatMap(\.neighbours)
        case .date: return constants.flatMap(\.neighbours)
        case .data, .objectId, .uuid, .object, .decimal128, .mixed: return nil
        }
    }

    // MARK: - Beginnings and endings

    private static func prefixes(_ comparator: Comparator, _ tests: [PathTest]) -> [[UInt8]] {
        tests.compactMap { test in
            guard test.answer, test.comparison.comparator == comparator, test.comparison.options == [],
                case .value(.string(let text)) = test.comparison.operand
            else { return nil }
            return Array(text.utf8)
        }
    }

    private static func exclude(_ texts: [[UInt8]], _ fits: ([UInt8], [UInt8]) -> Bool) -> Bool {
        guard let longest = texts.max(by: { $0.count < $1.count }) else { return false }
        return !texts.allSatisfy { fits(longest, $0) }
    }
}

/// One value in place of an object.
private struct SingleValue: RowSource {
    let value: Value

    func value(of property: Int, in className: String) -> Value { value }
    func elements(of property: Int, in className: String) -> [Value] { [] }
    func object(at link: Value, in target: String) -> SingleValue? { nil }
}

extension Value {
    fileprivate var isNegativeInt: Bool { if case .int(let value) = self { value < 0 } else { false } }

    /// Whether it is of a type, without any conversion.
    fileprivate func isPlain(_ type: PropertyType) -> Bool {
        switch (self, type) {
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string),
            (.timestamp, .date):
            true
        default: false
        }
    }

    /// The value and the nearest ones below and above it, where there are any. Of a text there is one above it.
    fileprivate var neighbours: [Value] {
        switch self {
        case .int(let value):
            [value == .min ? nil : .int(value - 1), .int(value), value == .max ? nil : .int(value + 1)].compactMap {
                $0
            }
        case .float(let value): [.float(value.nextDown), .float(value), .float(value.nextUp)]
        case .double(let value): [.double(value.nextDown), .double(value), .double(value.nextUp)]
        case .string(let value): [.string(value), .string(value + "\0")]
        case .timestamp(let point):
            [-1, 0, 1].map {
                .timestamp(Timestamp(seconds: point.seconds, nanoseconds: point.nanoseconds &+ $0))
            }
        default: [self]
        }
    }
}
