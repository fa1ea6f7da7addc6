import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayPrograms
import CausewayWire
import Foundation
import Synchronization

/// When which note was sent.
private final class Sent: Sendable {
    let times = Mutex<[Int64: ContinuousClock.Instant]>([:])
}

/// A day in the life of a fleet, shortened: many devices that do what devices of one kind do.
struct Profile: Sendable {
    let name: String
    /// What is waited for in it, as the picture says.
    let waits: String
    let run: @Sendable (Figures, SyncServer, Site, Timeline) async throws -> Void

    static let all: [Profile] = [
        Profile(name: "idle", waits: "connecting", run: { try await $0.idleProfile($1, $2, $3) }),
        Profile(name: "chat", waits: "sent → heard by another device", run: { try await $0.chatProfile($1, $2, $3) }),
        Profile(
            name: "telemetry", waits: "an upload of 50 objects until it is durable",
            run: { try await $0.telemetryProfile($1, $2, $3) }),
        Profile(
            name: "morning", waits: "connecting and getting 200 objects",
            run: { try await $0.morningProfile($1, $2, $3) }),
        Profile(
            name: "herd", waits: "connecting again after a restart, until live",
            run: { try await $0.herdProfile($1, $2, $3) }),
    ]
}

extension Figures {
    /// How long the profiles with a steady load run.
    private var profileSeconds: Int { max(60 / divisor, 5) }

    /// Runs a profile on a server of its own.
    ///
    /// - Returns: what happened, second by second.
    func run(_ profile: Profile) async throws -> Timeline {
        let timeline = Timeline()
        _ = try await withServer { server, site in
            timeline.watch(server)
            try await timeline.sampling { try await profile.run(self, server, site, timeline) }
            return []
        }
        return timeline
    }

    /// Devices that are there and do nothing.
    fileprivate func idleProfile(_ server: SyncServer, _ site: Site, _ timeline: Timeline) async throws {
        try await Fleet(scaled(5_000), at: site) { _ in "store == 1" }.connect { timeline.note(since: $0) }
        try await Task.sleep(for: .seconds(profileSeconds))
    }

    /// Rooms of ten devices; each says something now and then, and the others hear it.
    fileprivate func chatProfile(_ server: SyncServer, _ site: Site, _ timeline: Timeline) async throws {
        let (count, roomSize) = (scaled(1_000), 10)
        let fleet = Fleet(count, at: site) { "store == \($0 / roomSize)" }
        try await fleet.connect()
        let sent = Sent()
        for device in fleet.devices {
            device.listen { message in
                guard case .changes(let chunk) = message else { return }
                for entered in chunk.entered {
                    guard case .int(let id) = entered.object.key, let begin = sent.times.withLock({ $0[id] }) else {
                        continue
                    }
                    timeline.note(since: begin)
                }
            }
        }
        let end = ContinuousClock.now + .seconds(profileSeconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, device) in fleet.devices.enumerated() {
                group.addTask {
                    var said = 0
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0..<10_000)))
                    while ContinuousClock.now < end {
                        let id = number * 100_000 + said
                        sent.times.withLock { $0[Int64(id)] = .now }
                        try await device.upload(
                            [[Note.create(id, store: number / roomSize, text: "something that people say")]], to: site)
                        said += 1
                        try await Task.sleep(for: .milliseconds(Int.random(in: 5_000..<15_000)))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Machines that send what they measured, and hear nothing.
    fileprivate func telemetryProfile(_ server: SyncServer, _ site: Site, _ timeline: Timeline) async throws {
        let fleet = Fleet(scaled(500), at: site) { _ in "store == -1" }
        try await fleet.connect()
        let end = ContinuousClock.now + .seconds(profileSeconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, device) in fleet.devices.enumerated() {
                group.addTask {
                    var first = number * 1_000_000
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0..<2_000)))
                    while ContinuousClock.now < end {
                        let begin = ContinuousClock.now
                        try await device.upload(
                            [(first..<first + 50).map { Note.create($0, store: number, count: $0) }], to: site)
                        timeline.note(since: begin)
                        first += 50
                        try await Task.sleep(until: begin + .seconds(2))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A shift begins: within half a minute everybody switches a device on, which has nothing yet.
    fileprivate func morningProfile(_ server: SyncServer, _ site: Site, _ timeline: Timeline) async throws {
        let (count, share) = (scaled(2_000), 200)
        let writer = try await writer(site)
        let stores = 100
        for store in 0..<stores {
            let first = store * share
            try await writer.upload(
                [(first..<first + share).map { Note.create($0, store: store, text: "a row of the day's work") }],
                to: site)
        }
        let fleet = Fleet(count, at: site) { "store == \($0 % stores)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, device) in fleet.devices.enumerated() {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0..<profileSeconds * 500)))
                    let begin = ContinuousClock.now
                    try await device.becomeLive(at: site)
                    timeline.note(since: begin)
                    for edit in 1...3 {
                        try await Task.sleep(for: .milliseconds(Int.random(in: 1_000..<5_000)))
                        let id = (number % stores) * share + number / stores % share
                        try await device.upload([[Note.set(id, count: edit)]], to: site)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The server is started anew, and everybody comes back at once.
    fileprivate func herdProfile(_ server: SyncServer, _ site: Site, _ timeline: Timeline) async throws {
        let fleet = Fleet(scaled(5_000), at: site) { _ in "store == 1" }
        try await fleet.connect()
        try await Task.sleep(for: .seconds(profileSeconds / 6))
        server.stop()
        fleet.disconnect()
        try server.start()
        timeline.watch(server)
        try await fleet.connect(atOnce: 256) { timeline.note(since: $0) }
        try await Task.sleep(for: .seconds(profileSeconds / 6))
    }
}
