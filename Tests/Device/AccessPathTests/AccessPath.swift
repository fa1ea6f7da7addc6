import Causeway
import Dispatch
import Foundation

/// A way to reach all things of a Realm: hands each of them to the body once, in any order.
struct AccessPath: Sendable {
    let name: String
    /// Whether the things that it reaches may be written in a transaction of the same Realm.
    var isWritable = true
    let visit: @Sendable (Realm, (ReachedThing) -> Void) throws -> Void

    init(
        _ name: String, isWritable: Bool = true,
        _ visit: @escaping @Sendable (Realm, (ReachedThing) -> Void) throws -> Void
    ) {
        self.name = name
        self.isWritable = isWritable
        self.visit = visit
    }
}

struct NotReached: Error {
    let path: String
}

private func things(_ realm: Realm) -> Results<ReachedThing> { realm.objects(ReachedThing.self) }

private func holder(_ realm: Realm) -> ReachedHolder? {
    realm.object(ofType: ReachedHolder.self, forPrimaryKey: allHolderID)
}

/// The holder whose collections hold all things; the others hold one each, by the thing's id.
let allHolderID = -1

let accessPaths: [AccessPath] = loops + places + collections + links + handles

private let loops: [AccessPath] = [
    AccessPath("for in objects") { realm, body in for thing in things(realm) { body(thing) } },
    AccessPath("for in sorted") { realm, body in
        for thing in things(realm).sorted(byKeyPath: "id", ascending: false) { body(thing) }
    },
    AccessPath("for in sorted by an index") { realm, body in
        for thing in things(realm).sorted(by: \.indexed) { body(thing) }
    },
    AccessPath("for in where") { realm, body in for thing in things(realm).where({ $0.id >= 0 }) { body(thing) } },
    AccessPath("for in filter") { realm, body in for thing in things(realm).filter("id > -5") { body(thing) } },
    AccessPath("for in enumerated, reversed") { realm, body in
        for (_, thing) in things(realm).reversed().enumerated() { body(thing) }
    },
    AccessPath("forEach") { realm, body in things(realm).forEach { body($0) } },
    AccessPath("a lazy map") { realm, body in for thing in things(realm).lazy.map({ $0 }) { body(thing) } },
    AccessPath("two iterators at once") { realm, body in
        var first = things(realm).makeIterator()
        var second = things(realm).makeIterator()
        while let thing = first.next() {
            let other = second.next()
            body(thing)
            guard other?.id == thing.id else { throw NotReached(path: "two iterators") }
        }
    },
]

private let places: [AccessPath] = [
    AccessPath("subscript") { realm, body in for index in 0..<things(realm).count { body(things(realm)[index]) } },
    AccessPath("Array") { realm, body in for thing in Array(things(realm)) { body(thing) } },
    AccessPath("objects(at:)") { realm, body in
        for thing in things(realm).objects(at: 0..<things(realm).count) { body(thing) }
    },
    AccessPath("first and last") { realm, body in
        for (position, id) in things(realm).map(\.id).enumerated() {
            let found = things(realm).where { $0.id == id }
            if let thing = position % 2 == 0 ? found.first : found.last { body(thing) }
        }
    },
    AccessPath("primary key") { realm, body in
        for id in things(realm).map(\.id) {
            if let thing = realm.object(ofType: ReachedThing.self, forPrimaryKey: id) { body(thing) }
        }
    },
    AccessPath("sections") { realm, body in
        for section in things(realm).sectioned(by: \.group) { for thing in section { body(thing) } }
    },
    AccessPath("sections, by subscript") { realm, body in
        let sections = things(realm).sectioned(by: \.group)
        for section in 0..<sections.count { for item in 0..<sections[section].count { body(sections[section][item]) } }
    },
    AccessPath("projections") { realm, body in for view in realm.objects(ReachedView.self) { body(view.rootObject) } },
]

private let collections: [AccessPath] = [
    AccessPath("elements of a list") { realm, body in for thing in holder(realm)!.list { body(thing) } },
    AccessPath("elements of a list, by subscript") { realm, body in
        let list = holder(realm)!.list
        for index in list.indices { body(list[index]) }
    },
    AccessPath("elements of a list, sorted") { realm, body in
        for thing in holder(realm)!.list.sorted(byKeyPath: "id") { body(thing) }
    },
    AccessPath("elements of a set") { realm, body in for thing in holder(realm)!.some { body(thing) } },
    AccessPath("values of a map") { realm, body in
        for entry in holder(realm)!.named { if let thing = entry.value { body(thing) } }
    },
    AccessPath("values of a map, by key") { realm, body in
        let map = holder(realm)!.named
        for key in map.keys { if let thing = map[key] ?? nil { body(thing) } }
    },
]

