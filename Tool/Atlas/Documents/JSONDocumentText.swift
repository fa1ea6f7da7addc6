/// Reads one JSON value by RFC 8259 onto a tape. Objects of extended JSON become the values that they stand for.
struct JSONDocumentText {
    private let bytes: UnsafeRawBufferPointer
    private let tape: DocumentTape
    var place: Int
    private let firstToken: Int

    init(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ tape: DocumentTape) {
        self.bytes = bytes
        self.place = place
        self.tape = tape
        firstToken = tape.tokens.count
    }

    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// Reads a value, and appends it.
    mutating func value(_ name: ByteRange, depth: Int) throws(ParseStop) {
        guard tape.tokens.count - firstToken < DocumentTape.documentTokensMax else {
            throw failure("it has more than \(DocumentTape.documentTokensMax) values")
        }
        skipSpace()
        guard let first = next else { throw .incomplete }
        switch first {
        case UInt8(ascii: "\""): tape.append(DocumentToken(.string, name, bytes: try string()))
        case UInt8(ascii: "{"): try object(name, depth: depth)
        case UInt8(ascii: "["): try array(name, depth: depth)
        case UInt8(ascii: "t"): try word("true", DocumentToken(.bool, name, high: 1))
        case UInt8(ascii: "f"): try word("false", DocumentToken(.bool, name))
        case UInt8(ascii: "n"): try word("null", DocumentToken(.null, name))
        default:
            var number = JSONNumber(bytes, place)
            tape.append(try number.token(name))
            place = number.place
        }
    }

    private mutating func word(_ word: StaticString, _ token: DocumentToken) throws(ParseStop) {
        for index in 0..<word.utf8CodeUnitCount {
            guard let byte = next else { throw .incomplete }
            guard byte == word.utf8Start[index] else { throw failure("no value begins like this") }
            place += 1
        }
        tape.append(token)
    }

    private func check(depth: Int) throws(ParseStop) {
        guard depth <= DocumentTape.depthMax else {
            throw failure("documents nest more than \(DocumentTape.depthMax) deep")
        }
    }

    private mutating func array(_ name: ByteRange, depth: Int) throws(ParseStop) {
        try check(depth: depth)
        let token = tape.tokens.count
        tape.append(DocumentToken(.array, name))
        place += 1
        skipSpace()
        if !take("]") {
            repeat {
                try value(.none, depth: depth + 1)
                skipSpace()
            } while take(",")
            try end("]")
        }
        tape.close(token)
    }

    private mutating func object(_ name: ByteRange, depth: Int) throws(ParseStop) {
        try check(depth: depth)
        let token = tape.tokens.count
        let start = place
        tape.append(DocumentToken(.document, name))
        place += 1
        skipSpace()
        if !take("}") {
            repeat {
                skipSpace()
                guard let quote = next else { throw .incomplete }
                guard quote == UInt8(ascii: "\"") else { throw failure("the name of a field is expected") }
                let fieldName = try string()
                skipSpace()
                guard next != nil else { throw .incomplete }
                guard take(":") else { throw failure("a colon is expected") }
                try value(fieldName, depth: depth + 1)
                skipSpace()
            } while take(",")
            try end("}")
        }
        tape.close(token)
        guard depth > 0, ExtendedJSON.isTagged(token, tape) else { return }
        do throws(ExtendedJSON.Failure) {
            guard let value = try ExtendedJSON.value(token, name, tape) else { return }
            tape.fold(token, into: value)
        } catch {
            throw .failure(error.reason, place: start)
        }
    }

    private mutating func end(_ character: Unicode.Scalar) throws(ParseStop) {
        guard next != nil else { throw .incomplete }
        guard take(character) else { throw failure("a comma or \(character) is expected") }
    }

    private func failure(_ reason: String) -> ParseStop { .failure(reason, place: place) }

    // MARK: - Strings

    private mutating func string() throws(ParseStop) -> ByteRange {
        place += 1
        let start = place
        var bits: UInt8 = 0
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            bits |= byte
            place += 1
        }
        guard let byte = next else { throw .incomplete }
        if byte == UInt8(ascii: "\"") {
            let range = start..<place
            guard bits < 0x80 || UTF8Text.isValid(UnsafeRawBufferPointer(rebasing: bytes[range])) else {
                throw failure("a string is not UTF-8")
            }
            place += 1
            return ByteRange(range)
        }
        return try stringWithEscapes(from: start)
    }

    /// - Precondition: the bytes up to `place` are plain.
    private mutating func stringWithEscapes(from start: Int) throws(ParseStop) -> ByteRange {
        let first = tape.decoded.count
        tape.decoded.append(bytes[start..<place])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                let range = ByteRange(decoded: first..<tape.decoded.count)
                guard UTF8Text.isValid(tape.bytes(range)) else { throw failure("a string is not UTF-8") }
                return range
            case UInt8(ascii: "\\"):
                place += 1
                try escape()
            case ..<0x20: throw failure("a control character stands in a string")
            default:
                let plain = place
                while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
                    place += 1
                }
                tape.decoded.append(bytes[plain..<place])
            }
        }
        throw .incomplete
    }

    private mutating func escape() throws(ParseStop) {
        guard let byte = next else { throw .incomplete }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): tape.decoded.append(CollectionOfOne(byte))
        case UInt8(ascii: "b"): tape.decoded.append(CollectionOfOne(0x08))
        case UInt8(ascii: "f"): tape.decoded.append(CollectionOfOne(0x0C))
        case UInt8(ascii: "n"): tape.decoded.append(CollectionOfOne(0x0A))
        case UInt8(ascii: "r"): tape.decoded.append(CollectionOfOne(0x0D))
        case UInt8(ascii: "t"): tape.decoded.append(CollectionOfOne(0x09))
        case UInt8(ascii: "u"): tape.decoded.append(String(Character(try scalar())).utf8)
        default: throw failure("a backslash stands before a character that needs none")
        }
    }

    private mutating func scalar() throws(ParseStop) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard place + 2 <= bytes.count else { throw .incomplete }
        guard first < 0xDC00, take("\\"), take("u") else { throw failure("half of a surrogate pair stands alone") }
        let second = try unit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("half of a surrogate pair stands alone") }
        return scalar
    }

    private mutating func unit() throws(ParseStop) -> UInt32 {
        guard place + 4 <= bytes.count else { throw .incomplete }
        var unit: UInt32 = 0
        for byte in bytes[place..<place + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw failure("\\u needs four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(digit)
        }
        place += 4
        return unit
    }
}
