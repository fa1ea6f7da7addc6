import CausewayModel
import CausewaySeeds

/// What kind of run a seed gives: how many devices, how bad the network, how wrong the clocks.
struct Plan: CustomStringConvertible {
    let seed: UInt64
    let devices: [DevicePlan]
    /// The work done between two times of rest.
    let phases: Int
    let stepsPerPhase: Int
    /// How many versions the server remembers; a small number sends devices that were away through a resync.
    let historyVersionsMax: UInt64
    /// From which size on what happened to collections and texts is told; smaller ones are told whole.
    let editedBytesMin: Int
    /// Of a hundred calls and pieces of streams so many are lost, cut or doubled.
    let lossPercent: Int
    /// Behind so many of a hundred parts where a change could go on the network breaks.
    let cutPercent: Int
    let latencyMax: Int
    /// Of a thousand places where a process may end it ends at so many.
    let crashesPerMille: Int
    /// Of a hundred calls of the record, and of the device's file, so many fail.
    let storeErrorPercent: Int
    let fileErrorPercent: Int

    /// Before so many of a hundred steps a fault of `Fault` strikes.
    let faultPercent: Int
    /// The operator says who may read and write what, now this and now that.
    let hasRules: Bool
    /// Before so many of a hundred steps the operator does, beside when it is the fault that strikes.
    let rulesPercent: Int
    /// Before so many of a hundred steps the clock of the server or of a device leaps by decades.
    let leapPercent: Int
    /// Of a hundred entries of a log the server takes so many in no form, until it is mended.
    let obstinacyPercent: Int
    /// What the server sends ahead: the less, the more parts a change has.
    let creditBytes: UInt64
    let vocabulary: Vocabulary
    /// What the apps declare, and what their newer versions do.
    var schema: Schema { vocabulary.hasNumbers ? SimulationSchema.schemaWithNumbers : SimulationSchema.schema }
    var newerSchema: Schema {
        vocabulary.hasNumbers ? SimulationSchema.newerSchemaWithNumbers : SimulationSchema.newerSchema
    }
    /// Where nobody says whether rules change, the number does, so that each seed stays the story that it was.
    static let firstSeedWithRules: UInt64 = 1_000_000

    static func hasRules(_ seed: UInt64) -> Bool { seed >= firstSeedWithRules }

    struct DevicePlan {
        let clock: DeviceClock
        let isNewer: Bool
    }

    /// - Parameter hasRules: nil leaves it to the number.
    init(seed: UInt64, hasRules: Bool? = nil) {
        self.seed = seed
        var random = SeededNumbers(seed: seed &* 0x9E37_79B9 &+ 17)
        let count = random.one(of: [2, 2, 3, 3, 3, 3, 4, 4, 5, 7, 10])
        let hasNewer = random.happens(percent: 40)
        var devices: [DevicePlan] = []
        for _ in 0..<count {
            devices.append(
                DevicePlan(clock: DeviceClock(&random), isNewer: hasNewer && random.happens(percent: 40)))
        }
        self.devices = devices
        phases = random.one(of: [1, 1, 2, 3])
        // Short runs fail legibly, long ones find more.
        stepsPerPhase = random.one(of: [15, 30, 60, 120])
        historyVersionsMax = random.happens(percent: 25) ? 5 : 1_000_000
        lossPercent = random.one(of: [0, 1, 4, 12])
        latencyMax = random.one(of: [3, 40, 40, 400, 3_000])
        crashesPerMille = random.one(of: [0, 0, 2, 10])
        storeErrorPercent = random.one(of: [0, 0, 2, 10])
        fileErrorPercent = random.one(of: [0, 0, 3, 10])
        faultPercent = random.one(of: [0, 3, 10])
        // Nothing follows from this number, but what follows on it.
        _ = random.below(100)
        self.hasRules = hasRules ?? Self.hasRules(seed)
        cutPercent = random.one(of: [0, 20, 50, 80])
        rulesPercent = self.hasRules ? random.one(of: [0, 3, 10]) : 0
        leapPercent = random.one(of: [0, 0, 4, 12])
        obstinacyPercent = random.one(of: [0, 0, 0, 3, 15])
        creditBytes = random.one(of: [400, 2_000, 6_000])
        vocabulary = Vocabulary(seed: seed)
        editedBytesMin = random.one(of: [0, 0, 256])
    }

    var description: String {
        let clocks = devices.map(\.clock.description).joined(separator: ", ")
        let newer = devices.filter(\.isNewer).count
        return "\(devices.count) devices with clocks \(clocks); \(newer) of the newer schema; "
            + "\(phases) × \(stepsPerPhase) steps; a history of \(historyVersionsMax) versions; edits from \(editedBytesMin) bytes on; \(lossPercent) % lost, up to \(latencyMax) ms late, "
            + "\(cutPercent) % of long changes cut at a part; "
            + "\(crashesPerMille) ‰ crashes; \(storeErrorPercent) % errors of the record, \(fileErrorPercent) % of files"
            + (hasRules ? "; rules change" : "") + (leapPercent > 0 ? "; clocks leap" : "")
            + (vocabulary.hasNumbers ? "; extreme words" : "")
            + (obstinacyPercent > 0 ? "; \(obstinacyPercent) % of entries are taken in no form" : "")
            + "; \(creditBytes) bytes ahead"
    }
}
