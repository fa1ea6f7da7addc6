import Causeway
import Foundation
import Testing

/// What apps that come from RealmSwift do with collections, in a Realm and before they are added to one.
@Suite("Collections of an app that comes from RealmSwift")
struct PortedCollectionsTests {
    private func owner() -> PortedOwner {
        let owner = PortedOwner()
        for (name, age, weight) in [("Rex", 3, 30.5), ("Bo", 9, nil), ("Ida", 1, 4.5)] as [(String, Int, Double?)] {
            let dog = PortedDog(value: ["name": name, "age": age])
            dog.weight = weight
            dog.toy = name == "Bo" ? nil : PortedToy(value: ["name": "Ball of \(name)"])
            owner.dogs.append(dog)
            owner.dogsByName[name] = dog
            owner.counts[name] = age
            owner.nicknames.append(name.lowercased())
            owner.tags.insert(name)
        }
        owner.scores.append(objectsIn: [4, nil, 6])
        owner.mixed["a"] = .int(3)
        owner.mixed["b"] = .double(0.5)
        owner.mixed["c"] = .string("x")
        return owner
    }

    /// The same owner unmanaged, managed and frozen: all of them answer alike.
    private func forms() throws -> [(String, PortedOwner)] {
        let realm = try portedRealm()
        let managed = owner()
        try realm.write { realm.add(managed) }
        return [("unmanaged", owner()), ("managed", managed), ("frozen", managed.freeze())]
    }

    @Test("aggregates, by name, key path and of values")
    func aggregates() throws {
        for (form, owner) in try forms() {
            let dogs = owner.dogs
            #expect(dogs.sum(ofProperty: "age") as Int == 13 && dogs.average(ofProperty: "weight") == 17.5, "\(form)")
            #expect(dogs.min(of: \.age) == 1 && dogs.max(ofProperty: "age") as Int? == 9, "\(form)")
            #expect(dogs.min(of: \.weight) == 4.5 && dogs.max(ofProperty: "age") as Double? == 9, "\(form)")
            #expect(owner.dogsByName.sum(ofProperty: "age") as Int == 13, "\(form)")
            #expect(owner.dogsByName.max(of: \.age) == 9 && owner.dogsByName.average(of: \.age) == 13.0 / 3, "\(form)")
            #expect(owner.counts.sum() == 13 && owner.counts.min() == 1 && owner.counts.max() == 9, "\(form)")
            #expect(owner.mixed.sum() == .decimal128(3.5) && owner.mixed.max() == .string("x"), "\(form)")
            #expect(owner.scores.sum() == 10 && owner.scores.max() == 6 && owner.scores.average() == 5.0, "\(form)")
            #expect(PortedOwner().dogs.sum(of: \.age) == 0 && PortedOwner().mixed.sum() == .decimal128(0))
        }
    }

    @Test("the first element that meets a condition, and where an element is")
    func positions() throws {
        for (form, owner) in try forms() {
            #expect(owner.dogs.index(matching: "age > 5") == 1, "\(form)")
            #expect(owner.dogs.index(matching: NSPredicate(format: "toy.name ENDSWITH 'Ida'")) == 2, "\(form)")
            #expect(owner.dogs.index(matching: { $0.weight > 100 }) == nil, "\(form)")
            #expect(owner.dogs.index(matching: "toy == nil AND name LIKE 'B?'") == 1, "\(form)")
            #expect(owner.dogs.index(of: owner.dogs[2]) == 2 && owner.nicknames.index(of: "bo") == 1, "\(form)")
            #expect(AnyRealmCollection(owner.dogs).index(matching: "age == 1") == 2, "\(form)")
        }
        let owners = List<PortedOwner>()
        owners.append(objectsIn: [PortedOwner(), owner()])
        #expect(owners.index(matching: "ANY dogs.toy.name == 'Ball of Rex' AND nicknames.@count == 3") == 1)
        #expect(owners.index(matching: "counts['Rex'] == 3 AND ANY tags == 'Bo' AND dogs.@sum.age == 13") == 1)
        #expect(owners.index(matching: "SUBQUERY(dogs, $d, $d.age < 5 AND $d.toy != nil).@count == 2") == 1)
        let dog = owners[1].dogs[0]
        #expect(owners.index(matching: "%@ IN dogs", dog) == nil, "an unmanaged object is not compared with")
    }

