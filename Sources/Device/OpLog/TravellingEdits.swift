import CausewayModel
import CausewayObjectStore

/// The edits of a list of objects as they are sent: without elements that have no primary key any more.
///
/// An object that was put into the list and ended in the same transaction has no row and no primary key left. It never
/// was there for anybody else, so its element is left out, and the places of the others are counted without it.
struct TravellingEdits {
    /// For each element of the list as the app sees it, whether it is left out.
    private var isLeftOut: [Bool]
    private let hasName: (Value) -> Bool

    /// - Parameter count: the elements before the first edit, which all have names.
    init(count: Int, hasName: @escaping (Value) -> Bool) {
        isLeftOut = Array(repeating: false, count: count)
        self.hasName = hasName
    }

    mutating func next(_ edit: ListEdit) -> ListEdit? {
        switch edit {
        case .insert(let index, let value):
            let place = place(of: index)
            isLeftOut.insert(!hasName(value), at: index)
            return isLeftOut[index] ? nil : .insert(place, value)
        case .remove(let index):
            let place = place(of: index)
            return isLeftOut.remove(at: index) ? nil : .remove(place)
        case .set(let index, let value):
            let place = place(of: index)
            let wasLeftOut = isLeftOut[index]
            isLeftOut[index] = !hasName(value)
            switch (wasLeftOut, isLeftOut[index]) {
            case (false, false): return .set(place, value)
            case (false, true): return .remove(place)
            case (true, false): return .insert(place, value)
            case (true, true): return nil
            }
        case .move(let from, let to):
            let source = place(of: from)
            let wasLeftOut = isLeftOut.remove(at: from)
            let target = place(of: to)
            isLeftOut.insert(wasLeftOut, at: to)
            return wasLeftOut || source == target ? nil : .move(source, target)
        case .clear(let count):
            isLeftOut = []
            return .clear(count)
        }
    }

    private func place(of index: Int) -> Int {
        var place = index
        for position in 0..<index where isLeftOut[position] { place -= 1 }
        return place
    }
}
