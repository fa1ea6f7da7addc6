extension Node {
    func check(_ index: Int) throws {
        guard index >= 0, index < count else {
            throw damaged("the node has \(count) elements, and element \(index) of it is needed")
        }
    }

    /// An element as a number. Those of 8 bits and more are signed.
    func integer(_ index: Int) throws -> Int64 {
        try check(index)
        guard layout == .bits else { throw damaged("the node holds no numbers, and numbers are needed") }
        switch width {
        case 0: return 0
        case 1, 2, 4:
            let bit = index * width
            return Int64(file.bytes[start + bit / 8] >> (bit % 8)) & (1 << width - 1)
        case 8: return Int64(file.number(at: start + index, as: Int8.self))
        case 16: return Int64(file.number(at: start + 2 * index, as: Int16.self))
        case 32: return Int64(file.number(at: start + 4 * index, as: Int32.self))
        default: return file.number(at: start + 8 * index, as: Int64.self)
        }
    }

    /// An element of a node whose numbers have no sign.
    func natural(_ index: Int) throws -> UInt64 {
        let number = UInt64(bitPattern: try integer(index))
        return width < 64 && width > 0 ? number & (1 << UInt64(width) - 1) : number
    }

    /// What an element may lead to: a node, or a number that has the lowest bit set beside it.
    enum Reference {
        case nothing
        case node(Int)
        case number(UInt64)
    }

    func reference(_ index: Int) throws -> Reference {
        guard hasReferences || isInner else { throw damaged("the node leads nowhere, and others are needed") }
        let value = UInt64(bitPattern: try integer(index))
        if value == 0 { return .nothing }
        if value & 1 == 1 { return .number(value >> 1) }
        guard let place = Int(exactly: value) else { throw damaged("element \(index) leads out of the file") }
        return .node(place)
    }

    /// The node that an element leads to; nil if there is none.
    func child(_ index: Int) throws -> Node? {
        switch try reference(index) {
        case .nothing: return nil
        case .node(let place): return try Node(file, at: place)
        case .number: throw damaged("element \(index) is a number, and leads to no node")
        }
    }

    /// The node that an element has to lead to.
    func neededChild(_ index: Int) throws -> Node {
        guard let child = try child(index) else { throw damaged("element \(index) leads to no node") }
        return child
    }

    func number(_ index: Int) throws -> UInt64 {
        guard case .number(let number) = try reference(index) else { throw damaged("element \(index) is no number") }
        return number
    }

    /// A number that counts things in memory.
    func length(_ index: Int) throws -> Int {
        guard let length = Int(exactly: try number(index)) else { throw damaged("element \(index) is too large") }
        return length
    }

    /// Bytes of the node, counted from its first element.
    func slice(_ range: Range<Int>) throws -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else {
            throw damaged("the node has \(byteCount) bytes, and those up to \(range.upperBound) are needed")
        }
        return try file.copy(start + range.lowerBound..<start + range.upperBound)
    }

    /// The place of an element of so many bytes.
    func place(of index: Int, bytes: Int) throws -> Int {
        guard index >= 0, (index + 1) * bytes <= byteCount else {
            throw damaged("the node has \(byteCount) bytes, and element \(index) of \(bytes) bytes is needed")
        }
        return start + index * bytes
    }
}
