import RealmSwift

class DogToy: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
}

class Dog: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var color = ""
    @Persisted var currentCity = ""
    @Persisted var citiesVisited: MutableSet<String>

    // Map of city name -> favorite park in that city
    @Persisted var favoriteParksByCity: Map<String, String>

    @Persisted var companion: AnyRealmValue

    // To-one relationship
    @Persisted var favoriteToy: DogToy?

    // Computed variable that is not persisted, but only
    // used to section query results.
    var firstLetter: String {
        guard let char = name.first else {
            return ""
        }
        return String(char)
    }
}

class Person: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""

    // To-many relationship - a person can have many dogs
    @Persisted var dogs: List<Dog>

    // Embed a single object.
    // Embedded object properties must be marked optional
    @Persisted var address: Address?

    // Inverse relationship - a person can be a member of many clubs
    @Persisted(originProperty: "members") var clubs: LinkingObjects<DogClub>

    convenience init(name: String, address: Address) {
        self.init()
        self.name = name
        self.address = address
    }
}

class DogClub: Object {
    @Persisted var name = ""
    @Persisted var members: List<Person>

    // DogClub has an array of regional office addresses.
    // These are embedded objects.
    @Persisted var regionalOfficeAddresses: List<Address>

    convenience init(name: String, addresses: [Address]) {
        self.init()
        self.name = name
        self.regionalOfficeAddresses.append(objectsIn: addresses)
    }
}

class Address: EmbeddedObject {
    @Persisted var street: String?
    @Persisted var city: String?
    @Persisted var country: String?
    @Persisted var postalCode: String?
}

class PersonProjection: Projection<Person> {
    @Projected(\Person.name) var name
    @Projected(\Person.address?.city) var homeCity
    @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
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
