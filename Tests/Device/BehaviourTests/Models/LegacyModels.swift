import Causeway

/// The older way to declare properties, as far as it needs no Objective-C: `let`, and an object that holds the value.
enum LegacyPage {
    class Dog: Object {
        let age = RealmOptional<Int>()
        let owners = LinkingObjects(fromType: Person.self, property: "dogs")
        let tricks = List<String>()

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Person: Object {
        let age = RealmProperty<Int?>()
        let dogs = List<Dog>()
        let cities = MutableSet<String>()
        let parks = Map<String, String>()

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Numbers: Object {
        let int = RealmProperty<Int?>()
        let float = RealmProperty<Float?>()
        let double = RealmProperty<Double?>()
        let bool = RealmProperty<Bool?>()
        let int8 = RealmProperty<Int8?>()
        let int16 = RealmProperty<Int16?>()
        let int32 = RealmProperty<Int32?>()
        let int64 = RealmProperty<Int64?>()

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
