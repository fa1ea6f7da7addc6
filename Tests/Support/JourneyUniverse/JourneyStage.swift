import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Synchronization

/// A server and three devices with the items of many cases.
final class JourneyStage {
    private let cases: [Journeys.Case]
    private let itinerary: Itinerary
    private let fault: Journeys.Fault?
    private let story: ((String) -> Void)?
    /// Keeps the server's file in memory, and lets us look into it.
    private let file: ObjectStore
    private let record: StoreEmbedded
    private let devices: [JourneyDevice]
    private var now: UInt64 = 1_700_000_000_000
    private var written = Array(repeating: 0, count: Journeys.devices)
    /// Places of cases in which somebody could not do what was asked.
    private var impossible: Set<Int> = []
    private var differences: [Int: String] = [:]
    private var reference = JourneyReference()

    private static let number = Atomic(0)

    init(
        _ cases: [Journeys.Case], _ itinerary: Itinerary, _ fault: Journeys.Fault?, _ story: ((String) -> Void)?
    ) throws {
        self.cases = cases
        self.itinerary = itinerary
        self.fault = fault
        self.story = story
        let folder = "journeys-\(Self.number.add(1, ordering: .relaxed).newValue)"
        file = try ObjectStore.open(
            path: folder + "/database.causeway", options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 28))
        record = try StoreEmbedded.open(
            folder: folder,
            options: StoreEmbedded.Options(
                historyVersionsMax: itinerary.historyVersionsMax, editedBytesMin: 0, mapSizeBytes: 1 << 28,
                inMemory: true),
            epochSeed: 1)
        try record.extendSchema(JourneySchema.schema)
        devices = try (0..<Journeys.devices).map { number in
            let skew: UInt64 = itinerary.isFirstAhead && number == 0 ? 3_600_000 : 0
            return try JourneyDevice(
                number: number, folder: folder, skewMilliseconds: skew,
                fault: number == Journeys.devices - 1 ? fault : nil)
        }
        for device in devices { _ = try record.register(device.replica.client, user: "u") }
    }

    func close() {
        for device in devices { device.close() }
        record.close()
        file.close()
    }

    func run() throws -> Journeys.Outcome {
        try begin()
        for step in itinerary.steps { try perform(step) }
        try settle()
        try compare("")
        try compareWithReference()
        for device in devices { device.watching = .all }
        try settle()
        try compare("with everything in view")
        try findOrphans()
        try verify()
        var outcome = Journeys.Outcome()
        outcome.differences = differences.sorted { $0.key < $1.key }.map {
            (number: cases[$0.key].number, how: $0.value)
        }
        outcome.cases = cases.indices.filter { !impossible.contains($0) }.count
        return outcome
    }

    // MARK: - Steps

    /// The first device makes all items, and all hear of it.
    private func begin() throws {
        try devices[0].write(at: now) { transaction in
            for place in cases.indices {
                guard let doing = doing(place, transaction, devices[0], "first") else { continue }
                _ = try doing.make(doing.name)
                _ = try doing.make(doing.otherName)
                for deed in cases[place].corner.beginning { _ = try doing.perform(deed) }
            }
        }
        try settle()
    }

    private func perform(_ step: Itinerary.Step) throws {
        now += 1000
        switch step {
        case .write(let device): try write(device)
        case .upload(let device): try upload(devices[device])
        case .download(let device): try devices[device].download(from: record)
        case .watch(let device, let watching): devices[device].watching = watching
        }
        try tell("\(step)")
    }

    private func write(_ device: Int) throws {
        let turn = written[device]
        written[device] += 1
        // Those of the first two devices are one text to Unicode, and two by their bytes.
        let word = ["K", "\u{212A}", "C"][device] + "\(turn + 1)"
        try devices[device].write(at: now) { transaction in
            for place in cases.indices {
                guard let doing = doing(place, transaction, devices[device], word) else { continue }
                let deed = cases[place].deeds[device * Journeys.deedsEach + turn]
                if try !doing.perform(deed) { impossible.insert(place) }
            }
        }
    }

    private func doing(
        _ place: Int, _ transaction: Transaction, _ device: JourneyDevice, _ word: String
    ) -> Doing? {
        let name = Int64(place) * 2
        return Doing(
            transaction, device.replica, name: name, otherName: name + 1, word: word, writer: device.number)
    }

    private func upload(_ device: JourneyDevice) throws {
        let horizon = try record.snapshot().historyStart
        let (sent, failure) = try device.upload(to: record, at: now)
        let isKnown = fault != .unknownToReference || device.number < devices.count - 1
        if !sent.isEmpty, isKnown { reference.take(sent, as: record.version, at: now, horizon: horizon) }
        guard let failure else { return }
        for place in cases.indices { differences[place] = "device \(device.number) was refused: \(failure)" }
    }

    /// Twice, since what one sends another has to hear.
    private func settle() throws {
        for _ in 0..<2 {
            now += 1000
            for device in devices { try upload(device) }
            for device in devices { try device.download(from: record) }
        }
    }

    // MARK: - What must hold

    /// Every device shows of what it watches what the server has.
    private func compare(_ when: String) throws {
        let transaction = try file.read()
        let expected = transaction.readItems()
        transaction.end()
        for device in devices {
            let actual = try device.read { $0.readItems() }
            for name in Set(expected.keys).union(actual.keys) {
                let wanted = expected[name].flatMap { device.isWatching($0.string) ? $0 : nil }
                let shown = actual[name]
                guard shown != wanted else { continue }
                let place = Int(name) / 2
                if differences[place] == nil {
                    differences[place] =
                        "device \(device.number) \(when) shows \(shown ?? "nothing"), the server has \(wanted ?? "nothing")"
                }
            }
        }
    }

    /// The server has what the rules say of what it took.
    private func compareWithReference() throws {
        let transaction = try file.read()
        let actual = transaction.readItems(unordered: reference.unordered)
        transaction.end()
        let expected = reference.readItems()
        for name in Set(expected.keys).union(actual.keys) where expected[name] != actual[name] {
            let place = Int(name) / 2
            guard differences[place] == nil else { continue }
            differences[place] =
                "the server has \(actual[name] ?? "nothing"), the reference \(expected[name] ?? "nothing")"
        }
    }

    private func findOrphans() throws {
        let transaction = try file.read()
        let orphans = transaction.orphans()
        transaction.end()
        let all = try [("the server", orphans)] + devices.map { ("device \($0.number)", try $0.read { $0.orphans() }) }
        for (holder, orphans) in all where !orphans.isEmpty {
            // Which case it is of cannot be told: nothing leads to it.
            let place = differences.keys.min() ?? 0
            differences[place] = differences[place] ?? "\(holder) keeps what nothing holds: \(orphans.prefix(5))"
        }
    }

    /// Indexes, links, lists and counts of every file agree with what they are made of.
    private func verify() throws {
        let all =
            [("the server", try file.verify())] + (try devices.map { ("device \($0.number)", try $0.verify()) })
        for (holder, report) in all {
            guard let problem = report.problems.first else { continue }
            // Which case it is of is not said.
            let place = differences.keys.min() ?? 0
            differences[place] = differences[place] ?? "the file of \(holder): \(problem)"
        }
    }

    private func tell(_ step: String) throws {
        guard let story else { return }
        story(step)
        let transaction = try file.read()
        story("    server: \(transaction.readItems().sorted { $0.key < $1.key }.map(\.value))")
        transaction.end()
        for device in devices {
            let items = try device.read { $0.readItems() }
            story("    device \(device.number): \(items.sorted { $0.key < $1.key }.map(\.value))")
        }
    }
}

extension JourneyDevice {
    func isWatching(_ item: String) -> Bool {
        switch watching {
        case .all: true
        case .flagged: item.contains("flag=bool(true)")
        case .nothing: false
        }
    }
}
