import CausewayObjectStore
import CausewayStoreEmbedded

@testable import CausewaySimulation

extension LoopbackDevice {
    static func inMemory(now: UInt64) throws -> LoopbackDevice {
        let store = try ObjectStore.open(
            path: "loopback-device-\(UInt64.random(in: 0 ... .max))",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
        return try LoopbackDevice(store, schema: SimulationSchema.schema, now: now)
    }
}

extension StoreEmbedded {
    static func inMemory(historyVersionsMax: UInt64 = 1_000_000) throws -> StoreEmbedded {
        try StoreEmbedded.open(
            folder: "loopback-server-\(UInt64.random(in: 0 ... .max))",
            options: StoreEmbedded.Options(
                historyVersionsMax: historyVersionsMax, mapSizeBytes: 1 << 26, inMemory: true),
            epochSeed: .random(in: 0 ... .max) | 1)
    }
}
