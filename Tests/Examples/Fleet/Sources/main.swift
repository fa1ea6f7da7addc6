import RealmSwift

// Two vehicles and a depot, each with a Realm of its own, and a sync server between them.
//
//   sync-server keys  --folder keys
//   sync-server serve --configuration sync-server.yaml
//   fleet URL DATABASE AUTHORITY TOKEN      the server, one of its databases, keys/ca.pem, and what
//                                           `sync-server token --key keys/token-private.pem --user fleet
//                                           --claim role=developer` prints

guard CommandLine.arguments.count == 5 else {
    print("usage: fleet URL DATABASE AUTHORITY TOKEN")
    exit(2)
}
let (url, database) = (CommandLine.arguments[1], CommandLine.arguments[2])
let (authority, jwt) = (CommandLine.arguments[3], CommandLine.arguments[4])

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let app = App(id: database, configuration: AppConfiguration(baseURL: url, trustRootsPath: authority))
let user = try await app.login(credentials: .jwt(token: jwt))

func configuration(_ name: String) -> Realm.Configuration {
    var configuration = user.flexibleSyncConfiguration()
    configuration.fileURL = folder.appendingPathComponent("\(name).realm")
    configuration.objectTypes = [Vehicle.self, Trip.self, EngineReading.self]
    return configuration
}

let depot = try await Depot(configuration: configuration("depot"))
let van = try await Driver(plate: "CW 1", configuration: configuration("van"))
let truck = try await Driver(plate: "CW 2", configuration: configuration("truck"))

print("Both drive, connected")
async let first: Void = van.drive(to: "Ulm", kilometers: 120)
async let second: Void = truck.drive(to: "Basel", kilometers: 310)
_ = try await (first, second)
try await depot.wait(forKilometers: 430)

print("The van has no connection for three trips")
await van.loseConnection()
for (destination, kilometers) in [("Kempten", 90), ("Bregenz", 70), ("Lindau", 10)] {
    try await van.drive(to: destination, kilometers: kilometers)
}
try await truck.drive(to: "Bern", kilometers: 95)
try await depot.wait(forKilometers: 525)
await van.findConnection()
try await van.report()
try await depot.wait(forKilometers: 695)
print("fleet: OK")
