import CausewayModel

/// Consecutive elements of one list. They are read from the file until the first change copies them to memory.
///
/// Elements of a fixed size have the same layout in memory and in the file, so reading is the same and storing is a
/// copy. Elements of variable size are values.
final class ListChunk {
    private enum Content {
        case stored(ListBytes)
        /// Elements that cannot be read.
        case damaged(Value)
        case edited
    }

    let type: PropertyType
    private let isVariable: Bool
    private let size: Int
    private let elementBits: Int
    @exclusivity(unchecked) private(set) var count: Int
    @exclusivity(unchecked) private var content: Content
    /// Elements of a fixed size. The first address is not null, and never read: the capacity is 0.
    @exclusivity(unchecked) private var memory = UnsafeMutableRawPointer(bitPattern: 16)!
    @exclusivity(unchecked) private var capacity = 0
    /// A byte for each element, or none when none is null.
    @exclusivity(unchecked) private var nulls: [UInt8] = []
    /// Elements of variable size, in the form in which they are read back after being stored, and their bytes.
    @exclusivity(unchecked) private var values: [Value] = []
    @exclusivity(unchecked) private var variableBytes = 0

    /// An empty chunk.
    init(_ type: PropertyType) {
        self.type = type
        isVariable = ElementLayout.isVariable(type)
        size = ElementLayout.size(type)
        elementBits = ListBounds.elementBits(type)
        count = 0
        content = .edited
    }

    init(_ stored: ListBytes) {
        type = stored.type
        isVariable = ElementLayout.isVariable(type)
        size = ElementLayout.size(type)
        elementBits = ListBounds.elementBits(type)
        count = stored.count
        content = .stored(stored)
    }

    /// Stands for elements that cannot be read.
    init(_ type: PropertyType, damaged value: Value, count: Int) {
        self.type = type
        isVariable = ElementLayout.isVariable(type)
        size = ElementLayout.size(type)
        elementBits = ListBounds.elementBits(type)
        self.count = count
        content = .damaged(value)
    }

    deinit {
        if capacity > 0 { memory.deallocate() }
    }

    // MARK: - Size

    /// Whether it differs from what is stored.
    var isEdited: Bool { if case .edited = content { true } else { false } }

    /// Whether its elements cannot be read.
    var isDamaged: Bool { if case .damaged = content { true } else { false } }

    /// The approximate size in the file.
    var bits: Int {
        if isVariable, case .stored(let stored) = content { return stored.bytes.count * 8 }
        return count * elementBits + variableBytes * 8
    }

    var isOverfull: Bool { count > 1 && (bits > ListBounds.chunkBits || count > ListBounds.chunkCount) }

    var isSparse: Bool { bits < ListBounds.chunkBits / 4 }

    /// Whether two chunks can be joined with room to grow.
    func fits(_ other: ListChunk) -> Bool {
        bits + other.bits <= ListBounds.chunkBits * 3 / 4 && count + other.count <= ListBounds.chunkCount
    }

    // MARK: - Reading

    /// The elements one behind the other, when each has its own bytes and none is null. Valid until the next change.
    var plainElements: UnsafeRawPointer? {
        switch content {
        case .edited: isVariable || !nulls.isEmpty ? nil : UnsafeRawPointer(memory)
        case .stored(let stored): stored.hasNulls ? nil : stored.elements
        case .damaged: nil
        }
    }

    func value(_ index: Int) -> Value {
        switch content {
        case .stored(let stored): return stored.value(index)
        case .damaged(let value): return value
        case .edited:
            if isVariable { return values[index] }
            if !nulls.isEmpty, nulls[index] != 0 { return .null }
            return ElementLayout.read(memory + index * size, type)
        }
    }

    func append(to result: inout [Value]) {
        switch content {
        case .edited where isVariable: result.append(contentsOf: values)
        case .damaged: break
        case .edited, .stored:
            if let elements = plainElements {
                for index in 0..<count { result.append(ElementLayout.read(elements + index * size, type)) }
            } else {
                for index in 0..<count { result.append(value(index)) }
            }
        }
    }

    var encoded: [UInt8] {
        switch content {
        case .stored(let stored): Array(stored.bytes)
        case .damaged: []
        case .edited:
            isVariable
                ? ListBytes.encode(values, type)
                : ListBytes.encode(
                    count, elements: UnsafeRawBufferPointer(start: memory, count: count * size), nulls: nulls)
        }
    }

    /// Ascending positions of links to targets.
    func positions(of targets: Set<ClassedKey>) -> [Int] {
        guard targets.count == 1, let target = targets.first, let elements = plainElements else {
            return (0..<count).filter { index in
                switch value(index) {
                case .object(let key): targets.contains(ClassedKey(in: key))
                case .anyObject(let object): targets.contains(object)
                default: false
                }
            }
        }
        return (0..<count).filter { index in
            elements.loadUnaligned(fromByteOffset: index * 8, as: Int64.self) == target.key.rawValue
        }
    }

    // MARK: - Changing

