import CausewayModel
import CausewaySeeds
import Foundation
import Testing

@testable import CausewayIdentity

@Suite("An account with many logins")
struct ManyLoginsTests {
    /// Records in memory that count what is asked of them.
    private final class CountedTrees: AccountTrees {
        private var trees: [String: [[UInt8]: [UInt8]]] = [:]
        private(set) var asked = 0

        func get(_ key: [UInt8], in tree: String) -> [UInt8]? { trees[tree]?[key] }

        func values(of keys: [[UInt8]], in tree: String) -> [[UInt8]?] {
            asked += keys.count
            return keys.map { trees[tree]?[$0] }
        }

        func put(_ value: [UInt8], _ key: [UInt8], in tree: String) { trees[tree, default: [:]][key] = value }

        func remove(_ key: [UInt8], in tree: String) { trees[tree]?[key] = nil }

        func keys(in tree: String, from: [UInt8], upTo: [UInt8]?, countMax: Int) -> [[UInt8]] {
            let found = (trees[tree] ?? [:]).keys.filter { key in
                !key.lexicographicallyPrecedes(from) && upTo.map { key.lexicographicallyPrecedes($0) } ?? true
            }
            return Array(found.sorted { $0.lexicographicallyPrecedes($1) }.prefix(countMax))
        }
    }

    @Test("a login looks at 50 of them, and in the end all that have expired are gone and no others")
    func expired() throws {
        let trees = CountedTrees()
        let tables = AccountTables(trees)
        var random = SeededNumbers(seed: 7)
        func id() -> String { String(format: "%016lx", random.next()) }
        func save(_ id: String, of account: ExactString = "fleet", expires: UInt64) throws {
            try tables.save(
                SessionRecord(
                    account: account, provider: "api-key", digest: Data(), created: 0, expires: expires), id)
        }
        let (old, live) = ((0..<200).map { _ in id() }, (0..<200).map { _ in id() })
        for id in old { try save(id, expires: 10) }
        for id in live { try save(id, expires: 1_000) }
        try save("another's", of: "other", expires: 10)
        var left = old.count
        for round in 0..<2_000 where left > 0 {
            let before = trees.asked
            try tables.endExpiredSessions(of: "fleet", at: 10 + UInt64(round % 900), near: id())
            #expect(trees.asked - before <= 50)
            left = try old.count { try tables.session($0) != nil }
        }
        #expect(left == 0)
        #expect(try live.allSatisfy { try tables.session($0) != nil })
        #expect(try tables.session("another's") != nil)
        // The few of a person are looked at in each login.
        try save("one", of: "ann", expires: 10)
        try tables.endExpiredSessions(of: "ann", at: 10, near: "zzz")
        #expect(try tables.session("one") == nil)
    }
}