    @Test("values by name and path")
    func valuesByName() throws {
        for (form, owner) in try forms() {
            #expect(owner.dogs.value(forKey: "name") as? [String] == ["Rex", "Bo", "Ida"], "\(form)")
            #expect(owner.dogs.value(forKeyPath: "@max.age") as? Int == 9, "\(form)")
            #expect(owner.value(forKeyPath: "dogs.@sum.age") as? Int == 13, "\(form)")
            #expect(owner.dogsByName.value(forKeyPath: "@min.age") as? Int == 1, "\(form)")
            #expect(owner.dogs.value(forKeyPath: "@count") as? Int == 3, "\(form)")
        }
    }

    @Test("a slice of a list is assigned, of another length too")
    func slices() throws {
        for (form, owner) in try forms() where form != "frozen" {
            let other = List<String>()
            other.append(objectsIn: ["x", "y", "z"])
            func change() {
                owner.nicknames[1..<3] = other[0..<2]
                #expect(Array(owner.nicknames) == ["rex", "x", "y"], "\(form)")
                owner.nicknames[0..<1] = other[...]
                #expect(Array(owner.nicknames) == ["x", "y", "z", "x", "y"], "\(form)")
                #expect(Array(owner.nicknames[1..<3]) == ["y", "z"], "\(form)")
            }
            if let realm = owner.realm { try realm.write(change) } else { change() }
        }
    }

    @Test("a slice of a list is changed in place, and assigned from the list itself")
    func slicesInPlace() throws {
        for (form, owner) in try forms() where form != "frozen" {
            func change() {
                owner.nicknames.removeAll()
                owner.nicknames.append(objectsIn: ["b", "a", "x", "y"])
                owner.nicknames[0..<2].sort()
                #expect(Array(owner.nicknames) == ["a", "b", "x", "y"], "\(form)")
                owner.nicknames[0..<2] = owner.nicknames[2..<4]
                #expect(Array(owner.nicknames) == ["x", "y", "x", "y"], "\(form)")
                owner.nicknames[1..<3].reverse()
                #expect(Array(owner.nicknames) == ["x", "x", "y", "y"], "\(form)")
            }
            if let realm = owner.realm { try realm.write(change) } else { change() }
        }
    }

    @Test("objects whose link is empty are not distinct by what lies behind it")
    func distinctThroughNothing() throws {
        let realm = try portedRealm()
        let owner = owner()
        try realm.write { realm.add(owner) }
        let dogs = realm.objects(PortedDog.self)
        #expect(dogs.distinct(by: ["toy.name"]).map(\.name) == ["Rex", "Ida"])
        #expect(owner.dogs.distinct(by: [\.toy!.name]).count == 2)
        #expect(dogs.filter("age == 9").distinct(by: ["toy.name"]).isEmpty)
        #expect(dogs.filter("TRUEPREDICATE DISTINCT(toy.name)").count == 2)
    }

    @Test("values that are stored as embedded objects stand in lists and maps")
    func mappedElements() throws {
        let realm = try portedRealm()
        let route = PortedRoute()
        let points = [PortedPoint(x: 1, y: 2), PortedPoint(x: 3, y: 4)]
        route.points.append(objectsIn: points)
        route.pointsByName["a"] = points[1]
        route.end = points[0]
        #expect(route.pointsByName["a"] == points[1] && Array(route.points) == points)
        try realm.write { realm.add(route) }
        #expect(Array(route.points) == points && route.pointsByName["a"] == points[1])
        #expect(route.start == PortedPoint(x: 0, y: 0) && route.end == points[0])
        try realm.write {
            route.points.append(PortedPoint(x: 5, y: 6))
            route.points[0] = PortedPoint(x: 7, y: 8)
            route.pointsByName["b"] = PortedPoint(x: 9, y: 9)
            route.pointsByName["c"] = .some(nil)
        }
        #expect(route.points.map(\.x) == [7, 3, 5] && route.pointsByName["b"] == PortedPoint(x: 9, y: 9))
        #expect(route.pointsByName["c"] == .some(nil) && route.pointsByName["d"] == nil)
        let made = try realm.write {
            realm.create(
                PortedRoute.self,
                value: [
                    "points": points, "pointsByName": ["k": points[0]], "start": points[1],
                ] as [String: Any])
        }
        #expect(Array(made.points) == points && made.pointsByName["k"] == points[0] && made.start == points[1])
        #expect(realm.objects(PortedRoute.self).filter("ANY points.x == 3").count == 2)
    }
}
