// swift-tools-version: 6.2

import PackageDescription

// The table of contents: one row a target, in the order a change travels.
// A target's name is `Causeway` plus its folder's name; Sources/README.md tells the journey.
// A row names everything the target may import: the build refuses any other import.

let shared: [Target] = [
    part("Shared", "Environment"),
    part("Shared", "Model"),
    part("Shared", "Operations", uses: ["Model"], documents: ["ENCODING.md"]),
    part("Shared", "Merge", uses: ["Model", "Operations"], documents: ["RULES.md"]),
    part("Shared", "Query", uses: ["Model"], documents: ["GRAMMAR.md"]),
    part(
        "Shared", "Wire", uses: ["Merge", "Model", "Operations"], libraries: ["CZstd", Package.protobuf],
        documents: ["PROTOCOL.md", "envelopes.proto"], excludes: ["zstd"]
    ),
    part(
        "Shared", "Storage", uses: ["Environment"], libraries: ["CStorage", Package.crypto], documents: ["FILE.md"],
        excludes: ["Sealing/SEALING.md", "Sharing/SHARING.md", "system", "xxhash"]
    ),
    part(
        "Shared", "ObjectStore", uses: ["Merge", "Model", "Operations", "Query", "Storage"], libraries: ["CScan"],
        documents: ["FORMAT.md"], excludes: ["kernels"]
    ),
    .target(name: "CScan", path: "Sources/Shared/ObjectStore/kernels"),
    .target(name: "CStorage", dependencies: ["CXXHash"], path: "Sources/Shared/Storage/system"),
    .systemLibrary(
        name: "CXXHash", path: "Sources/Shared/Storage/xxhash", pkgConfig: "libxxhash",
        providers: [.apt(["libxxhash-dev"])]
    ),
    .systemLibrary(
        name: "CZstd", path: "Sources/Shared/Wire/zstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]
    ),
]

let device: [Target] = [
    part(
        "Device", "Database",
        uses: [
            "Environment", "Merge", "Model", "ObjectStore", "OpLog", "Operations", "Query", "Storage", "Sync",
            "SyncedFile", "Wire",
        ],
        libraries: ["CThread", .target(name: name("Transport"), condition: .when(traits: ["Network"]))],
        documents: ["API.md"], excludes: ["system"]
    ),
    .target(name: "CThread", path: "Sources/Device/Database/system"),
    part("Device", "OpLog", uses: ["Environment", "Merge", "Model", "ObjectStore", "Operations", "Storage"]),
    part("Device", "RealmSwift", uses: ["Database"]),
    part("Device", "Sync", uses: ["Merge", "Model", "Operations", "Wire"]),
    part(
        "Device", "SyncedFile",
        uses: ["Environment", "Merge", "Model", "ObjectStore", "OpLog", "Operations", "Storage", "Sync", "Wire"]
    ),
    part(
        "Device", "Transport", uses: ["Operations", "Sync", "Wire"],
        libraries: Package.httpClient(for: "Network") + Package.nio(for: "Network")
    ),
]

