import Causeway
import Foundation

class Member: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var note: String?
    @Persisted var age: Int
    @Persisted var weight: Double
    @Persisted var isActive: Bool
    @Persisted var joined: Date
    @Persisted var photo: Data
    @Persisted var badge: UUID
    @Persisted var friend: Member?
    @Persisted var scores: List<Int>
    @Persisted var friends: List<Member>
    @Persisted(originProperty: "members") var clubs: LinkingObjects<Club>
}

class Club: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(indexed: true) var rank: Int
    @Persisted var members: List<Member>
}

/// A file as an app leaves it behind: many commits, some of them updates and deletions.
enum DamageFile {
    static let memberCount = 400
    static let clubCount = 16

    static func write(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let members = (0..<memberCount).map(member)
            realm.add(members)
            for id in stride(from: 0, to: memberCount, by: 3) {
                members[id].friend = members[(id * 7 + 1) % memberCount]
            }
            for id in stride(from: 0, to: memberCount, by: 5) {
                members[id].friends.append(objectsIn: [
                    members[(id + 1) % memberCount], members[(id * 3) % memberCount],
                ])
            }
        }
        for first in stride(from: 0, to: clubCount, by: 8) {
            try realm.write {
                for number in first..<first + 8 {
                    let club = realm.create(Club.self, value: ["name": "club \(number)", "rank": number % 7])
                    for id in stride(from: number, to: memberCount, by: 10 + number) {
                        if let member = realm.object(ofType: Member.self, forPrimaryKey: id) {
                            club.members.append(member)
                        }
                    }
                }
            }
        }
        try realm.write {
            for member in realm.objects(Member.self).filter("age < 3") { member.note = "young \(member.id)" }
        }
        try realm.write { realm.delete(realm.objects(Member.self).filter("id IN {17, 300, 333}")) }
    }

    private static func member(_ id: Int) -> Member {
        let member = Member()
        member.id = id
        member.name = "member \(id % 150)"
        member.note = id % 4 == 0 ? nil : String(repeating: "word \(id) ", count: id % 9)
        member.age = id * 31 % 90
        member.weight = Double(id * 17 % 1000) / 8
        member.isActive = id % 3 != 0
        member.joined = Date(timeIntervalSince1970: Double(id) * 86_400.25)
        member.photo = Data((0..<id % 50).map { UInt8(truncatingIfNeeded: $0 &* id) })
        member.badge = UUID(uuidString: String(format: "00000000-0000-4000-8000-%012x", id)) ?? UUID()
        member.scores.append(objectsIn: (0..<(id == 70 ? 1500 : id % 12)).map { $0 &* id })
        return member
    }
}
