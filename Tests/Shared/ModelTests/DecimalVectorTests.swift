import CausewayModel
import Foundation
import Testing

/// What Python's decimal module says of seeded numbers: see `Tests/Vectors/decimal/generate.py`.
@Suite struct DecimalVectorTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Vectors/decimal/arithmetic.txt")

    @Test("decimals are read, written, calculated and compared as IEEE 754 says, to the last bit")
    func vectors() throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 3000)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            #expect(try answer(words) == words.last, "\(line)")
        }
    }

    private func answer(_ words: [String]) throws -> String {
        if words[0] == "double" {
            let value = Double(bitPattern: try #require(UInt64(words[1], radix: 16)))
            let decimal = DecimalNumber(nearest: value)
            // Thirty-four digits are enough to tell all Doubles apart.
            #expect(decimal.double == value || value.isNaN)
            return hexadecimal(decimal)
        }
        let left = try #require(DecimalNumber(words[1]))
        guard words.count == 4 else {
            if words[0] == "write" { #expect(left.description == words[1]) }
            return hexadecimal(left)
        }
        let right = try #require(DecimalNumber(words[2]))
        switch words[0] {
        case "add": return hexadecimal(left + right)
        case "subtract": return hexadecimal(left - right)
        case "multiply": return hexadecimal(left * right)
        case "divide": return hexadecimal(left / right)
        default: return left < right ? "-1" : left > right ? "1" : left == right ? "0" : "NaN"
        }
    }

    private func hexadecimal(_ number: DecimalNumber) -> String {
        if number.isNaN { return "NaN" }
        return [number.high, number.low].map {
            let digits = String($0, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
