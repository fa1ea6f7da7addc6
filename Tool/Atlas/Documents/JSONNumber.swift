import Glibc

/// Reads one number of JSON. Without a point and an exponent it is an int, as relaxed extended JSON has it.
struct JSONNumber {
    /// Powers of ten that a double holds exactly.
    private static let powers: [Double] = (0...22).map { pow(10, Double($0)) }
    /// Up to here all whole numbers are doubles.
    private static let exactMax: UInt64 = 1 << 53
    /// A number with more characters is longer than any that is stored.
    private static let bytesMax = 400

    private let bytes: UnsafeRawBufferPointer
    private let start: Int
    private(set) var place: Int
    private var digits: UInt64 = 0
    private var hasOverflow = false
    private var exponent = 0

    init(_ bytes: UnsafeRawBufferPointer, _ place: Int) {
        self.bytes = bytes
        start = place
        self.place = place
    }

    mutating func token(_ name: ByteRange) throws(ParseStop) -> DocumentToken {
        let isNegative = take("-")
        let isWhole = try read()
        guard place - start <= Self.bytesMax else {
            throw failure("a number has more than \(Self.bytesMax) characters")
        }
        if isWhole {
            guard !hasOverflow, digits <= UInt64(Int64.max) + (isNegative ? 1 : 0) else {
                throw failure("a whole number is beyond 64 bits")
            }
            let number = isNegative ? 0 &- Int64(bitPattern: digits) : Int64(bitPattern: digits)
            return DocumentToken(.int, name, high: UInt64(bitPattern: number))
        }
        let number = double()
        guard number.isFinite else { throw failure("a number is beyond the largest double") }
        return DocumentToken(.double, name, high: (isNegative ? -number : number).bitPattern)
    }

    /// Reads a number behind its sign. Answers whether it has neither a point nor an exponent.
    private mutating func read() throws(ParseStop) -> Bool {
        if take("0") {
            if let next, Self.isDigit(next) { throw failure("a number begins with a zero") }
        } else {
            try digits(isAfterPoint: false)
        }
        guard next != nil else { throw .incomplete }
        var isWhole = true
        if take(".") {
            isWhole = false
            try digits(isAfterPoint: true)
        }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            place += 1
            try readExponent()
        }
        guard next != nil else { throw .incomplete }
        return isWhole
    }

    private mutating func readExponent() throws(ParseStop) {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let first = next else { throw .incomplete }
        guard Self.isDigit(first) else { throw failure("a digit is expected") }
        var number = 0
        while let byte = next, Self.isDigit(byte) {
            if number < 1 << 20 { number = number * 10 + Int(byte - UInt8(ascii: "0")) }
            place += 1
        }
        exponent += isNegative ? -number : number
    }

    private mutating func digits(isAfterPoint: Bool) throws(ParseStop) {
        guard let first = next else { throw .incomplete }
        guard Self.isDigit(first) else {
            throw failure(place == start ? "no value begins like this" : "a digit is expected")
        }
        while let byte = next, Self.isDigit(byte) {
            let (product, isOver) = digits.multipliedReportingOverflow(by: 10)
            let (sum, isOverToo) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            hasOverflow = hasOverflow || isOver || isOverToo
            digits = sum
            if isAfterPoint { exponent -= 1 }
            place += 1
        }
    }

    /// The number without its sign. Few digits and a small exponent give it with one exact multiplication or division.
    private func double() -> Double {
        if !hasOverflow, digits <= Self.exactMax, abs(exponent) < Self.powers.count {
            let power = Self.powers[abs(exponent)]
            return exponent < 0 ? Double(digits) / power : Double(digits) * power
        }
        var text = String(decoding: bytes[start..<place], as: UTF8.self)
        if text.hasPrefix("-") { text.removeFirst() }
        return Double(text) ?? .infinity
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private func failure(_ reason: String) -> ParseStop { .failure(reason, place: place) }
}
