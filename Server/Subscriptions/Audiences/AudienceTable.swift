package import CausewayModel
import CausewayQuery
package import CausewayStore

/// Which sessions a commit concerns: what a commit costs then follows from who must hear of it.
///
/// Sessions with the same queries under the same rules form an audience. A look at what was committed since the last
/// one finds the audiences that it concerns, by the values of each touched object before and after. The members of all
/// others are left asleep, and their positions move on. This is a shortcut and not the truth: what a device is told is
/// always a `ViewDifference`, and where the table knows too little, its session makes one.
///
/// Invariants:
/// 1. If a session stands at version *p* and is `quiet` through *q*, the difference from *p* to *q* is empty, and its
///    device made none of the versions in between.
/// 2. A session that rests is woken by the next look that concerns it.
package struct AudienceTable {
    /// The newest version that was looked at.
    package private(set) var through: ServerVersion
    /// The run of the server that committed it. Not known before the first look, and not needed.
    private var incarnation: UInt64 = 0
    /// The versions at which looks ended, ascending. At a version in between, an object may be in a state that no look
    /// saw.
    private var ends: [ServerVersion]
    /// What the predicates are bound to.
    private var schema = Schema()
    private var indexes: [Int: PredicateIndex] = [:]
    private var audiences: [Int: Audience] = [:]
    private var numbers: [StandingQueries: Int] = [:]
    private var nextNumber = 0
    private var members: [UInt64: Member] = [:]
    private var sessionOfClient: [ClientID: UInt64] = [:]
    /// Sessions that the next look wakes, whatever it finds.
    private var waiting: Set<UInt64> = []

    private struct Member {
        let client: ClientID
        let audience: Int
        /// Whether every commit behind the session's position is, or will be, part of a look that it was a member for.
        var isFollowed: Bool
        /// The versions that its device made and was not told of: behind the first, through the last.
        var authored: (after: ServerVersion, through: ServerVersion)?
    }

    private static let endsMax = 256

    package init(at version: ServerVersion) {
        through = version
        ends = [version]
    }

    package var audienceCount: Int { audiences.count }

    // MARK: - Members

    /// A session's device is at a version, where it holds what the queries match.
    ///
    /// - Parameter schema: what the queries are bound to.
    package mutating func join(
        _ session: UInt64, of client: ClientID, _ queries: StandingQueries, bound schema: Schema,
        at position: ServerVersion
    ) {
        if self.schema != schema { begin(with: schema) }
        if var member = members[session], audiences[member.audience]?.queries == queries {
            member.isFollowed = ends.contains(position)
            if let authored = member.authored, authored.through <= position { member.authored = nil }
            members[session] = member
        } else {
            leave(session)
            // A session of the same client that this one has replaced: nobody tells it any more what its device wrote.
            if let replaced = sessionOfClient[client] {
                leave(replaced)
                waiting.insert(replaced)
            }
            let number = number(of: queries)
            audiences[number]?.members.insert(session)
            members[session] = Member(client: client, audience: number, isFollowed: position == through)
            sessionOfClient[client] = session
        }
    }

    /// The device of a session was told a difference to its end.
    package mutating func join(_ session: UInt64, of client: ClientID, told difference: ViewDifference) {
        join(session, of: client, difference.wanted, bound: difference.snapshot.schema, at: difference.version)
    }

    package mutating func leave(_ session: UInt64) {
        waiting.remove(session)
        guard let member = members.removeValue(forKey: session) else { return }
        if sessionOfClient[member.client] == session { sessionOfClient[member.client] = nil }
        audiences[member.audience]?.members.remove(session)
        guard let audience = audiences[member.audience], audience.members.isEmpty else { return }
        for (classNumber, predicate) in audience.predicates {
            indexes[classNumber]?.remove(predicate, for: member.audience)
            if indexes[classNumber]?.isEmpty == true { indexes[classNumber] = nil }
        }
        audiences[member.audience] = nil
        numbers[audience.queries] = nil
    }

    private mutating func number(of queries: StandingQueries) -> Int {
        if let known = numbers[queries] { return known }
        let number = nextNumber
        nextNumber += 1
        numbers[queries] = number
        var predicates: [(classNumber: Int, number: Int)] = []
        for (classNumber, predicate) in queries.byClass {
            predicates.append(
                (classNumber, indexes[classNumber, default: PredicateIndex()].insert(predicate, for: number)))
        }
        audiences[number] = Audience(queries, predicates: predicates)
        return number
    }

    /// Everybody has to join again: the queries are bound to another schema.
    private mutating func begin(with schema: Schema) {
        self.schema = schema
        waiting.formUnion(members.keys)
        (indexes, audiences, numbers, members, sessionOfClient) = ([:], [:], [:], [:], [:])
    }

    // MARK: - What a session finds

    package enum Standing: Hashable, Sendable {
        /// Nobody looked for it: a difference tells.
        case unknown
        /// Nothing concerns it through this version, which this run of the server made.
        case quiet(through: ServerVersion, incarnation: UInt64)
        /// Something concerns it, but nothing up to this version.
        case concerned(from: ServerVersion)
    }

    package func standing(of session: UInt64, at position: ServerVersion) -> Standing {
        guard let member = members[session], member.isFollowed, let audience = audiences[member.audience] else {
            return .unknown
        }
        if audience.lastConcerned <= position, member.authored == nil {
            return .quiet(through: max(through, position), incarnation: incarnation)
        }
        var start = audience.lastConcerned > position ? audience.start(from: position) : through
        if let authored = member.authored { start = min(start, authored.after) }
        return .concerned(from: max(start, position))
    }

    /// How a session rests.
    package enum Rest: Hashable, Sendable {
        /// Until something concerns it.
        case asleep
        /// Until the next look, whatever it finds.
        case waiting
        /// Not at all: a look has ended since it asked.
        case awake
    }

    /// A session at a version has nothing to do.
    ///
    /// - Parameter isContent: whether it waits for nothing but what concerns it.
    package mutating func rest(_ session: UInt64, at position: ServerVersion, isContent: Bool) -> Rest {
        switch standing(of: session, at: position) {
        case .quiet(let through, _) where through > position: return .awake
        case .quiet where isContent: return .asleep
        case .concerned: return .awake
        case .quiet, .unknown:
            waiting.insert(session)
            return .waiting
        }
    }

    /// The next look wakes the session, whatever it finds.
    package mutating func waitForLook(_ session: UInt64) { waiting.insert(session) }

    /// Whether the session's queries are followed.
    package func isMember(_ session: UInt64) -> Bool { members[session] != nil }

    // MARK: - Looking

    /// What a look found.
    package struct Findings: Sendable {
        /// Where the last look ended.
        package let start: ServerVersion
        /// What happened since, seen from nobody; nil when it could not be found out.
        package var history: History?
        package var concerned: [ConcernedAudience] = []
        /// Sessions to be woken that are in none of these.
        package var others: [UInt64] = []
        /// Sessions whose devices made a version. They wait only for their acknowledgement.
        package var authors: [UInt64] = []
        /// How many predicates the index found for touched objects, and how many of them matched.
        package var evaluated = 0
        package var matched = 0
    }

    package struct ConcernedAudience: Sendable {
        package let queries: StandingQueries
        /// From this version to the start of the look nothing concerned it.
        package let quietSince: ServerVersion
        /// Those whose devices wrote nothing that they were not told of.
        package var members: [UInt64] = []
    }

    /// Looks at what was committed since the last time. What it cannot find out within the pace concerns everybody.
    ///
    /// - Complexity: that of what was committed and whom it concerns, and of the predicates that stand at no value.
    package mutating func look(at snapshot: any StoreSnapshot, _ pace: Pace) -> Findings {
        let start = through
        var findings = Findings(start: start)
        guard snapshot.version > start else { return findings }
        through = snapshot.version
        ends.append(through)
        if ends.count > 2 * Self.endsMax { ends.removeFirst(Self.endsMax) }
        var concerned: Set<Int>
        do throws(StoreFailure) {
            incarnation = try snapshot.lineage().run(of: through)
            let history = try snapshot.history(after: start, for: .nobody, pace)
            if snapshot.schema != schema { begin(with: snapshot.schema) }
            concerned = try audiences(concernedBy: history, in: snapshot, pace, &findings)
            findings.authors = history.authors.compactMap { sessionOfClient[$0] }
            findings.history = history
        } catch {
            concerned = Set(audiences.keys)
            // Each may be an author.
            findings.authors = Array(members.keys)
        }
        for session in findings.authors {
            let first = members[session]?.authored?.after ?? start
            members[session]?.authored = (first, through)
        }
        // In one order, whatever that of a set is: the simulation tells the same story again.
        for number in concerned.sorted() {
            guard let audience = audiences[number] else { continue }
            var found = ConcernedAudience(queries: audience.queries, quietSince: audience.lastConcerned)
            for session in audience.members.sorted() {
                if let member = members[session], member.isFollowed, member.authored == nil {
                    found.members.append(session)
                } else {
                    waiting.insert(session)
                }
            }
            audiences[number]?.concern(after: start, through: through)
            findings.concerned.append(found)
        }
        findings.authors.sort()
        findings.others = waiting.subtracting(findings.authors).sorted()
        waiting = []
        return findings
    }

    private mutating func audiences(
        concernedBy history: History, in snapshot: any StoreSnapshot, _ pace: Pace, _ findings: inout Findings
    ) throws(StoreFailure) -> Set<Int> {
        for classNumber in indexes.keys { indexes[classNumber]?.prepare() }
        var look = Look(at: snapshot, in: indexes)
        try look.go(over: history, pace)
        findings.evaluated = look.evaluatedCount
        var concerned: Set<Int> = []
        for (classNumber, found) in look.found {
            findings.matched += found.numbers.count
            for number in found.numbers { concerned.formUnion(indexes[classNumber]?.audiences(of: number) ?? []) }
        }
        return concerned
    }
}
