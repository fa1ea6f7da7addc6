/// The numbers of a list's positions in the order of the list, in chunks: an edit anywhere in a long list moves and
/// searches one chunk, and what stands at a visible index is found chunk by chunk.
///
/// Invariants:
/// 1. `chunks` are linked from `first` to `last`, and none is empty unless it is the only one.
/// 2. Once there is a second chunk, `homes` holds the chunk of every number.
struct PositionOrder: Sendable {
    private var chunks: [Chunk] = []
    /// By number; empty while there is one chunk.
    private var homes: [Int32] = []
    private var firstChunk: Int32 = .none
    private var lastChunk: Int32 = .none
    private(set) var count = 0

    fileprivate struct Chunk: Sendable {
        var numbers: [Int32]
        /// How many of them show an element.
        var visible = 0
        var next: Int32 = .none
    }

    private static let chunkMax = 512

    init() {}

    /// The numbers from 0 on, in this order, none of them visible yet.
    init(ascending count: Int) {
        for start in stride(from: 0, to: count, by: Self.chunkMax / 2) {
            let numbers = Int32(start)..<Int32(Swift.min(start + Self.chunkMax / 2, count))
            chunks.append(Chunk(numbers: Array(numbers), next: Int32(chunks.count + 1)))
        }
        guard !chunks.isEmpty else { return }
        chunks[chunks.count - 1].next = .none
        firstChunk = 0
        lastChunk = Int32(chunks.count - 1)
        self.count = count
        if chunks.count > 1 { homes = (0..<Int32(count)).map { $0 / Int32(Self.chunkMax / 2) } }
    }

    var isEmpty: Bool { count == 0 }

    var first: Int32? { firstChunk == .none ? nil : chunks[Int(firstChunk)].numbers.first }

    var last: Int32? { lastChunk == .none ? nil : chunks[Int(lastChunk)].numbers.last }
}

// MARK: - Finding

extension PositionOrder {
    /// - Precondition: the number is in the order.
    func number(behind number: Int32) -> Int32? {
        let (chunk, index) = place(of: number)
        if index + 1 < chunks[chunk].numbers.count { return chunks[chunk].numbers[index + 1] }
        let next = chunks[chunk].next
        return next == .none ? nil : chunks[Int(next)].numbers[0]
    }

    /// - Precondition: the number is in the order.
    /// - Complexity: O(n / 512)
    func number(before number: Int32) -> Int32? {
        let (chunk, index) = place(of: number)
        if index > 0 { return chunks[chunk].numbers[index - 1] }
        return chunks.first { $0.next == Int32(chunk) }?.numbers.last
    }

    private func place(of number: Int32) -> (chunk: Int, index: Int) {
        let chunk = chunk(of: number)
        guard let index = chunks[chunk].numbers.withUnsafeBufferPointer({ Self.search($0, for: number) }) else {
            preconditionFailure("A list position is missing in the order of its list.")
        }
        return (chunk, index)
    }

    private func chunk(of number: Int32) -> Int {
        homes.isEmpty ? Int(firstChunk) : Int(homes[Int(number)])
    }

    /// The visible number at an index.
    ///
    /// - Complexity: O(n / 512)
    func visible(at index: Int, where isVisible: (Int32) -> Bool) -> Int32? {
        var left = index
        var chunk = firstChunk
        while chunk != .none {
            let current = chunks[Int(chunk)]
            if left < current.visible {
                if current.visible == current.numbers.count { return current.numbers[left] }
                for number in current.numbers where isVisible(number) {
                    if left == 0 { return number }
                    left -= 1
                }
                return nil
            }
            left -= current.visible
            chunk = current.next
        }
        return nil
    }

    /// How many visible numbers stand before one.
    ///
    /// - Precondition: the number is in the order.
    /// - Complexity: O(n / 512)
    func visibleCount(before number: Int32, where isVisible: (Int32) -> Bool) -> Int {
        let (home, index) = place(of: number)
        var count = chunks[home].numbers[..<index].count(where: isVisible)
        var chunk = firstChunk
        while chunk != Int32(home) {
            count += chunks[Int(chunk)].visible
            chunk = chunks[Int(chunk)].next
        }
        return count
    }

