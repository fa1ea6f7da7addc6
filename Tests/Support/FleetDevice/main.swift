import Causeway
import Foundation

// A device of a fleet, as a process of its own: does what its input says, and says what came of it. It numbers what it
// makes, so that what is missing or there twice shows.
//
//     CausewayFleetDevice <app> <url> <authorities> <folder> <token> <number>
//
//     work <transactions> <bytes>  writes them, each with a text of so many bytes; answers `wrote <n>` for each one that
//                                  is durable here, `full` when the disk is, and `rested` at the end
//     settle                       waits until everything is on the server and everything of the server is here; answers
//                                  `settled <own> <items> <total> <entries> <content>`

final class FleetItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var device: Int
    @Persisted var text: String
}

/// One object that all devices write to: each transaction counts itself, and enters its item into the list and the set.
final class FleetLedger: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var total: Counter
    @Persisted var entries: List<FleetItem>
    @Persisted var names: MutableSet<Int>
}

final class FleetReading: AsymmetricObject {
    @Persisted(primaryKey: true) var id: Int
}

func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let words = CommandLine.arguments
guard words.count == 7, let device = Int(words[6]) else {
    FileHandle.standardError.write(
        Data("usage: \(words[0]) <app> <url> <authorities> <folder> <token> <number>\n".utf8))
    exit(64)
}
let folder = URL(fileURLWithPath: words[4], isDirectory: true)
let app = App(
    id: words[1],
    configuration: AppConfiguration(baseURL: words[2], trustRootsPath: words[3], rootDirectory: folder))

// A file that may not become longer is to be an error here, as a full disk is, and not the end of the process.
signal(SIGXFSZ, SIG_IGN)
app.syncManager.errorHandler = { error, _ in
    FileHandle.standardError.write(Data("sync: \(error.localizedDescription)\n".utf8))
}

/// Ids of this device's items begin here.
let firstID = device * 1_000_000

@MainActor
func open() async throws -> Realm {
    let user = try await app.login(credentials: .jwt(token: words[5]))
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
        $0.append(QuerySubscription<FleetItem>(name: "items"))
        $0.append(QuerySubscription<FleetLedger>(name: "ledger"))
    })
    configuration.fileURL = folder.appendingPathComponent("fleet.realm")
    configuration.objectTypes = [FleetItem.self, FleetLedger.self, FleetReading.self]
    return try Realm(configuration: configuration)
}

@MainActor
func work(_ realm: Realm, _ transactions: Int, _ bytes: Int) throws {
    // Before it is counted in: what an object is created with is a beginning, and of two beginnings one stands.
    if realm.object(ofType: FleetLedger.self, forPrimaryKey: 0) == nil {
        try realm.write { _ = realm.create(FleetLedger.self, value: ["id": 0]) }
    }
    // Nothing repeats in it, so that it takes its room on disk.
    let text = String((0..<bytes).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "x" })
    for _ in 0..<transactions {
        realm.refresh()
        let own = realm.objects(FleetItem.self).where { $0.device == device }
        let number = (own.max(of: \.id) ?? firstID) - firstID + 1
        do {
            try realm.write {
                let item = realm.create(
                    FleetItem.self, value: ["id": firstID + number, "device": device, "text": text])
                let ledger = realm.object(ofType: FleetLedger.self, forPrimaryKey: 0)
                ledger?.total.increment()
                ledger?.entries.append(item)
                ledger?.names.insert(item.id)
                realm.create(FleetReading.self, value: ["id": item.id])
            }
        } catch Realm.Error.outOfDiskSpace {
            return say("full")
        }
        say("wrote \(number)")
    }
    say("rested")
}

@MainActor
func settle(_ realm: Realm) async throws {
    guard let session = realm.syncSession else { return say("no session") }
    // An error ends a wait, not the session: what was a fault a moment ago may be gone.
    while true {
        do {
            try await session.wait(for: .upload)
            try await session.wait(for: .download)
            break
        } catch {
            try await Task.sleep(for: .milliseconds(200))
        }
    }
    realm.refresh()
    let items = realm.objects(FleetItem.self)
    let ledger = realm.object(ofType: FleetLedger.self, forPrimaryKey: 0)
    let entries = ledger.map { $0.entries.map(\.id) } ?? []
    // FNV: one number that tells two contents apart, the order of the list included.
    let content = (items.map(\.id).sorted() + entries + (ledger?.names.sorted() ?? [])).reduce(
        UInt64(0xCBF2_9CE4_8422_2325)
    ) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    say(
        "settled \(items.where { $0.device == device }.count) \(items.count) \(ledger?.total.value ?? 0) "
            + "\(entries.count) \(content)")
}

do {
    let realm = try await open()
    say("open")
    while let line = readLine() {
        let command = line.split(separator: " ").map(String.init)
        switch command.first {
        case "work" where command.count == 3: try work(realm, Int(command[1]) ?? 0, Int(command[2]) ?? 0)
        case "settle": try await settle(realm)
        default: say("what?")
        }
    }
} catch {
    say("failed \(error)")
}
