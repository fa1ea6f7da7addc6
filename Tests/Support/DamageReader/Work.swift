import Causeway
import Foundation

/// What an app does with a file: each step gives an answer as text, which a sound file always gives alike.
struct Work {
    enum Order: Int, CaseIterable {
        case readsFirst, writesFirst, queriesFirst, copiesFirst
    }

    typealias Step = (name: String, run: (Realm) throws -> String)

    static func steps(_ order: Order) -> [Step] {
        switch order {
        case .readsFirst: reads + queries + [change] + reads + [copy]
        case .writesFirst: [change] + queries + reads
        case .queriesFirst: queries + [change] + queries + reads
        case .copiesFirst: [copy] + queries + [change] + reads
        }
    }

    // MARK: - Reads

    private static var reads: [Step] {
        [
            ("counts", { "\($0.objects(Member.self).count) \($0.objects(Club.self).count)" }),
            ("properties", { digest($0.objects(Member.self).map(line)) }),
            (
                "links",
                { digest($0.objects(Member.self).map { "\($0.friend?.name ?? "-") \(Array($0.friends.map(\.id)))" }) }
            ),
            (
                "lists",
                { digest($0.objects(Club.self).map { "\($0.name) \($0.rank) \(Array($0.members.map(\.name)))" }) }
            ),
            ("scores", { digest($0.objects(Member.self).map { "\($0.scores.count) \($0.scores.reduce(0, &+))" }) }),
            ("inverse", { digest($0.objects(Member.self).map { "\(Array($0.clubs.map(\.name)))" }) }),
            (
                "keys",
                { realm in
                    digest(
                        stride(from: 0, to: 420, by: 7).map { id in
                            realm.object(ofType: Member.self, forPrimaryKey: id).map(line) ?? "none"
                        }
                            + (0..<20).map {
                                realm.object(ofType: Club.self, forPrimaryKey: "club \($0)")?.rank.description ?? "none"
                            })
                }
            ),
            (
                "frozen",
                { realm in
                    let frozen = realm.freeze()
                    return digest(frozen.objects(Member.self).filter("age > 80").map(line))
                }
            ),
        ]
    }

    private static func line(_ member: Member) -> String {
        "\(member.id) \(member.name) \(member.note ?? "-") \(member.age) \(member.weight) \(member.isActive) "
            + "\(member.joined.timeIntervalSince1970) \(member.photo.base64EncodedString()) \(member.badge)"
    }

    // MARK: - Queries

    private static var queries: [Step] {
        [
            "name == 'member 7'", "age BETWEEN {20, 30} AND isActive == true", "note CONTAINS '11'", "weight > 60",
            "friend.name BEGINSWITH 'member 1'", "ANY friends.age < 10", "scores.@sum > 1000",
            "SUBQUERY(friends, $f, $f.age > 50).@count > 0", "name IN {'member 3', 'member 149', 'nobody'}",
            "photo == B64\"AA==\" OR note == nil", "id > 350", "joined < T86400000:0",
        ].map { condition in
            ("query \(condition)", { digest($0.objects(Member.self).filter(condition).map { "\($0.id)" }) })
        } + [
            (
                "query of clubs",
                { digest($0.objects(Club.self).filter("rank == 3 AND members.@count > 4").map(\.name)) }
            ),
            ("first", { "\($0.objects(Member.self).filter("age == 89").first?.id ?? -1)" }),
            ("sorted by text", { digest($0.objects(Member.self).sorted(byKeyPath: "name").map { "\($0.id)" }) }),
            (
                "sorted by numbers",
                { realm in
                    let order = [SortDescriptor(keyPath: "age"), SortDescriptor(keyPath: "weight", ascending: false)]
                    return digest(realm.objects(Member.self).sorted(by: order).map { "\($0.id)" })
                }
            ),
            ("distinct", { digest($0.objects(Member.self).distinct(by: ["name"]).map { "\($0.id)" }) }),
            (
                "aggregates",
                { realm in
                    let members = realm.objects(Member.self)
                    let age: Int = members.sum(ofProperty: "age")
                    let weight: Double? = members.average(ofProperty: "weight")
                    let largest: Int? = members.max(ofProperty: "age")
                    return "\(age) \(weight ?? -1) \(largest ?? -1)"
                }
            ),
        ]
    }

    // MARK: - Writes

    private static var change: Step {
        (
            "change",
            { realm in
                try realm.write {
                    for id in stride(from: 5, to: 400, by: 30) {
                        guard let member = realm.object(ofType: Member.self, forPrimaryKey: id) else { continue }
                        member.age = 1000 + id
                        member.name = "changed \(id)"
                        member.scores.append(id)
                        member.friend = realm.object(ofType: Member.self, forPrimaryKey: id + 1)
                    }
                    let new = realm.create(Member.self, value: ["id": 5000, "name": "new"])
                    new.joined = Date(timeIntervalSince1970: 5000)
                    new.badge = UUID(uuidString: "00000000-0000-4000-8000-000000005000") ?? new.badge
                    if let club = realm.object(ofType: Club.self, forPrimaryKey: "club 3") { realm.delete(club) }
                    realm.delete(realm.objects(Member.self).filter("age == 77"))
                }
                return "written"
            }
        )
    }

    private static var copy: Step {
        (
            "copy",
            { realm in
                let path = (realm.configuration.fileURL?.path ?? "") + ".copy"
                try? FileManager.default.removeItem(atPath: path)
                try realm.writeCopy(toFile: URL(fileURLWithPath: path))
                var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path))
                configuration.objectTypes = [Member.self, Club.self]
                defer { _ = try? Realm.deleteFiles(for: configuration) }
                return digest(try Realm(configuration: configuration).objects(Member.self).map(line))
            }
        )
    }

    /// Short, and different for different lines: FNV-1a.
    private static func digest(_ lines: some Sequence<String>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var count = 0
        for line in lines {
            count += 1
            for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 10) &* 0x100_0000_01B3
        }
        return "\(count) lines, \(String(hash, radix: 16))"
    }
}