    func insert(_ value: Value, at index: Int) {
        if !isEdited { makeEditable() }
        precondition(index >= 0 && index <= count, "an element was inserted behind the end of its list")
        if isVariable {
            values.insert(value.asStored, at: index)
            variableBytes += Self.bytes(value)
        } else {
            if count == capacity { grow(to: max(count * 2, 8)) }
            let start = memory + index * size
            if index < count { (start + size).copyMemory(from: start, byteCount: (count - index) * size) }
            ElementLayout.write(value, start, type)
            if !nulls.isEmpty {
                nulls.insert(value.isNull ? 1 : 0, at: index)
            } else if value.isNull {
                nulls = [UInt8](repeating: 0, count: count + 1)
                nulls[index] = 1
            }
        }
        count += 1
    }

    /// Appends an element of the chunk's size if one store is all it takes. Otherwise false, and nothing changes.
    @inline(__always)
    func append<Element: BitwiseCopyable>(_ element: Element) -> Bool {
        guard count < capacity, nulls.isEmpty, isEdited, (count &+ 1) &* elementBits <= ListBounds.chunkBits,
            count < ListBounds.chunkCount
        else { return false }
        memory.storeBytes(of: element, toByteOffset: count &* size, as: Element.self)
        count &+= 1
        return true
    }

    func remove(at index: Int) {
        if !isEdited { makeEditable() }
        precondition(index >= 0 && index < count, "an element that is not in its list was removed")
        if isVariable {
            variableBytes -= Self.bytes(values.remove(at: index))
        } else {
            let start = memory + index * size
            start.copyMemory(from: start + size, byteCount: (count - index - 1) * size)
            if !nulls.isEmpty { nulls.remove(at: index) }
        }
        count -= 1
    }

    func set(_ index: Int, _ value: Value) {
        if !isEdited { makeEditable() }
        precondition(index >= 0 && index < count, "an element that is not in its list was replaced")
        if isVariable {
            variableBytes += Self.bytes(value) - Self.bytes(values[index])
            values[index] = value.asStored
            return
        }
        ElementLayout.write(value, memory + index * size, type)
        if !nulls.isEmpty {
            nulls[index] = value.isNull ? 1 : 0
        } else if value.isNull {
            nulls = [UInt8](repeating: 0, count: count)
            nulls[index] = 1
        }
    }

    /// Moves the elements from a position on into a new chunk.
    func split(at index: Int) -> ListChunk {
        let rest = slice(index..<count)
        keep(0..<index)
        return rest
    }

    /// A new chunk with some of these elements.
    func slice(_ range: Range<Int>) -> ListChunk {
        let result = ListChunk(type)
        if !isEdited { makeEditable() }
        result.append(self, range)
        return result
    }

    func append(_ other: ListChunk) {
        if !isEdited { makeEditable() }
        if !other.isEdited { other.makeEditable() }
        append(other, 0..<other.count)
    }

    private func append(_ other: ListChunk, _ range: Range<Int>) {
        if isVariable {
            for value in other.values[range] { variableBytes += Self.bytes(value) }
            values.append(contentsOf: other.values[range])
        } else {
            if count + range.count > capacity { grow(to: count + range.count) }
            (memory + count * size).copyMemory(
                from: other.memory + range.lowerBound * size, byteCount: range.count * size)
        }
        if !nulls.isEmpty || !other.nulls.isEmpty {
            if nulls.isEmpty { nulls = [UInt8](repeating: 0, count: count) }
            nulls += other.nulls.isEmpty ? [UInt8](repeating: 0, count: range.count)[...] : other.nulls[range]
        }
        count += range.count
    }

    /// Keeps the first elements only.
    private func keep(_ range: Range<Int>) {
        if isVariable {
            for value in values[range.upperBound...] { variableBytes -= Self.bytes(value) }
            values.removeLast(count - range.count)
        }
        if !nulls.isEmpty { nulls.removeLast(count - range.count) }
        count = range.count
    }

    // MARK: - Memory

    func makeEditable() {
        switch content {
        case .edited: return
        case .stored(let stored):
            if isVariable {
                values = stored.values
                variableBytes = values.reduce(0) { $0 + Self.bytes($1) }
            } else {
                let count = count
                grow(to: count, copying: 0)
                if count > 0, let elements = stored.elements {
                    memory.copyMemory(from: elements, byteCount: count * size)
                }
            }
            // Strings keep their nulls among the values; the bytes beside them are for elements of a fixed size.
            if stored.hasNulls, !isVariable { nulls = (0..<count).map { stored.isNull($0) ? 1 : 0 } }
        case .damaged(let value):
            if isVariable {
                values = Array(repeating: value, count: count)
            } else {
                grow(to: count, copying: 0)
                for index in 0..<count { ElementLayout.write(value, memory + index * size, type) }
                if value.isNull { nulls = [UInt8](repeating: 1, count: count) }
            }
        }
        content = .edited
    }

    private func grow(to capacity: Int) {
        grow(to: capacity, copying: count)
    }

    private func grow(to capacity: Int, copying count: Int) {
        guard capacity > self.capacity else { return }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * size, alignment: 16)
        if count > 0 { larger.copyMemory(from: memory, byteCount: count * size) }
        if self.capacity > 0 { memory.deallocate() }
        memory = larger
        self.capacity = capacity
    }

    private static func bytes(_ value: Value) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .null: 0
        // An estimate for a mixed value.
        default: 12
        }
    }
}