let server: [Target] = [
    .executableTarget(
        name: name("Daemon"),
        dependencies: [
            "Admin", "Backup", "Browsing", "Console", "Conversion", "DataAPI", "Endpoint", "Environment", "Feed",
            "HTTP",
            "Identity",
            "Ingest", "Journal", "JournalPostgreSQL", "JSON", "Limits", "Model", "ObjectStore", "OpenAPI", "Operations",
            "PostgreSQL", "Query", "Session", "Sinks", "Storage", "Store", "StoreEmbedded", "StoreReplicated",
            "Subscriptions",
            "Telemetry", "Wire",
        ].map { .target(name: name($0)) } + Package.daemon + Package.httpClient(for: "Server")
            + Package.nio(for: "Server") + ["CAllocator"],
        path: "Server/Daemon",
        exclude: ["allocator"],
        swiftSettings: settings()
    ),
    // What the C library tells of its memory, and gives back when it is asked to.
    .systemLibrary(name: "CAllocator", path: "Server/Daemon/allocator"),
    part(
        "Server", "Admin", uses: ["HTTP", "JSON", "Model", "OpenAPI"], libraries: [Package.crypto],
        documents: ["ADMIN.md", "openapi.yaml"]
    ),
    part(
        "Server", "Backup",
        uses: ["Environment", "Identity", "Model", "ObjectStore", "Storage", "Store", "StoreEmbedded"],
        libraries: ["CBackup", Package.crypto], excludes: ["system"]
    ),
    .target(name: "CBackup", path: "Server/Backup/system"),
    part(
        "Server", "Browsing", uses: ["Admin", "HTTP", "JSON", "Model", "ObjectStore", "OpenAPI", "Query"]
    ),
    part(
        "Server", "Console", uses: ["Admin", "HTTP"], libraries: [Package.crypto], documents: ["CONSOLE.md"],
        excludes: ["package.json"], resources: [.embedInCode("page")]
    ),
    part("Server", "Conversion", uses: ["JSON", "Model", "Query"], documents: ["CONVERSIONS.md"]),
    part(
        "Server", "DataAPI",
        uses: [
            "Endpoint", "HTTP", "JSON", "Limits", "Merge", "Model", "OpenAPI", "Operations", "Query", "Session",
            "Store",
            "Subscriptions", "Wire",
        ],
        documents: ["API.md", "openapi.yaml"]
    ),
    part(
        "Server", "Endpoint",
        uses: ["Environment", "HTTP", "Limits", "Model", "Operations", "Session", "Wire"],
        libraries: Package.nio(for: "Server") + [Package.log]
    ),
    part(
        "Server", "Feed", uses: ["HTTP", "JSON", "Merge", "Model", "Query", "Session", "Store"], documents: ["FEED.md"]
    ),
    part("Server", "HTTP", uses: ["Model"], libraries: Package.nio(for: "Server") + [Package.log]),
    part(
        "Server", "Identity", uses: ["Environment", "Limits", "Model", "ObjectStore", "Query", "Store"],
        libraries: Package.tokens, documents: ["ACCOUNTS.md", "PERMISSIONS.md"]
    ),
    part("Server", "JSON", uses: ["Model", "Query"]),
    part("Server", "OpenAPI", uses: ["HTTP"]),
    part("Server", "Ingest", uses: ["Model", "Operations", "Store", "Wire"]),
    part(
        "Server", "Journal", uses: ["Conversion", "Model", "Operations", "Query", "Store"], libraries: [Package.crypto],
        documents: ["JOURNAL.md"]
    ),
    part("Server", "PostgreSQL"),
    part(
        "Server", "JournalPostgreSQL", uses: ["Journal", "PostgreSQL"], documents: ["JOURNALPOSTGRESQL.md"]
    ),
    part("Server", "Limits", uses: ["Model"], documents: ["LIMITS.md"]),
    part(
        "Server", "Session",
        uses: ["Limits", "Merge", "Model", "Operations", "Query", "Store", "Subscriptions", "Wire"]
    ),
    part(
        "Server", "Sinks",
        uses: ["Environment", "Feed", "HTTP", "JSON", "Model", "PostgreSQL", "Query", "Session", "Store"],
        libraries: Package.httpClient(for: "Server") + Package.nio(for: "Server") + [
            Package.log, Package.crypto, "CZstd",
        ],
        documents: ["SINKS.md"]
    ),
    part("Server", "Store", uses: ["Limits", "Merge", "Model", "Operations", "Query"]),
    part(
        "Server", "StoreEmbedded",
        uses: [
            "Conversion", "Environment", "Journal", "Limits", "Merge", "Model", "ObjectStore", "Operations", "Query",
            "Storage", "Store",
        ]
    ),
    part("Server", "StoreReplicated", uses: ["Conversion", "Journal", "Model", "Operations", "Store"]),
    part("Server", "Subscriptions", uses: ["Merge", "Model", "Operations", "Query", "Store"]),
    part("Server", "Telemetry", uses: ["JSON"], libraries: [Package.metrics], documents: ["AUDIT.md", "METRICS.md"]),
]

