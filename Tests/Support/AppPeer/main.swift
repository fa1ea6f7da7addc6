import Causeway
import Foundation

// Another process with an app: does what its input says, and says what came of it. What it remembers of its users lies
// in the folder.
//
//     CausewayAppPeer <app> <url> <authorities> <folder>
//
//     login <email> <password>     answers `user <id>` or `refused <code>`
//     anonymous                    answers `user <id>` or `refused <code>`
//     who                          answers `user <id> <state>` or `nobody`
//     count                        opens the user's Realm, waits for the server, answers `count <notes>`
//     add <id>                     adds a note and waits for the server; answers `added`
//     logout                       answers `done`

final class AppNote: Object {
    @Persisted(primaryKey: true) var id: Int
}

func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let words = CommandLine.arguments
guard words.count == 5 else {
    FileHandle.standardError.write(Data("usage: \(words[0]) <app> <url> <authorities> <folder>\n".utf8))
    exit(64)
}
let app = App(
    id: words[1],
    configuration: AppConfiguration(
        baseURL: words[2], trustRootsPath: words[3],
        rootDirectory: URL(fileURLWithPath: words[4], isDirectory: true)))

@MainActor
func realm() async throws -> Realm {
    guard let user = app.currentUser else { throw AppNobody() }
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
        $0.append(QuerySubscription<AppNote>(name: "all"))
    })
    configuration.objectTypes = [AppNote.self]
    return try Realm(configuration: configuration)
}

struct AppNobody: Error {}

@MainActor
func login(_ credentials: Credentials) async {
    do {
        say("user \(try await app.login(credentials: credentials).id)")
    } catch let error as AppError {
        say("refused \(error.code)")
    } catch {
        say("refused \(error)")
    }
}

@MainActor
func obey(_ words: [String]) async throws {
    switch words.first {
    case "login": await login(.emailPassword(email: words[1], password: words[2]))
    case "anonymous": await login(.anonymous)
    case "who": say(app.currentUser.map { "user \($0.id) \($0.state)" } ?? "nobody")
    case "count":
        let realm = try await realm()
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        say("count \(realm.objects(AppNote.self).count)")
    case "add":
        let realm = try await realm()
        try realm.write { _ = realm.create(AppNote.self, value: ["id": Int(words[1]) ?? 0]) }
        try await realm.syncSession?.wait(for: .upload)
        say("added")
    case "logout":
        try await app.currentUser?.logOut()
        say("done")
    default: say("what?")
    }
}

while let line = readLine() {
    do {
        try await obey(line.split(separator: " ").map(String.init))
    } catch {
        say("failed \(error)")
    }
}
