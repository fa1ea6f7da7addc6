import CausewaySeeds
import Testing

@testable import CausewaySession

@Suite("Which uploads are committed together")
struct UploadLineTests {
    private static let seeds = SeedList.drawn(for: "upload-line", count: 300)

    private func line(_ uploads: [(String, Int, String)], uploadsMax: Int = 64) -> UploadLine<String> {
        var line = UploadLine<String>(operationsMax: 100, uploadsMax: uploadsMax)
        for (upload, operations, user) in uploads { line.add(upload, operations: operations, of: user) }
        return line
    }

    private func expect(
        _ line: inout UploadLine<String>, gives group: [String], at place: SourceLocation = #_sourceLocation
    ) {
        let taken = line.takeGroup()
        #expect(taken == group, sourceLocation: place)
    }

    private func groups(_ line: UploadLine<String>) -> [[String]] {
        var line = line
        var groups: [[String]] = []
        while case let group = line.takeGroup(), !group.isEmpty { groups.append(group) }
        return groups
    }

    @Test("a small change behind many of another user is in the next commit, which is full but not over its bound")
    func small() {
        let many = (0..<10).map { ("m\($0)", 60, "mallory") }
        let groups = groups(line(many + [("a1", 1, "ann"), ("a2", 1, "ann")]))
        #expect(groups[0] == ["m0", "a1", "a2"])
        #expect(groups.dropFirst() == (1..<10).map { ["m\($0)"] }[...])
    }

    @Test("a large upload has a commit of its own, before which what is small of others goes, once")
    func large() {
        var line = line([("m1", 5_000, "mallory"), ("m2", 1, "mallory"), ("a1", 1, "ann")])
        expect(&line, gives: ["a1"])
        line.add("a2", operations: 1, of: "ann")
        expect(&line, gives: ["m1"])
        expect(&line, gives: ["a2", "m2"])
        expect(&line, gives: [])
        #expect(line.count == 0)
    }

    @Test("many users with large uploads have no two commits in a row while somebody has a small one")
    func alternating() {
        var line = line((0..<5).map { ("m\($0)", 5_000, "mallory-\($0)") })
        for number in 0..<5 {
            line.add("a\(number)", operations: 1, of: "ann")
            expect(&line, gives: ["a\(number)"])
            expect(&line, gives: ["m\(number)"])
        }
    }

    @Test("what anybody adds is taken in order, whole, within the bounds, and the first is passed over once at most")
    func drawn() {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            var line = UploadLine<(user: String, number: Int, operations: Int)>(operationsMax: 100, uploadsMax: 5)
            var added: [String: Int] = [:]
            var taken: [String: Int] = [:]
            for _ in 0..<60 {
                if random.once(in: 2) {
                    let user = random.one(of: ["ann", "ben", "cid", "dan"])
                    let operations = random.once(in: 4) ? random.number(101...1_000) : random.number(0...60)
                    line.add((user, added[user, default: 0], operations), operations: operations, of: user)
                    added[user, default: 0] += 1
                } else {
                    check(line.takeGroup(), &taken)
                }
            }
            while line.count > 0 {
                let group = line.takeGroup()
                #expect(!group.isEmpty)
                check(group, &taken)
            }
            #expect(added == taken, "seed \(seed)")
        }
    }

    private func check(_ group: [(user: String, number: Int, operations: Int)], _ taken: inout [String: Int]) {
        #expect(group.count <= 5)
        #expect(group.count <= 1 || group.reduce(0) { $0 + $1.operations } <= 100)
        for upload in group {
            #expect(upload.number == taken[upload.user, default: 0])
            taken[upload.user, default: 0] += 1
        }
    }
}