let tool: [Target] = [
    part(
        "Tool", "RealmFile", uses: ["Model"],
        libraries: [Package.crypto, Package.cryptoExtras],
        documents: ["REALMFILE.md"]
    ),
    .executableTarget(
        name: name("Commands"),
        dependencies: ["Admin", "Atlas", "Environment", "Files", "HTTP"].map { .target(name: name($0)) } + [
            Package.arguments, Package.log,
        ],
        path: "Tool/Commands",
        swiftSettings: settings()
    ),
    // JSON, Browsing and what shows the console are rooms of the server, and know neither end.
    part(
        "Tool", "Files",
        uses: [
            "Admin", "Browsing", "Console", "Environment", "HTTP", "JSON", "Model", "ObjectStore", "OpLog", "Query",
            "RealmFile", "Storage",
        ],
        documents: ["EXPORT.md"]
    ),
    part(
        "Tool", "Atlas", uses: ["Files", "JSON", "Model", "ObjectStore", "Query", "Storage"], libraries: ["CZlib"],
        documents: ["ATLAS.md"], excludes: ["zlib"]
    ),
    .systemLibrary(name: "CZlib", path: "Tool/Atlas/zlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
]

let shape = ["Model", "Operations", "Merge"]
let storage = ["ObjectStore", "Query", "Storage"]

let tests: [Target] = [
    part("Tests", "Support/Flights", uses: ["Database"]),
    part("Tests", "Support/Folders"),
    part("Tests", "Support/Programs"),
    part("Tests", "Support/RawClient"),
    part("Tests", "Support/Bookkeeping", uses: ["Database", "Model", "ObjectStore", "OpLog", "Operations"]),
    part("Tests", "Support/ObjectStoreReference", uses: ["Model", "ObjectStore", "Query", "Support/Seeds"]),
    part(
        "Tests", "Support/QueryOracle",
        uses: ["Model"] + storage + ["Support/ExactValues", "Support/ObjectStoreReference", "Support/Seeds"]
    ),
    part("Tests", "Support/QueryFuzzing", uses: ["Model", "Query", "Support/Seeds"]),
    part("Tests", "Support/QueryGrammar", uses: ["Support/Seeds"]),
    part(
        "Tests", "Support/QueryTexts",
        uses: [
            "Database", "Identity", "Model", "ObjectStore", "Operations", "Query", "Store", "StoreEmbedded",
            "Subscriptions", "Support/QueryGrammar", "Support/Seeds",
        ]
    ),
    part(
        "Tests", "Support/DecoderFuzzing",
        uses: shape + ["Conversion", "Journal", "Query", "Store", "Support/Seeds", "Wire"]
    ),
    .target(name: "CMeasuring", path: "Tests/Support/Measuring/system"),
    part("Tests", "Support/Measuring", libraries: ["CMeasuring"], excludes: ["system"]),
    part("Tests", "Support/ExactValues", uses: ["Model"]),
    part("Tests", "Support/MergeOracle", uses: ["Model", "Operations", "Support/ExactValues"]),
    part("Tests", "Support/MergeUniverse", uses: shape + ["Support/ExactValues", "Support/MergeOracle"]),
    part("Tests", "Support/MigrationSequences", uses: ["Model"] + storage + ["Support/Seeds"]),
    part("Tests", "Support/Seeds"),
    part("Tests", "Support/Shrinking", uses: ["Support/Seeds"]),
    part("Tests", "Support/SimulatedDisk", uses: ["Environment", "Support/Seeds"], documents: ["README.md"]),
    part("Tests", "Support/StorageOracle", uses: ["Storage", "Support/Seeds"]),
    program("Support/SharingPeer", uses: ["Storage", "Support/Seeds"]),
    program("Support/StoragePeer", uses: ["Storage", "Support/Seeds"]),
    program("Support/AppPeer", uses: ["Database"]),
    program("Support/MigrationPeer", uses: ["ObjectStore", "Support/MigrationSequences"]),
    program("Support/CrashWriter", uses: ["Database", "Support/Bookkeeping"]),
    program("Support/RealmPeer", uses: ["Database"]),
    program("Support/DamageReader", uses: ["Database", "Support/Seeds"]),
    test("Shared", "Model", uses: ["Model", "Support/ExactValues", "Support/Seeds"]),
    test("Shared", "Operations", uses: ["Model", "Operations", "Support/Seeds"]),
    test("Support", "Measuring", uses: ["Support/Folders", "Support/Measuring"]),
    test("Support", "Seeds", uses: ["Support/Seeds"]),
    test("Support", "Shrinking", uses: ["Support/Seeds", "Support/Shrinking"]),
    test(
        "Shared", "Merge",
        uses: shape + [
            "Support/ExactValues", "Support/MergeOracle", "Support/MergeUniverse", "Support/Seeds", "Support/Shrinking",
        ]
    ),
    test("Shared", "Query", uses: ["Model", "Query", "Support/QueryFuzzing", "Support/Seeds"]),
    test("Shared", "Environment", uses: ["Environment", "Support/Seeds", "Support/SimulatedDisk"]),
    test(
        "Shared", "Storage",
        uses: [
            "Environment", "Storage", "Support/Folders", "Support/Programs", "Support/Seeds",
            "Support/SharingPeer", "Support/SimulatedDisk", "Support/StorageOracle", "Support/StoragePeer",
        ],
        libraries: ["CStorage", Package.crypto]
    ),
    test(
        "Shared", "ObjectStore",
        uses: ["Model"] + storage + [
            "Support/ExactValues", "Support/Folders", "Support/MigrationSequences", "Support/ObjectStoreReference",
            "Support/QueryOracle", "Support/Seeds",
        ]
    ),
    test("Shared", "Wire", uses: shape + ["Support/DecoderFuzzing", "Support/Seeds", "Wire"]),
    test(
        "Device", "Database",
        uses: ["Model"] + storage + ["Database", "Support/Folders", "Support/Seeds", "SyncedFile"]
    ),
    test("Device", "Behaviour", uses: ["Database"]),
    test("Device", "AccessPath", uses: ["Database", "Support/Folders", "Support/Seeds"]),
    test(
        "Device", "Crash",
        uses: [
            "Database", "ObjectStore", "Support/Bookkeeping", "Support/CrashWriter", "Support/Programs",
            "Support/Seeds",
        ]
    ),
    test("Device", "OpLog", uses: shape + storage + ["OpLog", "Support/Seeds"]),
    test("Device", "Sync", uses: shape + ["Support/Seeds", "Sync", "Wire"]),
    test(
        "Device", "Transport", uses: shape + ["Sync", "Transport", "Wire"],
        libraries: Package.nio(for: "Server") + [Package.nioEmbedded]
    ),
    test(
        "Server", "Identity",
        uses: ["Environment", "Identity", "Limits", "Model", "Query", "Store", "Support/Seeds"],
        libraries: Package.tokens
    ),
    test("Server", "Admin", uses: ["Admin", "HTTP", "JSON", "OpenAPI"], libraries: [Package.log]),
    test("Server", "Browsing", uses: ["Admin", "Browsing", "Model", "ObjectStore", "Support/Seeds"]),
    test("Server", "Console", uses: ["Admin", "Console", "HTTP"]),
    test("Server", "Telemetry", uses: ["Telemetry"], libraries: [Package.metrics]),
    test(
        "Server", "Feed",
        uses: shape + ["Feed", "HTTP", "JSON", "Query", "Session", "Store", "StoreEmbedded", "Support/Seeds"],
        libraries: [Package.log]
    ),
    test("Server", "Limits", uses: ["Limits", "Support/Seeds"]),
    test("Server", "HTTP", uses: ["HTTP", "Support/RawClient"], libraries: Package.nio(for: "Server") + [Package.log]),
    test(
        "Server", "DataAPI",
        uses: shape + [
            "DataAPI", "Endpoint", "HTTP", "Ingest", "JSON", "Limits", "OpenAPI", "Query", "Session", "Store",
            "StoreEmbedded",
            "Subscriptions", "Wire",
        ],
        libraries: [Package.yaml]
    ),
    test(
        "Server", "Endpoint",
        uses: shape + [
            "Endpoint", "Environment", "HTTP", "Identity", "Limits", "Session", "Store", "StoreEmbedded",
            "Support/DecoderFuzzing", "Wire",
        ],
        libraries: Package.nio(for: "Server") + Package.httpClient(for: "Server") + [Package.log]
    ),
    test(
        "Server", "Backup",
        uses: shape + storage + ["Backup", "Identity", "Store", "StoreEmbedded", "Support/Folders", "Support/Seeds"]
    ),
    test("Server", "Session", uses: shape + ["Limits", "Session", "Store", "Support/Seeds", "Wire"]),
    test(
        "Server", "Sinks",
        uses: shape + [
            "Environment", "Feed", "HTTP", "Query", "Sinks", "Store", "StoreEmbedded", "Support/Folders",
            "Support/Programs",
            "Support/Seeds", "Support/SinkPeer",
        ],
        libraries: [Package.log, Package.crypto, "CZstd"]
    ),
    test("Server", "Conversion", uses: ["Conversion", "Model", "Query"]),
    test(
        "Server", "Store",
        uses: shape + storage + [
            "Conversion", "Journal", "Store", "StoreEmbedded", "StoreReplicated", "Support/Folders", "Support/Seeds",
        ]
    ),
    test(
        "Server", "Subscriptions",
        uses: shape + storage + ["Identity", "Store", "StoreEmbedded", "Subscriptions", "Support/Seeds", "Wire"]
    ),
    test("Server", "Ingest", uses: shape + storage + ["Ingest", "Store", "StoreEmbedded", "Wire"]),
    test(
        "Server", "Journal",
        uses: shape + ["Journal", "Query", "Store", "Support/DecoderFuzzing", "Support/Seeds"]
    ),
    test(
        "Server", "JournalPostgreSQL",
        uses: [
            "Journal", "JournalPostgreSQL", "Model", "Operations", "PostgreSQL", "Store", "StoreEmbedded",
            "StoreReplicated",
            "Support/Folders", "Support/Programs", "Support/Seeds",
        ]
    ),
    test(
        "Server", "Daemon",
        uses: [
            "Admin", "Backup", "Daemon", "DataAPI", "Endpoint", "Environment", "Feed", "HTTP", "Identity", "JSON",
            "JournalPostgreSQL", "Limits", "Model", "ObjectStore", "OpenAPI", "Operations", "Session", "Sinks", "Store",
            "StoreEmbedded",
            "Support/Folders", "Support/RawClient", "Support/Seeds", "Telemetry", "Wire",
        ],
        libraries: [Package.log, Package.tracing, Package.tracingInMemory, Package.yaml]
    ),
    program(
        "System/Simulation",
        uses: shape + storage + [
            "Conversion", "Environment", "Ingest", "Journal", "OpLog", "Session", "Store", "StoreEmbedded",
            "StoreReplicated", "Subscriptions", "Support/ExactValues", "Support/Measuring", "Support/Seeds", "Sync",
            "SyncedFile", "Wire",
        ]
    ),
    test(
        "System", "Simulation",
        uses: shape + storage + [
            "Limits", "OpLog", "Session", "Store", "StoreEmbedded", "Subscriptions", "Support/Seeds", "SyncedFile",
            "System/Simulation", "Wire",
        ]
    ),
    test("System", "QueryText", uses: ["Support/QueryGrammar", "Support/QueryTexts", "Support/Seeds"]),
    test(
        "System", "SyncedRealm",
        uses: [
            "Commands", "Conversion", "DataAPI", "Database", "Endpoint", "Environment", "Files", "HTTP", "Identity",
            "Ingest",
            "JSON", "Limits", "Operations", "Session", "Store", "StoreEmbedded", "Support/Programs", "Support/Seeds",
            "Sync", "Wire",
        ],
        libraries: [Package.log]
    ),
    test("System", "DamagedRealm", uses: ["Support/DamageReader", "Support/Programs", "Support/Seeds"]),
    test(
        "System", "TwoProcess",
        uses: [
            "Database", "ObjectStore", "Support/MigrationPeer", "Support/MigrationSequences", "Support/Programs",
            "Support/RealmPeer", "Support/Seeds",
        ]
    ),
    test(
        "Tool", "RealmFile",
        uses: ["Files", "JSON", "Model", "ObjectStore", "RealmFile", "Support/Folders", "Support/Seeds"]
    ),
    test(
        "Tool", "Atlas",
        uses: ["Atlas", "Files", "JSON", "Model", "ObjectStore", "Support/Folders", "Support/Seeds"],
        libraries: ["CZlib"]
    ),
    test(
        "Tool", "Commands", uses: ["Commands", "Files", "Support/Folders"], libraries: [Package.arguments]
    ),
    test(
        "Tool", "Files",
        uses: [
            "Admin", "Files", "HTTP", "JSON", "Model", "ObjectStore", "Support/Folders",
            "Support/ObjectStoreReference", "Support/Seeds",
        ]
    ),
    program("Support/HookReceiver", uses: ["HTTP"], libraries: [Package.log]),
    program(
        "Support/SinkPeer",
        uses: ["Environment", "Feed", "Model", "Operations", "Sinks", "Store", "StoreEmbedded"],
        libraries: [Package.log]
    ),
    test(
        "System", "EndToEnd",
        uses: [
            "Daemon", "Database", "Journal", "JournalPostgreSQL", "Operations", "PostgreSQL", "Store", "StoreEmbedded",
            "StoreReplicated", "Support/AppPeer", "Support/Folders", "Support/HookReceiver", "Support/Programs",
            "Support/Seeds", "Telemetry",
        ],
        libraries: Package.httpClient(for: "Server") + Package.nio(for: "Server")
    ),
    part("Tests", "Support/FaultyNetwork", uses: ["Support/Seeds"], libraries: Package.nio(for: "Server")),
    program("Support/FleetDevice", uses: ["Database"]),
    test(
        "System", "Fault",
        uses: ["Daemon", "Support/FaultyNetwork", "Support/FleetDevice", "Support/Programs", "Support/Seeds"]
    ),
    program(
        "System/CrashSimulation",
        uses: ["Environment", "Storage", "Support/Seeds", "Support/SimulatedDisk", "Support/StorageOracle"]
    ),
    test("System", "CrashSimulation", uses: ["Support/Seeds", "Support/SimulatedDisk", "System/CrashSimulation"]),
    program("System/StorageSequences", uses: ["Support/Seeds", "Support/StorageOracle"]),
    part(
        "Tests", "Support/JourneyUniverse",
        uses: shape + storage + [
            "OpLog", "Store", "StoreEmbedded", "Subscriptions", "Support/ExactValues", "Support/MergeOracle",
        ]
    ),
    part(
        "Tests", "Support/Followers",
        uses: shape + storage + ["OpLog", "Session", "Store", "StoreEmbedded", "Subscriptions", "Wire"]
    ),
    test(
        "System", "Following",
        uses: shape + storage + ["OpLog", "Store", "StoreEmbedded", "Support/Followers", "Support/Seeds"]
    ),
    test("System", "Journey", uses: ["Support/JourneyUniverse", "Support/MergeUniverse", "Support/Seeds"]),
    program("System/Enumeration", uses: ["Support/JourneyUniverse", "Support/MergeUniverse", "Support/Seeds"]),
    program(
        "System/QueryPairs",
        uses: [
            "Support/QueryFuzzing", "Support/QueryGrammar", "Support/QueryOracle", "Support/QueryTexts",
            "Support/Seeds",
        ]
    ),
    program("System/Fuzz", uses: ["Support/DecoderFuzzing"]),
    program(
        "System/Load", uses: shape + ["Support/Programs", "Wire"],
        libraries: Package.nio(for: "Server") + [Package.nioTLS]
    ),
    program("System/Memory", uses: ["Database"]),
    program("System/Concurrency", uses: ["Database", "ObjectStore", "Support/Seeds"]),
    program("System/Demo", uses: ["Database", "Support/Flights", "Support/Programs"]),
    program(
        "Benchmarks",
        uses: [
            "Backup", "Database", "Merge", "Model", "ObjectStore", "OpLog", "Operations", "Query", "Storage", "Store",
            "StoreEmbedded", "Support/Flights", "Support/Followers", "Support/Measuring", "Support/Programs",
            "Support/Seeds",
        ],
        libraries: ["CLMDB", "CSQLite"],
        excludes: ["README.md", "lmdb", "sqlite"]
    ),
    .systemLibrary(
        name: "CLMDB", path: "Tests/Benchmarks/lmdb", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]
    ),
    .systemLibrary(
        name: "CSQLite", path: "Tests/Benchmarks/sqlite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]
    ),
]

