import Causeway

/// Optimised code leaves out references to the objects of a loop. Whoever keeps one must find it unchanged all the same:
/// what the tests show without optimisation is shown here with it, before loops are measured.
struct LoopCheck {
    struct Failure: Error {
        let words: String
    }

    let data: DogData

    /// - Parameter dogs: all of the data, in the order of their ids.
    func run(_ dogs: Results<Dog>) throws {
        var (kept, owners): ([Dog], [Person?]) = ([], [])
        var (last, oldest): (Dog?, Dog?) = (nil, nil)
        var id = 0
        for dog in dogs {
            try expect(dog.id == id && (last.map { $0.id == id - 1 } ?? true), "objects of two turns, at \(id)")
            last = dog
            if id % 1_000 == 7 {
                kept.append(dog)
                owners.append(dog.owner)
            }
            if dog.age > oldest?.age ?? -1 { oldest = dog }
            id += 1
        }
        try expect(id == data.count, "\(id) of \(data.count) turns")
        for (index, dog) in kept.enumerated() {
            try expect(dog.id == index * 1_000 + 7, "kept object \(index)")
            try expect(owners[index]?.id == data.dog(dog.id).owner, "kept target \(index)")
        }
        try expect(oldest.map { $0.age == data.dog($0.id).age } ?? false, "the object kept in a variable")
        for (index, dog) in dogs.map({ $0 }).enumerated().prefix(3_000) {
            try expect(dog.id == index, "mapped object \(index)")
        }
        for dog in Array(dogs.prefix(5_000)).filter({ $0.age == 3 }) { try expect(dog.age == 3, "a filtered object") }
        var iterator = dogs.makeIterator()
        var previous: Dog?
        for index in 0..<min(1_000, data.count) {
            let dog = iterator.next()
            try expect(dog !== previous && dog?.id == index, "object \(index) of an iterator")
            try expect(previous.map { $0.id == index - 1 } ?? true, "the object before \(index) of an iterator")
            previous = dog
        }
    }

    private func expect(_ holds: Bool, _ words: @autoclosure () -> String) throws {
        if !holds { throw Failure(words: "a loop changed what was kept: \(words())") }
    }
}
