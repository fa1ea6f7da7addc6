import Causeway
import Foundation
import Testing

class InvPlayer: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var age: Int
    @Persisted var buddy: InvPlayer?
    @Persisted(originProperty: "members") var teams: LinkingObjects<InvTeam>
    @Persisted(originProperty: "buddy") var buddyOf: LinkingObjects<InvPlayer>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class InvTeam: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var rank: Int
    @Persisted var members: List<InvPlayer>
    @Persisted var captain: InvPlayer?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func propertiesMapping() -> [String: String] { ["members": "stored_members", "name": "label"] }
}

@Suite("Queries against a link")
struct InverseQueryTests {
    private let realm: Realm

    /// Ten players; team t holds the players that t+1 divides, player 0 twice; the captain is player t.
    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [InvPlayer.self, InvTeam.self]))
        try realm.write {
            let players = (0..<10).map { realm.create(InvPlayer.self, value: ["id": $0, "age": 20 + $0]) }
            for id in 1..<10 { players[id].buddy = players[id / 2] }
            for number in 0..<4 {
                let team = realm.create(
                    InvTeam.self,
                    value: ["id": number, "name": ["red", "blue", "red", "green"][number], "rank": number])
                team.members.append(objectsIn: players.filter { $0.id.isMultiple(of: number + 1) })
                team.members.append(players[0])
                team.captain = players[number]
            }
        }
    }

    private func ids(_ format: String, _ arguments: Any...) -> [Int] {
        Array(realm.objects(InvPlayer.self).filter(NSPredicate(format: format, argumentArray: arguments)).map(\.id))
    }

    private func ids(_ holds: (InvPlayer) -> Bool) -> [Int] {
        Array(realm.objects(InvPlayer.self)).filter(holds).map(\.id)
    }

    @Test("format strings name the inverse relation, or the link itself")
    func formats() {
        #expect(ids("teams.@count > 2") == ids { $0.teams.count > 2 })
        #expect(ids("@links.InvTeam.stored_members.@count > 2") == ids { $0.teams.count > 2 })
        #expect(ids("ANY teams.name == 'blue'") == [0, 2, 4, 6, 8])
        #expect(ids("NONE teams.name == %@", "red") == ids { player in !player.teams.contains { $0.name == "red" } })
        #expect(ids("ALL teams.rank < 2") == ids { player in player.teams.allSatisfy { $0.rank < 2 } })
        #expect(ids("teams.@sum.rank == 3") == ids { player in player.teams.reduce(0) { $0 + $1.rank } == 3 })
        #expect(ids("SUBQUERY(teams, $t, $t.name == 'red' AND $t.rank > 0).@count > 0") == [0, 3, 6, 9])
        #expect(ids("buddyOf.@count == 2") == [1, 2, 3, 4])
        #expect(ids("ANY buddyOf.buddyOf.id == 9") == [2])
        #expect(ids("buddy.teams.@count > 5") == [1])
        #expect(ids("%K == 3", "@links.InvTeam.captain.id") == [3])
        #expect(ids("@links.@count == 0") == [])
        #expect(ids("@links.@count == 2") == ids { $0.teams.count + $0.buddyOf.count + ($0.id < 4 ? 1 : 0) == 2 })
    }

    @Test("the compiler checks the same")
    func typed() {
        let players = realm.objects(InvPlayer.self)
        #expect(Array(players.where { $0.teams.name == "blue" }.map(\.id)) == [0, 2, 4, 6, 8])
        #expect(Array(players.where { $0.teams.count > 2 }.map(\.id)) == ids("teams.@count > 2"))
        #expect(Array(players.where { $0.teams.rank.max == 3 }.map(\.id)) == [0, 4, 8])
        #expect(
            Array(players.where { ($0.teams.name == "red" && $0.teams.rank > 0).count > 0 }.map(\.id)) == [0, 3, 6, 9])
    }

    @Test("live results follow the objects that link")
    func live() throws {
        let red = realm.objects(InvPlayer.self).filter("ANY teams.name == 'red'")
        let linked = realm.objects(InvPlayer.self).filter("@links.@count > 4")
        #expect(red.count == 10)
        try realm.write {
            for team in realm.objects(InvTeam.self).filter("name == 'red' AND rank == 0") { team.name = "white" }
        }
        #expect(Array(red.map(\.id)) == [0, 3, 6, 9])
        let before = linked.count
        try realm.write {
            guard let team = realm.objects(InvTeam.self).filter("rank == 2").first else { return }
            team.members.removeAll()
        }
        #expect(red.count == 0)
        #expect(Array(linked.map(\.id)) == ids("@links.@count > 4"))
        #expect(linked.count < before)
    }
}