/// With `CAUSEWAY_ROOM="StorageTests CrashSimulation"` the package has these targets and what they need, and nothing else: a
/// build of one part takes a fraction of the time (`deploy/test --room`).
let targets = only(Context.environment["CAUSEWAY_ROOM"], of: shared + device + server + tool + tests)

let doors = ["Causeway", "RealmSwift"].filter { door in targets.contains { $0.name == door } }

/// The programs by the names of their commands.
let programs: [(command: String, folder: String)] = [
    ("sync-server", "Daemon"),
    ("causeway", "Commands"),
    ("causeway-demo", "Demo"),
    ("causeway-crash", "CrashSimulation"),
    ("causeway-sequences", "StorageSequences"),
    ("causeway-simulate", "Simulation"),
    ("causeway-load", "Load"),
    ("causeway-memory", "Memory"),
    ("causeway-concurrency", "Concurrency"),
    ("causeway-enumeration", "Enumeration"),
    ("causeway-queries", "QueryPairs"),
    ("causeway-fuzz", "Fuzz"),
    ("causeway-benchmark", "Benchmarks"),
].filter { program in targets.contains { $0.name == name(program.folder) } }

let package = Package(
    name: "causeway",
    products: doors.map { .library(name: $0, targets: [$0]) }
        + programs.map { .executable(name: $0.command, targets: [name($0.folder)]) },
    traits: [
        .trait(name: "Network", description: "Syncing: HTTP/2 and TLS, and the packages that speak them."),
        .trait(name: "Server", description: "The server, the tools and the tests, and the packages they need."),
        .default(enabledTraits: ["Network", "Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: targets
)

// MARK: - A part of the package

/// Everything, or the targets of these names and what they need.
func only(_ folders: String?, of all: [Target]) -> [Target] {
    guard let folders else { return all }
    var kept: Set<String> = []
    var open = folders.split(separator: " ").map { name(String($0)) }
    while let next = open.popLast() {
        guard let target = all.first(where: { $0.name == next }), kept.insert(next).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
            default: break
            }
        }
    }
    return all.filter { kept.contains($0.name) }
}

// MARK: - Products of other packages, by what we use them for

extension Package {
    /// Needed by every app.
    static let crypto = library("Crypto", of: "swift-crypto")
    static let protobuf = library("SwiftProtobuf", of: "swift-protobuf")

    static func nio(for trait: String) -> [Target.Dependency] {
        [("NIOCore", "swift-nio"), ("NIOPosix", "swift-nio"), ("NIOFoundationCompat", "swift-nio")].map {
            library($0, of: $1, for: trait)
        } + [
            library("NIOHPACK", of: "swift-nio-http2", for: trait), library("NIOHTTP1", of: "swift-nio", for: trait),
            library("NIOHTTP2", of: "swift-nio-http2", for: trait), library("NIOSSL", of: "swift-nio-ssl", for: trait),
        ]
    }

    static func httpClient(for trait: String) -> [Target.Dependency] {
        [library("AsyncHTTPClient", of: "async-http-client", for: trait)]
    }

    static let log = library("Logging", of: "swift-log", for: "Server")
    static let metrics = library("CoreMetrics", of: "swift-metrics", for: "Server")
    static let tracing = library("Tracing", of: "swift-distributed-tracing", for: "Server")
    static let tracingInMemory = library("InMemoryTracing", of: "swift-distributed-tracing", for: "Server")
    static let nioTLS = library("NIOTLS", of: "swift-nio", for: "Server")
    static let nioEmbedded = library("NIOEmbedded", of: "swift-nio", for: "Server")
    static let arguments = library("ArgumentParser", of: "swift-argument-parser", for: "Server")
    static let cryptoExtras = library("_CryptoExtras", of: "swift-crypto", for: "Server")
    static let tokens: [Target.Dependency] = [
        library("JWTKit", of: "jwt-kit", for: "Server"),
        crypto, cryptoExtras,
        library("SwiftASN1", of: "swift-asn1", for: "Server"),
        library("X509", of: "swift-certificates", for: "Server"),
    ]
    static let daemon: [Target.Dependency] = [
        arguments, log, metrics, tracing,
        library("ServiceLifecycle", of: "swift-service-lifecycle", for: "Server"),
        library("UnixSignals", of: "swift-service-lifecycle", for: "Server"),
        yaml,
    ]
    static let yaml = library("Yams", of: "Yams", for: "Server")

    /// - Parameter trait: without which nobody fetches or builds it.
    private static func library(_ name: String, of package: String, for trait: String? = nil) -> Target.Dependency {
        .product(name: name, package: package, condition: trait.flatMap { .when(traits: [$0]) })
    }
}

// MARK: - How a row becomes a target

func settings() -> [SwiftSetting] {
    [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

/// With `CAUSEWAY_OPTIMIZED` set, debug builds optimize the parts and the programs of the tests, and keep all checks: the tests
/// then need a third of the time. The tests themselves, the daemon and the tool's commands are not optimized; the compiler of
/// Swift 6.3.1 crashes on the daemon where checks stay.
func optimized() -> [SwiftSetting] {
    guard Context.environment["CAUSEWAY_OPTIMIZED"] != nil else { return [] }
    return [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
}

/// The two doors users import carry plain names; every other target is `Causeway` plus its folder.
func name(_ folder: String) -> String {
    let last = folder.split(separator: "/").last.map(String.init) ?? folder
    return ["Database": "Causeway", "RealmSwift": "RealmSwift"][last] ?? "Causeway" + last
}

func part(
    _ group: String,
    _ folder: String,
    uses: [String] = [],
    libraries: [Target.Dependency] = [],
    documents: [String] = [],
    excludes: [String] = [],
    resources: [Resource] = []
) -> Target {
    let roots = [
        "Shared": "Sources/Shared", "Device": "Sources/Device", "Server": "Server", "Tests": "Tests", "Tool": "Tool",
    ]
    return .target(
        name: name(folder),
        dependencies: uses.map { .target(name: name($0)) } + libraries,
        path: "\(roots[group]!)/\(folder)",
        exclude: documents + excludes,
        resources: resources,
        swiftSettings: settings() + optimized()
    )
}

func test(_ group: String, _ folder: String, uses: [String] = [], libraries: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name(folder + "Tests"),
        dependencies: uses.map { .target(name: name($0)) } + libraries,
        path: "Tests/\(group)/\(folder)Tests",
        swiftSettings: settings()
    )
}

func program(
    _ folder: String, uses: [String], libraries: [Target.Dependency] = [], excludes: [String] = []
) -> Target {
    .executableTarget(
        name: name(folder),
        dependencies: uses.map { .target(name: name($0)) } + libraries
            + [Package.arguments],
        path: "Tests/\(folder)",
        exclude: excludes,
        swiftSettings: settings() + optimized()
    )
}
