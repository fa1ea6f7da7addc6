import CausewayModel
import CausewayQuery

/// The ways in which a rule comes to one answer. Each is a list of comparisons that must have the given answers, all at
/// once. The rule comes to the answer if and only if one of the ways can be gone.
struct RuleAlternatives {
    /// A comparison, and the answer that it must have.
    struct Literal: Hashable {
        var leaf: RuleOutline.Leaf
        var answer: Bool

        var text: String { answer ? "'\(leaf.text)'" : "NOT '\(leaf.text)'" }
    }

    private(set) var all: [[Literal]]

    /// Beyond it a rule is not looked into: alternatives multiply.
    static let countMax = 256
    static let literalsMax = 4_096

    static let one = RuleAlternatives(all: [[]])
    static let none = RuleAlternatives(all: [])

    init(_ literal: Literal) { all = [[literal]] }

    private init(all: [[Literal]]) { self.all = all }

    /// Nil beyond the bounds.
    func or(_ other: RuleAlternatives) -> RuleAlternatives? {
        guard all.count + other.all.count <= Self.countMax else { return nil }
        return RuleAlternatives(all: all + other.all).bounded
    }

    /// Nil beyond the bounds.
    func and(_ other: RuleAlternatives) -> RuleAlternatives? {
        guard all.count * other.all.count <= Self.countMax else { return nil }
        return RuleAlternatives(all: all.flatMap { left in other.all.map { left + $0 } }).bounded
    }

    private var bounded: RuleAlternatives? {
        all.reduce(0) { $0 + $1.count } <= Self.literalsMax ? self : nil
    }

    /// Why none of the ways can be gone; nil if one perhaps can.
    func contradiction(in schema: Schema) -> String? {
        var first: String?
        for way in all {
            guard let found = Self.contradiction(of: way, in: schema) else { return nil }
            first = first ?? found
        }
        guard let first else { return "it comes out false whatever is compared" }
        return all.count == 1 ? first : "each of its \(all.count) alternatives contradicts itself: \(first), and so on"
    }

    // MARK: - One way

    private static func contradiction(of way: [Literal], in schema: Schema) -> String? {
        let literals = Set(way)
        for literal in way {
            if let reason = literal.impossibility { return reason }
            if literals.contains(Literal(leaf: literal.leaf, answer: !literal.answer)) {
                return "'\(literal.leaf.text)' would have to be both true and false"
            }
        }
        var byPath: [BoundPath: [(literal: Literal, comparison: BoundComparison)]] = [:]
        var order: [BoundPath] = []
        for literal in way {
            guard case .bound(.comparison(let comparison)) = literal.leaf.kind, comparison.quantifier == .implied else {
                continue
            }
            if byPath[comparison.path] == nil { order.append(comparison.path) }
            byPath[comparison.path, default: []].append((literal, comparison))
        }
        for path in order {
            let group = byPath[path] ?? []
            let tests = group.map { PathTest(comparison: $0.comparison, answer: $0.literal.answer) }
            guard PathTest.excludeEachOther(tests, mayBeNull: path.mayBeNull(in: schema)) else { continue }
            var texts: [String] = []
            for (literal, _) in group where !texts.contains(literal.text) { texts.append(literal.text) }
            return texts.count == 1
                ? "\(texts[0]) holds for no value" : texts.joined(separator: " and ") + " exclude each other"
        }
        return nil
    }
}

extension RuleAlternatives.Literal {
    /// Why no object and no caller gives the answer.
    fileprivate var impossibility: String? {
        switch leaf.kind {
        case .unknown: return "'\(leaf.text)' is unknown for every object"
        case .bound(.comparison(let comparison)) where answer && comparison.quantifier == .any:
            if comparison.comparator == .in, comparison.operand == .values([]) {
                return "'\(leaf.text)' compares with no value"
            }
            return nil
        case .bound, .ofCaller: return nil
        }
    }
}

extension BoundPath {
    /// Whether an object may have no value there: an optional property, or one behind a link.
    fileprivate func mayBeNull(in schema: Schema) -> Bool {
        guard steps.count == 1, let step = steps.first else { return true }
        if aggregate == .count { return false }
        guard aggregate == nil, step.mapKey == nil, step.place == nil, step.nested.isEmpty || step.nested == [.length],
            step.collection == .none, let property = schema[step.className]?.properties[step.schemaIndex]
        else { return true }
        return property.isOptional || property.type == .object || property.type == .mixed
    }
}

extension RuleOutline {
    /// The ways in which it comes to an answer.
    ///
    /// - Parameter orUnknown: whether an unknown answer is meant as well.
    /// - Returns: nil when there are too many.
    func alternatives(_ answer: Bool, orUnknown: Bool) -> RuleAlternatives? {
        switch self {
        case .constant(let constant): return constant == answer ? .one : RuleAlternatives.none
        case .not(let part): return part.alternatives(!answer, orUnknown: orUnknown)
        case .and(let parts): return Self.combined(parts, answer, orUnknown, all: answer)
        case .or(let parts): return Self.combined(parts, answer, orUnknown, all: !answer)
        case .leaf(let leaf):
            let literal = RuleAlternatives(.init(leaf: leaf, answer: answer))
            guard orUnknown else { return literal }
            if case .bound = leaf.kind { return literal }
            return .one
        }
    }

    /// - Parameter all: whether all parts must have the answer, or one.
    private static func combined(
        _ parts: [RuleOutline], _ answer: Bool, _ orUnknown: Bool, all: Bool
    ) -> RuleAlternatives? {
        var result = all ? RuleAlternatives.one : RuleAlternatives.none
        for part in parts {
            guard let next = part.alternatives(answer, orUnknown: orUnknown),
                let combined = all ? result.and(next) : result.or(next)
            else { return nil }
            result = combined
        }
        return result
    }
}
