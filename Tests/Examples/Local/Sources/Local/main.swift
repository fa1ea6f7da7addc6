import Causeway

class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
}

let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "local"))
try realm.write {
    realm.add(Dog(value: ["id": 1, "name": "Rex"]))
}
guard realm.objects(Dog.self).where({ $0.name == "Rex" }).count == 1 else { fatalError("Rex is not there.") }

// What needs a server says why there is none.
let app = App(id: "local", configuration: AppConfiguration(baseURL: "https://localhost:7443"))
do {
    _ = try await app.login(credentials: .anonymous)
    fatalError("A program without the network has logged in.")
} catch {
    print("no network: \(error.localizedDescription)")
}
