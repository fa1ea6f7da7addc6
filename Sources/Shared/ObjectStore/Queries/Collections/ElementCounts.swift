import CausewayModel
import CausewayQuery

// Questions that count elements. ANY, ALL and NONE count the elements that decide them.

/// `scores.@count > 5`: the count is in the list's header.
struct CountQuestion: ListQuestion {
    let count: NumberRule<Int64>

    @inline(__always)
    func holds(_ list: SmallList) -> Bool { count.holds(Int64(list.count)) }
}

/// Counts the elements that are objects of a set: those that meet a condition. Each object was tested once.
struct ObjectsQuestion: ListQuestion {
    let objects: KeyBitmap
    let count: NumberRule<Int64>

    @inline(__always)
    func holds(_ list: SmallList) -> Bool {
        var found = 0
        list.forEach(UInt64.self) { found &+= objects.bit($0) }
        return count.holds(Int64(found))
    }
}

/// Counts the elements that meet a comparison with constants, or with `isNegated` those that do not.
struct NumbersQuestion<Stored: StoredNumber>: ListQuestion {
    let element: NumberRule<Stored.Number>
    let isNegated: Bool
    let count: NumberRule<Int64>

    @inline(__always)
    func holds(_ list: SmallList) -> Bool {
        var found = 0
        list.forEach(Stored.self) { found &+= element.holds($0.number) == isNegated ? 0 : 1 }
        if list.hasNulls, element.nullsMatch != isNegated { found &+= list.nullCount }
        return count.holds(Int64(found))
    }
}

/// Counts the texts or data that meet a comparison with constants, or with `isNegated` those that do not.
final class TextsQuestion: ListQuestion {
    private var matchers: [StringMatcher]
    private let nullsMatch: Bool
    private let isNegated: Bool
    private let count: NumberRule<Int64>

    /// Nil when it is no comparison with texts or data.
    init?(_ comparison: BoundComparison, _ operand: [Value], isNegated: Bool, _ count: NumberRule<Int64>) {
        guard comparison.comparator == .in || operand.count == 1, comparison.comparator != .between else { return nil }
        let comparator = comparison.comparator == .in ? Comparator.equal : comparison.comparator
        var matchers: [StringMatcher] = []
        for value in operand {
            switch value {
            case .string(let text): matchers.append(.init(comparator, Array(text.utf8), options: comparison.options))
            case .bytes(let bytes): matchers.append(.init(comparator, bytes))
            // `!= nil` holds for every text, and no matcher says so.
            case .null: guard comparator == .equal else { return nil }
            default: return nil
            }
        }
        self.matchers = matchers
        nullsMatch = NullRule(comparison.comparator, operand).nullsMatch
        self.isNegated = isNegated
        self.count = count
    }

    func holds(_ list: SmallList) -> Bool {
        var found = 0
        for index in 0..<list.count {
            let holds = list.isNull(index) ? nullsMatch : matches(list.text(index))
            found &+= holds == isNegated ? 0 : 1
        }
        return count.holds(Int64(found))
    }

    private func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        for index in matchers.indices where matchers[index].matches(text) { return true }
        return false
    }
}

/// A number as lists and leaves store it, and as it is compared.
protocol StoredNumber: BitwiseCopyable {
    associatedtype Number: FoldedNumber
    var number: Number { get }
}

extension Int64: StoredNumber {
    var number: Int64 { self }
}

/// Bool: any bit stands for true.
extension UInt8: StoredNumber {
    var number: Int64 { self == 0 ? 0 : 1 }
}

extension Float: StoredNumber {
    var number: Double { Double(self) }
}

extension Double: StoredNumber {
    var number: Double { self }
}