    /// Compares sixteen at a time: this search is the cost of an edit in the middle of a long list.
    private static func search(_ numbers: UnsafeBufferPointer<Int32>, for number: Int32) -> Int? {
        let wanted = SIMD16<Int32>(repeating: number)
        var place = 0
        while place + 16 <= numbers.count {
            // The sixteen lie within the buffer by the condition of the loop.
            let sixteen = UnsafeRawPointer(numbers.baseAddress! + place).loadUnaligned(as: SIMD16<Int32>.self)
            if any(sixteen .== wanted) { break }
            place += 16
        }
        return numbers[place...].firstIndex(of: number)
    }
}

// MARK: - Changing

extension PositionOrder {
    /// - Parameter isVisible: called for numbers inserted earlier.
    mutating func insertFirst(_ number: Int32, where isVisible: (Int32) -> Bool) {
        if firstChunk == .none {
            chunks.append(Chunk(numbers: []))
            firstChunk = 0
            lastChunk = 0
        }
        insert(number, in: Int(firstChunk), at: 0, isVisible)
    }

    mutating func insert(_ number: Int32, before other: Int32, where isVisible: (Int32) -> Bool) {
        let place = place(of: other)
        insert(number, in: place.chunk, at: place.index, isVisible)
    }

    mutating func insert(_ number: Int32, behind other: Int32, where isVisible: (Int32) -> Bool) {
        let place = place(of: other)
        insert(number, in: place.chunk, at: place.index + 1, isVisible)
    }

    /// Notes that `number` began (1) or ceased (-1) to show an element.
    mutating func addVisible(_ change: Int, of number: Int32) {
        chunks[chunk(of: number)].visible += change
    }

    /// Recounts the positions that show an element.
    mutating func countVisible(where isVisible: (Int32) -> Bool) {
        for chunk in chunks.indices { chunks[chunk].visible = chunks[chunk].numbers.count(where: isVisible) }
    }

    /// Numbers come without gaps: a new one is the count so far. It shows nothing yet.
    private mutating func insert(_ number: Int32, in chunk: Int, at index: Int, _ isVisible: (Int32) -> Bool) {
        chunks[chunk].numbers.insert(number, at: index)
        if !homes.isEmpty { homes.append(Int32(chunk)) }
        count += 1
        if chunks[chunk].numbers.count > Self.chunkMax {
            divide(chunk, isAtEnd: index == Self.chunkMax) { $0 != number && isVisible($0) }
        }
    }

    /// A list that grows at its end leaves full chunks behind; any other chunk is cut in the middle.
    private mutating func divide(_ chunk: Int, isAtEnd: Bool, where isVisible: (Int32) -> Bool) {
        let cut = isAtEnd && Int32(chunk) == lastChunk ? Self.chunkMax : Self.chunkMax / 2
        let moved = Array(chunks[chunk].numbers[cut...])
        chunks[chunk].numbers.removeLast(moved.count)
        let number = Int32(chunks.count)
        let visible = moved.count(where: isVisible)
        chunks.append(Chunk(numbers: moved, visible: visible, next: chunks[chunk].next))
        chunks[chunk].visible -= visible
        chunks[chunk].next = number
        if lastChunk == Int32(chunk) { lastChunk = number }
        if homes.isEmpty { homes = [Int32](repeating: Int32(chunk), count: count) }
        for other in moved { homes[Int(other)] = number }
    }
}

// MARK: - In order

extension PositionOrder: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let chunks: [Chunk]
        fileprivate var numbers: [Int32]
        fileprivate var following: Int32
        fileprivate var index = 0

        mutating func next() -> Int32? {
            while index == numbers.count {
                guard following != .none else { return nil }
                numbers = chunks[Int(following)].numbers
                following = chunks[Int(following)].next
                index = 0
            }
            defer { index += 1 }
            return numbers[index]
        }
    }

    func makeIterator() -> Iterator {
        Iterator(chunks: chunks, numbers: [], following: firstChunk)
    }

    var underestimatedCount: Int { count }
}
