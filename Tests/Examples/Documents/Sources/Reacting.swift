import RealmSwift

@MainActor
func react(in realm: Realm) async throws {
    print("Reacting")
    let puppies = realm.objects(Dog.self).where { $0.age < 2 }
    var heard: [String] = []
    let token = puppies.observe { change in
        switch change {
        case .initial(let puppies):
            heard.append("\(puppies.count) at first")
        case .update(_, let deletions, let insertions, let modifications):
            heard.append("-\(deletions) +\(insertions) ~\(modifications)")
        case .error(let error):
            heard.append("\(error)")
        }
    }
    realm.refresh()
    try realm.write { realm.add(Dog(value: ["name": "Benji", "age": 1])) }
    try realm.write { puppies.where { $0.name == "Benji" }.first!.color = "tan" }
    try realm.write { puppies.where { $0.name == "Benji" }.first!.age = 2 }
    realm.refresh()
    expect("what the observer heard", heard, ["1 at first", "-[] +[1] ~[]", "-[] +[] ~[1]", "-[1] +[] ~[]"])
    token.invalidate()

    // The compiler cannot know that these results are frozen.
    nonisolated(unsafe) let frozen = realm.objects(Dog.self).freeze()
    try await realm.asyncWrite { realm.delete(realm.objects(Dog.self).where { $0.name == "Benji" }) }
    expect("dogs now", realm.objects(Dog.self).count, 3)
    expect("dogs in the frozen copy", await Task.detached { frozen.count }.value, 4)
    expect("dogs in a pool", autoreleasepool { realm.objects(Dog.self).count }, 3)
}
