import Causeway

// The models of the documents' page on projections, as they stand there.

enum ProjectionPage {
    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var address: Address?
        @Persisted var friends = List<Person>()

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Address: EmbeddedObject {
        @Persisted var city: String = ""
        @Persisted var street = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class PersonProjection: Projection<Person> {
        @Projected(\Person.firstName) var firstName  // `firstName` will have same name and type
        @Projected(\Person.address?.city) var homeCity  // Rename and use key path
        @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
    }

    /// An embedded object can be projected too.
    class AddressProjection: Projection<Address> {
        @Projected(\Address.city) var city
    }
}
