import RealmSwift

func read(from realm: Realm) {
    print("Reading")
    let dogs = realm.objects(Dog.self)
    let specificPerson = realm.object(ofType: Person.self, forPrimaryKey: 12345)
    expect("the person's dogs", specificPerson!.dogs.count, 4)
    expect("the first of them", specificPerson!.dogs[0].name, "Rex")
    expect("the clubs of the person", specificPerson!.clubs[0].name, "Pooch Pals")

    expect("dogs younger than 2", dogs.where { $0.age < 2 }.count, 1)
    expect("the same as text", dogs.filter("age < 2").count, 1)
    expect("dogs without a toy", dogs.where { $0.favoriteToy == nil }.count, 3)
    expect("dogs with a tennis ball", dogs.filter("favoriteToy.name == 'Tennis ball'").first?.name, "Wolfie")
    expect("dogs with a favorite park", dogs.where { $0.favoriteParksByCity.count >= 1 }.count, 1)
    expect("dogs that saw New York", dogs.where { $0.citiesVisited.contains("New York") }.count, 2)
    let (rex, wolfie) = (specificPerson!.dogs[0], specificPerson!.dogs[1])
    expect("Rex saw only cities that Wolfie saw", rex.citiesVisited.isSubset(of: wolfie.citiesVisited), true)
    if case let .string(companion) = wolfie.companion { expect("Wolfie's companion", companion, "Fluffy the Cat") }
    expect("dogs without a companion", dogs.where { $0.companion == .none }.count, 3)

    let people = realm.objects(Person.self)
    expect("people in Los Angeles", people.where { $0.address.city == "Los Angeles" }.count, 1)
    expect("people with dogs of 5 years on average", people.where { $0.dogs.age.avg == 5 }.count, 1)

    expect("by name", dogs.sorted(by: \.name).map(\.name), ["Fido", "Rex", "Spot", "Wolfie"])
    expect("by age", dogs.sorted(byKeyPath: "age", ascending: false).first?.name, "Rex")
    let sections: SectionedResults<String, Dog> = dogs.sectioned(by: \.firstLetter, ascending: true)
    expect("sections", sections.allKeys, ["F", "R", "S", "W"])
    expect("the first of the first", sections[0].first?.name, "Fido")

    let projection = realm.objects(PersonProjection.self).first
    expect("the projected city", projection?.homeCity, "Los Angeles")
    expect("the projected dogs", projection.map { Array($0.dogNames) }, ["Rex", "Wolfie", "Fido", "Spot"])
}

func filter(_ realm: Realm) {
    print("Filtering")
    let tasks = realm.objects(ToDo.self)
    let projects = realm.objects(Project.self)
    expect("high priority", tasks.where { $0.priority > 5 }.count, 1)
    expect("unassigned", tasks.filter("assignee == nil").count, 1)
    let names = ["Ali", "Alex"]
    expect("Ali's or Alex's", tasks.where { $0.assignee.in(names) }.count, 1)
    expect("half an hour to an hour", tasks.where { $0.progressMinutes.contains(30...60) }.count, 1)
    expect("like Al?x", tasks.where { $0.assignee.like("Al?x") }.count, 1)
    expect("begins with w", tasks.filter("name BEGINSWITH[c] 'w'").count, 1)
    expect("quick wins or bugs", projects.where { $0.tasks.labels.containsAny(in: ["quick win", "bug"]) }.count, 1)
    expect("ratings above 3", projects.where { $0.tasks.ratings > 3 }.count, 1)
    expect(
        "projects with incomplete tasks of Alex",
        projects.where { ($0.tasks.isComplete == false && $0.tasks.assignee == "Alex").count > 0 }.count, 1)
    expect(
        "the same as text",
        projects.filter(
            "SUBQUERY(tasks, $task, $task.isComplete == false AND $task.assignee == %@).@count > 0", "Alex"
        ).count, 1)
    expect(
        "with NSPredicate",
        tasks.filter(NSPredicate(format: "%K > %@ AND %K == %@", "priority", NSNumber(1), "assignee", "Alex")).count,
        1)
}
