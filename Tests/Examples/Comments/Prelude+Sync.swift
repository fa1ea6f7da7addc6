// The same for examples about what changes, what is queried and what is synchronised.

import RealmSwift

// MARK: - Models

class Cat: Object {
    @Persisted var name = ""
}

class WeatherSensor: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var temperature: Float
}

enum Status: String, PersistableEnum { case notStarted, inProgress, complete }

class Job: Object {
    @Persisted var status = Status.notStarted
}

struct Celsius: CustomPersistable {
    var degrees: Double

    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

class Reading: Object {
    @Persisted var temperature: Celsius
}

class Team: Object {
    @Persisted var points: Map<String, Int>
}

// MARK: - Values

nonisolated(unsafe) let toDos = realm.objects(ToDo.self)
nonisolated(unsafe) let teams = realm.objects(Team.self)
nonisolated(unsafe) let jobs = realm.objects(Job.self)
nonisolated(unsafe) let readings = realm.objects(Reading.self)
nonisolated(unsafe) let pages = realm.objects(Page.self)
nonisolated(unsafe) let other = Page()

let error: any Error = Realm.Error(.fail, "It failed.")
let laptop: UserAPIKey = never()
let message: (token: String, tokenId: String) = never()
let transport: any NetworkTransport = never()
let request: NetworkRequest = never()
let jwt = "", facebookToken = "", googleToken = "", appleToken = "", serverKey = ""
let isKiosk = true, isOnline = true, isFirstStart = true, isComplete = true
let json = Data()

// MARK: - What an app does with it

/// A table on the screen.
actor Table {
    func show(_ dogs: [Snapshot<Dog>]) {}
    func show(_ people: [Snapshot<Person>]) {}
    func show(_ dog: Snapshot<Dog>) {}
}

let table = Table()

func open(_ user: User) {}
func showLogin() {}
func refreshLogin() {}
func redraw() {}
func redrawSoon() {}
func keepAwake() {}
func tell(_ error: any Error) {}
