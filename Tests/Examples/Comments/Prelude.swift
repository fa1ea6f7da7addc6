// What the examples in comments take for granted: the models of the documents, a value of each, and what an app would do
// with what it gets. It is compiled, never run.

import RealmSwift

// MARK: - Models

class DogToy: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
}

class Dog: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var color = ""
    @Persisted var breed = ""
    @Persisted var currentCity = ""
    @Persisted var weight: Double?
    @Persisted var citiesVisited: MutableSet<String>
    @Persisted var favoriteParksByCity: Map<String, String>
    @Persisted var tags: List<String>
    @Persisted var companion: AnyRealmValue
    @Persisted var favoriteToy: DogToy?
    @Persisted var owner: Person?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>

    var firstLetter: String { name.first.map(String.init) ?? "" }
}

class Address: EmbeddedObject {
    @Persisted var street: String?
    @Persisted var city: String?
    @Persisted var country: String?
    @Persisted var postalCode: String?
}

class Person: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var firstName = ""
    @Persisted var lastName = ""
    @Persisted var age = 0
    @Persisted var dogs: List<Dog>
    @Persisted var dogsByName: Map<String, Dog?>
    @Persisted var friends: List<Person>
    @Persisted var friendsByName: Map<String, Person?>
    @Persisted var nicknames: List<String>
    @Persisted var scores: List<Int>
    @Persisted var marks: List<Int?>
    @Persisted var visitsByCity: Map<String, Int>
    @Persisted var address: Address?
    @Persisted var addresses: List<Address>
    @Persisted(originProperty: "members") var clubs: LinkingObjects<DogClub>
}

class DogClub: Object {
    @Persisted var name = ""
    @Persisted var members: List<Person>
    @Persisted var regionalOfficeAddresses: List<Address>
    @Persisted var url: Website?
}

struct Website: FailableCustomPersistable {
    let url: URL

    init?(persistedValue: String) {
        guard let url = URL(string: persistedValue) else { return nil }
        self.url = url
    }

    var persistableValue: String { url.absoluteString }
}

class PersonProjection: Projection<Person> {
    @Projected(\Person.firstName) var firstName
    @Projected(\Person.address?.city) var homeCity
    @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
}

class Route: Object {
    @Persisted var name = ""
    @Persisted var temperatures: List<Celsius>
}

class ToDo: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var isComplete = false
    @Persisted var assignee: String?
    @Persisted var priority = 0
    @Persisted var progressMinutes = 0
    @Persisted var labels: MutableSet<String>
    @Persisted var ratings: List<Int>
}

class Project: Object {
    @Persisted var name = ""
    @Persisted var tasks: List<ToDo>
}

class Note: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: .fullText) var title = ""
    @Persisted var body: Text
}

class Page: Object {
    @Persisted(primaryKey: true) var url = ""
    @Persisted var likes: Counter
}

class Event: Object {
    @Persisted var details: AnyRealmValue
    @Persisted var date = Date()
}

class Invoice: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var total: Decimal128
}

class Company: Object {
    @Persisted var name = ""
    @Persisted var location: CustomGeoPoint?
}

class CustomGeoPoint: EmbeddedObject {
    @Persisted private var type = "Point"
    @Persisted private var coordinates: List<Double>
}

class Flight: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var origin = ""
    @Persisted var dest = ""
    @Persisted var delay = 0
}

// MARK: - Values

nonisolated(unsafe) let realm = try! Realm()
nonisolated(unsafe) var configuration = Realm.Configuration()
nonisolated(unsafe) let dog = Dog()
nonisolated(unsafe) let rex = Dog()
nonisolated(unsafe) let toy = DogToy()
nonisolated(unsafe) let person = Person()
nonisolated(unsafe) let route = Route()
nonisolated(unsafe) let club = DogClub()
nonisolated(unsafe) let project = Project()
nonisolated(unsafe) let task = ToDo()
nonisolated(unsafe) let note = Note()
nonisolated(unsafe) let page = Page()
nonisolated(unsafe) let event = Event()
nonisolated(unsafe) let dogs = realm.objects(Dog.self)
nonisolated(unsafe) let puppies = realm.objects(Dog.self)
nonisolated(unsafe) let people = realm.objects(Person.self)
nonisolated(unsafe) let clubs = realm.objects(DogClub.self)
nonisolated(unsafe) let projects = realm.objects(Project.self)
nonisolated(unsafe) let tasks = realm.objects(ToDo.self)
nonisolated(unsafe) let notes = realm.objects(Note.self)
nonisolated(unsafe) let events = realm.objects(Event.self)
nonisolated(unsafe) let invoices = realm.objects(Invoice.self)
nonisolated(unsafe) let companies = realm.objects(Company.self)
nonisolated(unsafe) let flights = realm.objects(Flight.self)
nonisolated(unsafe) let sections = dogs.sectioned(by: \.firstLetter)
nonisolated(unsafe) let projection = PersonProjection(projecting: person)
nonisolated(unsafe) var token: NotificationToken?
nonisolated(unsafe) let migration: Migration = never()

let app = App(id: "flights")
let user: User = never()
let session: SyncSession = never()
nonisolated(unsafe) let subscriptions = realm.subscriptions
let email = "ada@example.com"
let password = "correct horse"
let baseURL = "https://localhost:7443"

let folder = URL.temporaryDirectory
let url = folder.appending(path: "dogs.realm")
let key = Data(count: 64)

/// What an app reads from elsewhere.
struct Record {
    var name = ""
    var age = 0
    var ownerNumber = 0
}
let records = [Record()]
nonisolated(unsafe) let owners: [Int: Person] = [:]

// MARK: - What an app does with it

class Label {
    var text = ""
}

class ProgressBar {
    var value = 0.0
}

nonisolated(unsafe) let label = Label()
nonisolated(unsafe) let bar = ProgressBar()
nonisolated(unsafe) var title = ""

/// An actor with a Realm of its own.
actor Library {
    func show(_ change: some Any) {}
}

let library = Library()

func show(_ shown: Any...) {}
func update(_ changes: Any...) {}
func report(_ error: (any Error)?) {}
func log(_ message: String) {}
func never<Value>() -> Value { fatalError() }
