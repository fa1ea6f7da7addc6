import RealmSwift

// A gateway and its back office, each with a Realm of its own, and a sync server between them.
//
//   sync-server keys  --folder keys
//   sync-server serve --configuration sync-server.yaml
//   gateway URL DATABASE AUTHORITY TOKEN    the server, one of its databases, keys/ca.pem, and what
//                                           `sync-server token --key keys/token-private.pem --user gateway` prints
//   sync-server query --configuration sync-server.yaml --database DATABASE --class Reading --count

guard CommandLine.arguments.count == 5 else {
    print("usage: gateway URL DATABASE AUTHORITY TOKEN")
    exit(2)
}
let (url, database) = (CommandLine.arguments[1], CommandLine.arguments[2])
let (authority, jwt) = (CommandLine.arguments[3], CommandLine.arguments[4])

do {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let settings = AppConfiguration(baseURL: url, trustRootsPath: authority, rootDirectory: folder)
    let user = try await App(id: database, configuration: settings).login(credentials: .jwt(token: jwt))

    let office = try await BackOffice(configuration: user.device("office", in: folder))
    try office.set("boiler", interval: 30, limit: 80)
    try office.set("cellar", interval: 60, limit: 30)
    try office.set("roof", interval: 60, limit: 35)
    try await office.realm.settle()
    let fullBytes = try await threeDays(user.device("gateway", in: folder), office)
    print("The gateway starts again")
    let again = try await Collector(configuration: user.device("gateway", in: folder))
    let sizeBytes = try again.realm.statistics().sizeBytes
    try check(sizeBytes < fullBytes, "its file takes \(sizeBytes >> 10) KiB")
    print("gateway: OK")
} catch {
    print("gateway: \(error)")
    exit(1)
}
