import RealmSwift

// Ann and ben share a to-do list, and cid sees nothing of it: three users with a Realm each, and a sync server between
// them.
//
//   sync-server keys  --folder keys
//   sync-server serve --configuration sync-server.yaml      the entry of the database holds permissions.yaml
//   todo URL DATABASE AUTHORITY TOKEN_ANN TOKEN_BEN TOKEN_CID
//                                       the server, the database, keys/ca.pem, and for each user what
//                                       `sync-server token --key keys/token-private.pem --user ann` prints

guard CommandLine.arguments.count == 7 else {
    print("usage: todo URL DATABASE AUTHORITY TOKEN_ANN TOKEN_BEN TOKEN_CID")
    exit(2)
}
let (url, database, authority) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

do {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let settings = AppConfiguration(baseURL: url, trustRootsPath: authority, rootDirectory: folder)
    let app = App(id: database, configuration: settings)
    app.syncManager.errorHandler = { error, _ in print("   the error handler hears: \(error)") }

    let ann = try await Device(token: CommandLine.arguments[4], app: app, folder: folder)
    let ben = try await Device(token: CommandLine.arguments[5], app: app, folder: folder)
    let cid = try await Device(token: CommandLine.arguments[6], app: app, folder: folder)
    let list = try ann.makeList("Street party", tasks: ["Ask the neighbours", "Book the band", "Buy bread"])
    let story = Story(ann: ann, ben: ben, cid: cid, list: list)
    try await story.share()
    try await story.editApart()
    try await story.takeOver()
    print("todo: OK")
} catch {
    print("todo: \(error)")
    exit(1)
}
