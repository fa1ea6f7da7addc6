import Foundation
import Testing

@testable import CausewayLimits

@Suite("LIMITS.md")
struct LimitsPageTests {
    private func rows() throws -> [[String]] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Server/Limits/LIMITS.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            $0.dropFirst().dropLast().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("the page has every limit, and the defaults of the rates as they are")
    func everyLimit() throws {
        let rows = try rows()
        #expect(Set(rows.map(\.[0])) == Set(Limit.allCases.map { "`\($0.rawValue)`" }))
        for limit in Limit.allCases {
            guard let form = limit.form else { continue }
            let row = try #require(rows.first { $0[0] == "`\(limit.rawValue)`" })
            #expect(row[1] == "\(form.standard)", "\(limit)")
        }
    }
}
