import Causeway
import CausewayIdentity
import CausewayIngest
import CausewayLimits
import CausewaySession
import CausewayStoreEmbedded
import CausewayWire
import Foundation
import Synchronization

/// A server's core and the devices around it, all in this process, in a folder of their own.
@MainActor
final class Bench {
    let folder: URL
    private(set) var store: StoreEmbedded
    /// What transports lead to; another one after a restore.
    private let server: Server
    var conversations: Conversations { server.conversations }
    private var copies = 0
    private var serverFolder: URL
    private var networks: [String: InProcessTransport.Network] = [:]
    private var apps: [String: App] = [:]
    /// The rules of the moment, and who uses each device: Ann, who claims nothing, unless a test says otherwise.
    let office = PermissionOffice(nil)
    private var callers: [String: CallerOfDevice] = [:]

    private let limits: SessionLimits
    private let options: StoreEmbedded.Options
    private let rates: Rates

    /// - Parameters:
    ///   - creditBytes: a part of a change is at most half as large.
    ///   - operations: what the server takes at once.
    init(
        creditBytes: UInt64 = SessionLimits.standard.creditBytes,
        operations: UInt64 = SessionLimits.standard.operations,
        options: StoreEmbedded.Options = StoreEmbedded.Options(), rates: Rates = .unlimited
    ) throws {
        self.options = options
        self.rates = rates
        limits = SessionLimits(
            frameBytes: 16 << 20, creditBytes: creditBytes, heartbeatMilliseconds: 15_000, operations: operations)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-bench-\(UInt64.random(in: 0 ... .max))", isDirectory: true)
        serverFolder = folder.appendingPathComponent("server", isDirectory: true)
        try FileManager.default.createDirectory(at: serverFolder, withIntermediateDirectories: true)
        store = try StoreEmbedded.open(
            folder: serverFolder.path, options: options, epochSeed: UInt64.random(in: 1 ... .max))
        server = Server(Self.conversations(of: store, limits, rates))
    }

    private static func conversations(
        of store: StoreEmbedded, _ limits: SessionLimits, _ rates: Rates
    ) -> Conversations {
        Conversations(
            backend: store, intake: Intake(store), limits: limits, rates: RateGate(rates),
            now: { UInt64(Date().timeIntervalSince1970 * 1_000) })
    }

    func end() async {
        await conversations.end(SyncFailure(.serverEnding, "The bench is put away."))
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: - Copies of the server

    /// A copy of the server's folder as it is now.
    func copyServer() throws -> URL {
        copies += 1
        let copy = folder.appendingPathComponent("copy-\(copies)", isDirectory: true)
        try FileManager.default.copyItem(at: serverFolder, to: copy)
        return copy
    }

    /// Ends the server and begins another one with what a copy has.
    func restoreServer(from copy: URL) async throws {
        await conversations.end(SyncFailure(.serverEnding, "The server is being restored."))
        store.close()
        copies += 1
        let restored = folder.appendingPathComponent("restored-\(copies)", isDirectory: true)
        try FileManager.default.copyItem(at: copy, to: restored)
        serverFolder = restored
        store = try StoreEmbedded.open(
            folder: restored.path, options: options, epochSeed: UInt64.random(in: 1 ... .max))
        server.conversations = Self.conversations(of: store, limits, rates)
    }

    func network(_ device: String) -> InProcessTransport.Network {
        if let network = networks[device] { return network }
        let network = InProcessTransport.Network()
        network.operationsMax = Int(limits.operations)
        networks[device] = network
        return network
    }

    func cutOff(_ devices: String...) {
        for device in devices { network(device).isCut = true }
    }

    /// Lets the devices reach the server again, and shows in their Realms what came of it.
    func rejoin(_ realms: KeyValuePairs<String, Realm>) async throws {
        for (device, _) in realms { network(device).isCut = false }
        for (_, realm) in realms { realm.syncSession?.reconnect() }
        for (_, realm) in realms { try await realm.syncSession?.wait(for: .upload) }
        for (_, realm) in realms { try await realm.syncSession?.wait(for: .download) }
        for (_, realm) in realms { realm.refresh() }
    }

    func app(_ device: String) -> App {
        if let app = apps[device] { return app }
        let network = network(device)
        let server = server
        let caller = caller(device)
        let access: @Sendable () -> Access = { [office] in
            let caller = caller.value
            return Access(expires: caller.expires, claims: caller.claims.hashValue) {
                office.permissions(of: caller)
            }
        }
        let user = "\(caller.value.user)"
        let app = App(id: "bench", rootDirectory: folder.appendingPathComponent(device, isDirectory: true)) {
            InProcessTransport(server, user: user, network: network, access: access)
        }
        apps[device] = app
        return app
    }

    func configuration(
        _ device: String, initial: (@Sendable (SyncSubscriptionSet) -> Void)? = nil,
        resetMode: ClientResetMode = .recoverUnsyncedChanges()
    ) async throws -> Realm.Configuration {
        let name = "\(caller(device).value.user)"
        let user = try await app(device).login(credentials: .jwt(Self.token(user: name)))
        var configuration = user.flexibleSyncConfiguration(
            clientResetMode: resetMode, initialSubscriptions: initial)
        configuration.objectTypes = [
            Chore.self, Person.self, Reading.self, Album.self, Track.self, Survey.self, Probe.self,
        ]
        return configuration
    }

    /// Who uses a device. A token that comes later replaces the earlier one.
    func caller(_ device: String) -> CallerOfDevice {
        if let known = callers[device] { return known }
        let made = CallerOfDevice(Caller(user: "ann", claims: [:], expires: 1))
        callers[device] = made
        return made
    }

    /// Lets every session hear of other rules, as the daemon does on SIGHUP.
    func rule(_ rules: PermissionRules?) {
        office.replace(by: rules)
        conversations.reconsider()
    }

    /// A token nobody signed: the core is told who calls, and the device does not verify.
    static func token(user: String) -> String {
        let payload = Data("{\"sub\":\"\(user)\"}".utf8).base64EncodedString()
            .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        return "e30.\(payload).e30"
    }
}

/// The claims that a device's requests carry at the moment.
final class CallerOfDevice: Sendable {
    private let state: Mutex<Caller>

    init(_ caller: Caller) {
        state = Mutex(caller)
    }

    var value: Caller {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func `is`(_ user: String, _ claims: [String: ClaimValue] = [:]) {
        state.withLock { $0 = Caller(user: user, claims: claims, expires: $0.expires + 1) }
    }
}

final class Chore: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var title = ""
    @Persisted var priority = 0
    @Persisted var owner: Person?
    @Persisted var helpers: List<Person>
    @Persisted var labels: MutableSet<String>
    @Persisted var crew: MutableSet<Person>
    @Persisted var hours: Map<String, Int>
    @Persisted var roles: Map<String, Person?>
    @Persisted var story: Text
    @Persisted var details: AnyRealmValue
    @Persisted var notes: List<AnyRealmValue>
}

final class Person: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var age = 0

    override class func propertiesMapping() -> [String: String] { ["age": "age_in_years"] }
}

final class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var degrees = 0.0
}

/// A one-way object with everything that it can hold.
final class Survey: AsymmetricObject {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var tags: List<String>
    @Persisted var rooms: MutableSet<Int>
    @Persisted var levels: Map<String, Double>
    @Persisted var probe: Probe?
    @Persisted var probes: List<Probe>
    @Persisted var chore: Chore?
    @Persisted var chores: List<Chore>
}

final class Probe: EmbeddedObject {
    @Persisted var depth = 0
    @Persisted var samples: List<Int>
    @Persisted var parts: List<Probe>
}
