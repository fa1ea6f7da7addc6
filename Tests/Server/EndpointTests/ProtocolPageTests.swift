import CausewayModel
import CausewayWire
import Foundation
import Testing

@testable import CausewayEndpoint

/// The page is what somebody who writes another client goes by: it says what the code does, and all of it.
@Suite("The protocol page")
struct ProtocolPageTests {
    private let page: ProtocolPage

    init() throws {
        page = try ProtocolPage()
    }

    // MARK: - Requests

    @Test("every request of the page has a route, every route is on the page, and their messages are described")
    func requests() throws {
        let messages = Set(try page.table("Message", in: "Messages").map { $0[0].split(separator: " ")[0] })
        var calls: Set<Route.Call> = []
        var others: Set<Route> = []
        for row in try page.table("Request", in: "Carrier") {
            let words = row[0].replacing("{database}", with: "a").replacing("{call}", with: "b").split(separator: " ")
            let route = try #require(Route(method: String(words[0]), path: String(words[1])), "\(row[0])")
            if case .call(let call, database: "a") = route { calls.insert(call) } else { others.insert(route) }
            for message in [row[1], row[2].components(separatedBy: ", ")[0]] where message.first?.isUppercase == true {
                #expect(message == "JSON" || messages.contains(Substring(message)), "\(row[0]): \(message)")
            }
        }
        #expect(calls == Set(Route.Call.allCases))
        #expect(others == [.health, .readiness, .account("b", database: "a")])
    }

    // MARK: - Errors

    /// Codes by their names, read from the source: a static member cannot be asked for its name.
    private func codesOfSource() throws -> [String: UInt32] {
        let file = ProtocolPage.root.appending(path: "Sources/Shared/Wire/SyncFailure.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        return Dictionary(
            uniqueKeysWithValues: source.matches(of: /static let (\w+) = Code\(rawValue: (\d+)\)/).map {
                (String($0.1), UInt32($0.2) ?? 0)
            })
    }

    @Test("the table of errors has every code, by its name and with its action")
    func errors() throws {
        var codes: [String: UInt32] = [:]
        for row in try page.table("Code", in: "Errors") {
            let number = try #require(UInt32(row[0]), "\(row)")
            codes[row[1]] = number
            let action: SyncFailure.Action? =
                switch row[3].prefix(while: { $0 != "," && $0 != ":" }) {
                case "retry": .retry
                case "get a new token": .refreshToken
                case "hello again from the stored checkpoint": .restartSession
                case "report": .report
                default: nil
                }
            // What a sender says of a code counts only where the code is unknown: these are known.
            for told in [SyncFailure.Action.report, .retry] {
                let failure = SyncFailure(.init(rawValue: number), "", action: told)
                #expect(failure.action == action, "\(row[1])")
            }
            #expect(!row[2].isEmpty)
        }
        #expect(codes == (try codesOfSource()))
    }

    @Test("the table of statuses gives every code the status that it is answered with")
    func statuses() throws {
        var statuses: [UInt32: Int] = [:]
        for row in try page.table("Status", in: "Carrier") {
            for (status, codes) in [(row[0], row[1]), (row[2], row[3])] {
                for range in codes.components(separatedBy: ", ") {
                    let ends = range.split(separator: "–").compactMap { UInt32($0) }
                    let (first, last) = (try #require(ends.first, "\(range)"), try #require(ends.last))
                    for code in first...last {
                        #expect(statuses.updateValue(try #require(Int(status)), forKey: code) == nil, "\(code)")
                    }
                }
            }
        }
        let codes = try codesOfSource().values
        #expect(Set(statuses.keys) == Set(codes))
        for code in codes {
            #expect(statuses[code] == SyncFailure(.init(rawValue: code), "").status, "\(code)")
        }
    }

    // MARK: - Schemas

    @Test("the tables of types and collections have every one of them, by its number")
    func types() throws {
        // Two of a column each: a number, and what it stands for up to the first comma.
        let cells = try page.table("type", in: "Messages").flatMap { row in
            stride(from: 0, to: row.count - 1, by: 2).map { (row[$0], row[$0 + 1]) }
        }
        var types: [UInt8: String] = [:]
        for (number, meaning) in cells where !number.isEmpty {
            types[try #require(UInt8(number))] = String(meaning.prefix { $0 != "," })
        }
        #expect(types.removeValue(forKey: 18) == "counter")
        let named: [String: PropertyType] = [
            "bool": .bool, "int": .int, "float": .float, "double": .double, "string": .string, "data": .data,
            "timestamp": .date, "ObjectId": .objectId, "UUID": .uuid, "link": .object, "decimal": .decimal128,
            "mixed": .mixed,
        ]
        #expect(
            types.mapValues { named[$0] }
                == Dictionary(uniqueKeysWithValues: PropertyType.allCases.map { ($0.rawValue, $0) }))
        let collections = try page.table("collection", in: "Messages").map { UInt8($0[0]) }
        let kinds = [CollectionKind.none, .list, .set, .map].map(\.rawValue)
        #expect(collections == kinds + [4])
    }

    // MARK: - Diagrams

    @Test("a first sync, an edit made offline, a resync and a restored server have a diagram each")
    func diagrams() {
        for section in [
            "A first sync", "An edit made offline", "Resync", "A server that was restored from an older copy",
        ] {
            #expect(page.diagrams(in: section) == 1, "\(section)")
        }
    }
}