private let links: [AccessPath] = [
    AccessPath("links in a loop") { realm, body in
        for holder in realm.objects(ReachedHolder.self) { if let thing = holder.thing { body(thing) } }
    },
    AccessPath("links over links in a loop") { realm, body in
        for origin in realm.objects(ReachedOrigin.self) { if let thing = origin.holder?.thing { body(thing) } }
    },
    AccessPath("links of kept objects") { realm, body in
        for holder in Array(realm.objects(ReachedHolder.self)) { if let thing = holder.thing { body(thing) } }
    },
    AccessPath("links in mixed values") { realm, body in
        for holder in realm.objects(ReachedHolder.self) {
            if let thing = holder.any.object(ReachedThing.self) { body(thing) }
        }
    },
    AccessPath("back over an inverse relation") { realm, body in
        for thing in things(realm) {
            for holder in thing.holders { if let back = holder.thing { body(back) } }
        }
    },
    AccessPath("elements of an inverse relation") { realm, body in
        for anchor in realm.objects(ReachedAnchor.self) { for thing in anchor.things { body(thing) } }
    },
    AccessPath("elements of an inverse relation, by subscript") { realm, body in
        guard let things = realm.objects(ReachedAnchor.self).first?.things else { return }
        for index in 0..<things.count { body(things[index]) }
    },
    AccessPath("elements of an inverse relation, sorted and filtered") { realm, body in
        guard let things = realm.objects(ReachedAnchor.self).first?.things else { return }
        for thing in things.where({ $0.id >= 0 }).sorted(byKeyPath: "group") { body(thing) }
    },
]

private let handles: [AccessPath] = [
    AccessPath("thread-safe references") { realm, body in
        for thing in Array(things(realm)) {
            if let resolved = realm.resolve(ThreadSafeReference(to: thing)) { body(resolved) }
        }
    },
    AccessPath("thawed objects") { realm, body in
        for thing in things(realm) { if let thawed = thing.freeze().thaw() { body(thawed) } }
    },
    AccessPath("frozen objects", isWritable: false) { realm, body in for thing in things(realm) { body(thing.freeze()) }
    },
    AccessPath("frozen results", isWritable: false) { realm, body in for thing in things(realm).freeze() { body(thing) }
    },
    AccessPath("a frozen Realm, by subscript", isWritable: false) { realm, body in
        let frozen = things(realm.freeze())
        for index in 0..<frozen.count { body(frozen[index]) }
    },
    AccessPath("another Realm of the file", isWritable: false) { realm, body in
        let other = try Realm(configuration: realm.configuration, queue: nil)
        other.refresh()
        for thing in things(other) { body(thing) }
    },
    AccessPath("thread-safe references, resolved on another thread", isWritable: false) { realm, body in
        let references = Array(things(realm)).map { ThreadSafeReference(to: $0) }
        let configuration = realm.configuration
        try elsewhere {
            let other = try Realm(configuration: configuration, queue: nil)
            for reference in references { if let thing = other.resolve(reference) { body(thing) } }
        }
    },
    AccessPath("what an observer is handed", isWritable: false) { realm, body in
        try observing(realm, body) { change in
            if case .initial(let things) = change { things } else { nil }
        } meanwhile: {
        }
    },
    AccessPath("what an observer is handed after a change", isWritable: false) { realm, body in
        try observing(realm, body) { change in
            if case .update(let things, _, _, _) = change { things } else { nil }
        } meanwhile: {
            try realm.write { for thing in things(realm) { thing.group += 3 } }
        }
    },
]

/// On a thread of its own, for which this one waits.
private func elsewhere(_ body: () throws -> Void) throws {
    var outcome = Result<Void, any Error>.success(())
    withoutActuallyEscaping(body) { body in
        let errand = Errand(body)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            errand.run()
            done.signal()
        }
        done.wait()
        outcome = errand.outcome
    }
    try outcome.get()
}

/// What another thread does while this one waits. It lets go of it before it says that it is done: its own block may live
/// for a moment longer, and would have let it escape.
///
/// Unchecked: the two threads never touch it at once, since one waits for the other's signal.
private final class Errand: @unchecked Sendable {
    private var body: (() throws -> Void)?
    private(set) var outcome = Result<Void, any Error>.success(())

    init(_ body: @escaping () throws -> Void) {
        self.body = body
    }

    func run() {
        if let body { outcome = Result { try body() } }
        body = nil
    }
}

/// Hands over the things of the first change of all things that is asked for.
private func observing(
    _ realm: Realm, _ body: (ReachedThing) -> Void,
    asked: @escaping @Sendable (RealmCollectionChange<Results<ReachedThing>>) -> Results<ReachedThing>?,
    meanwhile: () throws -> Void
) throws {
    let began = DispatchSemaphore(value: 0)
    let called = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "observer")
    try withoutActuallyEscaping(body) { body in
        // The block runs on the queue while this thread waits for it, so the two never touch the body at once.
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) var isDone = false
        let token = things(realm).observe(on: queue) { change in
            if !isDone, let things = asked(change) {
                for thing in things { body(thing) }
                isDone = true
                called.signal()
            }
            began.signal()
        }
        defer {
            token.invalidate()
            queue.sync {}
        }
        guard began.wait(timeout: .now() + 60) == .success else { throw NotReached(path: "observer") }
        try meanwhile()
        guard called.wait(timeout: .now() + 60) == .success else { throw NotReached(path: "observer") }
    }
}
