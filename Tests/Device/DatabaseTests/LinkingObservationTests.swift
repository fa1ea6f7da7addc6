import Causeway
import Foundation
import Testing

private class WatchedClub: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var motto = ""
    @Persisted var seats = 0
    @Persisted var members: List<WatchedMember>
    @Persisted var partner: WatchedClub?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class WatchedMember: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var friend: WatchedMember?
    @Persisted var friends: Map<String, WatchedMember?>
    @Persisted(originProperty: "members") var clubs: LinkingObjects<WatchedClub>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class ShownMember: Projection<WatchedMember> {
    @Projected(\WatchedMember.clubs) var clubs: LinkingObjects<WatchedClub>
    @Projected(\WatchedMember.clubs.projectTo.motto) var mottos: ProjectedCollection<String>
    @Projected(\WatchedMember.friend?.clubs.count) var clubsOfFriend: Int?
}

@Suite("Observing through inverse relations")
struct LinkingObservationTests {
    private let realm: Realm
    private let a: WatchedMember
    private let b: WatchedMember
    private let chess: WatchedClub

    init() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [WatchedClub.self, WatchedMember.self]))
        self.realm = realm
        (a, b, chess) = try realm.write {
            let a = realm.create(WatchedMember.self, value: ["name": "a"])
            let b = realm.create(WatchedMember.self, value: ["name": "b"])
            return (a, b, realm.create(WatchedClub.self, value: ["name": "Chess", "members": [a]] as [String: Any]))
        }
    }

    private func write(_ block: () throws -> Void) throws {
        try realm.write(block)
        realm.refresh()
    }

    @Test("a collection hears of named properties of linking objects, and of which objects link")
    func collections() throws {
        var named: [[Int]] = []
        var whole: [[Int]] = []
        var plain: [[Int]] = []
        func modified<C>(_ change: RealmCollectionChange<C>) -> [Int]? {
            if case .update(_, _, _, let modifications) = change { modifications } else { nil }
        }
        let members = realm.objects(WatchedMember.self).sorted(by: \.name)
        let tokens = [
            members.observe(keyPaths: ["clubs.motto"]) { if let places = modified($0) { named.append(places) } },
            members.observe(keyPaths: [\WatchedMember.clubs]) { if let places = modified($0) { whole.append(places) } },
            members.observe { if let places = modified($0) { plain.append(places) } },
        ]
        realm.refresh()
        try write { chess.motto = "Check" }
        try write { chess.seats = 64 }
        #expect(named == [[0]] && whole == [] && plain == [])
        try write { chess.members.append(b) }
        #expect(named == [[0], [1]] && whole == [[1]])
        try write { chess.members.remove(at: 0) }
        #expect(named == [[0], [1], [0]] && whole == [[1], [0]])
        try write { realm.create(WatchedClub.self, value: ["name": "Go", "members": [a]] as [String: Any]) }
        #expect(named == [[0], [1], [0], [0]] && whole == [[1], [0], [0]])
        try write { realm.delete(chess) }
        #expect(named == [[0], [1], [0], [0], [1]] && whole == [[1], [0], [0], [1]])
        #expect(plain == [])
        for token in tokens { token.invalidate() }
    }

    @Test("a path goes on from the linking objects, and reaches an inverse relation through links")
    func longPaths() throws {
        var heard: [String] = []
        try write {
            chess.partner = realm.create(WatchedClub.self, value: ["name": "Go"])
            b.friend = a
            b.friends["best"] = a
        }
        let members = realm.objects(WatchedMember.self).sorted(by: \.name)
        func hear<C>(_ name: String, _ change: RealmCollectionChange<C>) {
            if case .update(_, _, _, let modifications) = change { heard.append("\(name) \(modifications)") }
        }
        let tokens = [
            members.observe(keyPaths: ["clubs.partner.motto"]) { hear("partner", $0) },
            members.observe(keyPaths: ["friend.clubs.motto"]) { hear("friend", $0) },
            b.friends.observe(keyPaths: ["clubs.seats"]) { change in
                if case .update(_, _, _, let modifications) = change { heard.append("map \(modifications)") }
            },
            members.sectioned(by: \.name).observe(keyPaths: ["clubs.seats"]) { change in
                if case .update(_, _, _, let modifications, _, _) = change { heard.append("section \(modifications)") }
            },
        ]
        realm.refresh()
        try write { chess.partner?.motto = "Atari" }
        #expect(heard == ["partner [0]"])
        try write { chess.motto = "Check" }
        #expect(heard == ["partner [0]", "friend [1]"])
        heard = []
        try write { chess.seats = 2 }
        #expect(heard.sorted() == ["map [\"best\"]", "section [[0, 0]]"])
        heard = []
        try write { chess.members.removeAll() }
        #expect(heard.sorted() == ["friend [1]", "map [\"best\"]", "partner [0]", "section [[0, 0]]"])
        for token in tokens { token.invalidate() }
    }

    @Test("an object hears of its inverse relation by name, with key paths that the compiler checks too")
    func objects() throws {
        var heard: [String] = []
        func hear(_ observer: String, _ change: ObjectChange<WatchedMember>) {
            if case .change(_, let properties) = change {
                heard.append("\(observer): " + properties.map(\.name).joined(separator: " "))
                #expect(properties.allSatisfy { $0.oldValue == nil && $0.newValue == nil })
            }
        }
        let tokens = [
            a.observe(keyPaths: ["clubs.motto"]) { hear("named", $0) },
            a.observe(keyPaths: [\.clubs]) { hear("whole", $0) },
            a.observe { hear("plain", $0) },
        ]
        realm.refresh()
        try write { chess.motto = "Check" }
        #expect(heard == ["named: clubs"])
        try write { chess.seats = 1 }
        try write { b.friend = a }
        #expect(heard == ["named: clubs"])
        try write { chess.members.removeAll() }
        #expect(heard == ["named: clubs", "named: clubs", "whole: clubs"])
        for token in tokens { token.invalidate() }
    }

    @Test("commits that an observer skips are not told with the next one")
    func skipped() throws {
        var heard = 0
        let token = a.observe(keyPaths: ["clubs"]) { _ in heard += 1 }
        realm.refresh()
        try realm.write(withoutNotifying: [token]) { chess.members.removeAll() }
        realm.refresh()
        try write { chess.seats = 3 }
        #expect(heard == 0)
        try write { chess.members.append(a) }
        #expect(heard == 1)
        token.invalidate()
    }

    @Test("projections of inverse relations are read and observed")
    func projections() throws {
        try write { b.friend = a }
        var heard: [String] = []
        func hear(_ change: ObjectChange<ShownMember>) {
            if case .change(_, let properties) = change { heard.append(properties.map(\.name).joined(separator: " ")) }
        }
        let (shownA, shownB) = (ShownMember(projecting: a), ShownMember(projecting: b))
        #expect(shownA.clubs.map(\.name) == ["Chess"] && Array(shownA.mottos) == [""] && shownB.clubsOfFriend == 1)
        var collection: [[Int]] = []
        let tokens = [
            shownA.observe { hear($0) }, shownB.observe { hear($0) },
            realm.objects(ShownMember.self).observe { change in
                if case .update(_, _, _, let modifications) = change { collection.append(modifications) }
            },
        ]
        realm.refresh()
        try write { chess.motto = "Check" }
        #expect(heard == ["mottos"] && collection == [[0]])
        try write { chess.seats = 8 }
        #expect(heard == ["mottos"] && collection == [[0]])
        try write { chess.members.removeAll() }
        #expect(heard == ["mottos", "clubs mottos", "clubsOfFriend"] && collection == [[0], [0, 1]])
        #expect(realm.objects(ShownMember.self).filter("clubs.@count == 0").count == 2)
        for token in tokens { token.invalidate() }
    }

    @Test("a path beyond an inverse relation that leads nowhere stops the program")
    func unknown() async {
        let stopped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "linking", objectTypes: [WatchedClub.self, WatchedMember.self]))
            _ = realm.objects(WatchedMember.self).observe(keyPaths: ["clubs.colour"]) { _ in }
        }
        let said = String(decoding: stopped?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("Invalid property name 'colour' for class 'WatchedClub'."))
    }
}
