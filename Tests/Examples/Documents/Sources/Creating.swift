import RealmSwift

func create(in realm: Realm) throws {
    print("Creating")
    try realm.write {
        let person = realm.create(
            Person.self,
            value: [
                "id": 12345, "name": "Jane Doe",
                "address": ["street": "Main Street 1", "city": "Los Angeles", "country": "USA"],
            ])
        person.dogs.append(objectsIn: [
            Dog(value: ["name": "Rex", "age": 10, "color": "tan"]),
            Dog(value: ["name": "Wolfie", "age": 1, "color": "black"]),
            Dog(value: ["name": "Fido", "age": 5, "color": "tan"]),
            Dog(value: ["name": "Spot", "age": 4, "color": "tan"]),
        ])
        realm.add(DogClub(value: ["name": "Pooch Pals", "members": [person]]))

        let wolfie = person.dogs[1]
        wolfie.favoriteToy = DogToy(value: ["name": "Tennis ball"])
        wolfie.companion = .string("Fluffy the Cat")
        wolfie.citiesVisited.insert(objectsIn: ["New York", "Toronto", "Boston"])
        wolfie.favoriteParksByCity["Chicago"] = "Lincoln Park"
        person.dogs[0].citiesVisited.insert(objectsIn: ["New York", "Toronto"])

        let project = realm.create(Project.self, value: ["name": "New Project"])
        project.tasks.append(
            objectsIn: [
                ToDo(value: ["name": "Write the essay", "assignee": "Alex", "priority": 5, "labels": ["quick win"]]),
                ToDo(value: ["name": "Bug fix", "priority": 7, "progressMinutes": 45, "ratings": [4, 2]]),
            ])
    }
    expect("dogs", realm.objects(Dog.self).count, 4)
}

func update(in realm: Realm) throws {
    print("Updating and deleting")
    let dogs = realm.objects(Dog.self)
    let spot = dogs.where { $0.name == "Spot" }.first!
    try realm.write { spot.age += 1 }
    expect("Spot's age", spot.age, 5)

    try realm.write { realm.create(Person.self, value: ["id": 12345, "name": "Jane Roe"], update: .modified) }
    expect("the person's name", realm.object(ofType: Person.self, forPrimaryKey: 12345)!.name, "Jane Roe")
    expect("and dogs", realm.object(ofType: Person.self, forPrimaryKey: 12345)!.dogs.count, 4)

    struct Refused: Error {}
    do {
        try realm.write {
            realm.deleteAll()
            throw Refused()
        }
    } catch is Refused {}
    expect("dogs after a transaction that failed", dogs.count, 4)

    try realm.write { realm.delete(spot) }
    expect("dogs after a deletion", dogs.count, 3)
    expect("the deleted object is invalidated", spot.isInvalidated, true)
}
