import Causeway
import Foundation
import Testing

@Suite("The page about reading: types of the app's own")
struct MappedTypeTests {
    private let seattle = Coordinate(latitude: 47.6, longitude: -122.3)

    private func clubs() throws -> Results<Club> {
        let realm = try memoryRealm([Club.self, Location.self])
        try realm.write {
            let club = Club()
            club.name = "American Kennel Club"
            club.url = URL(string: "https://akc.org")!
            club.location = seattle
            club.mirrors.append(URL(string: "https://mirror.akc.org")!)
            realm.add(club)
            realm.create(
                Club.self,
                value: [
                    "name": "Canadian Kennel Club", "url": "https://ckc.ca",
                    "archive": URL(string: "https://archive.ckc.ca")!,
                    "location": ["latitude": 43.6, "longitude": -79.4],
                    "branch": Coordinate(latitude: 45.4, longitude: -75.7),
                ])
        }
        return realm.objects(Club.self)
    }

    @Test("S076 a query takes a mapped value, or one of the persisted type")
    func mappedTypeQuery() throws {
        let clubs = try clubs()
        let url = URL(string: "https://akc.org")!
        #expect(clubs.where { $0.url == url }.map(\.name) == ["American Kennel Club"])
        #expect(clubs.where { $0.url == "https://akc.org" }.count == 1)
        #expect(clubs.where { $0.url.persistableValue.starts(with: "https://c") }.count == 1)
        #expect(clubs.filter("url == %@", url).count == 1)
        #expect(clubs.filter("url == %@", "https://akc.org").count == 1)
        #expect(clubs.filter("url IN %@", [url]).count == 1)
        #expect(clubs.where { $0.archive == nil }.map(\.name) == ["American Kennel Club"])
        #expect(clubs.where { $0.mirrors.contains(URL(string: "https://mirror.akc.org")!) }.count == 1)
    }

    @Test("S077 a mapped property sorts and aggregates as its persisted type")
    func sortingAndAggregates() throws {
        let realm = try memoryRealm([Reading.self])
        try realm.write {
            for (place, degrees) in [("cellar", 11.5), ("roof", 31), ("garden", 20)] {
                let reading = Reading()
                reading.place = place
                reading.temperature = Celsius(persistedValue: degrees)
                realm.add(reading)
            }
        }
        let readings = realm.objects(Reading.self)
        #expect(readings.sorted(byKeyPath: "temperature").map(\.place) == ["cellar", "garden", "roof"])
        #expect(readings.sorted(by: \.temperature, ascending: false).map(\.place) == ["roof", "garden", "cellar"])
        #expect(readings.max(ofProperty: "temperature") == 31.0)
        #expect(readings.sum(ofProperty: "temperature") == 62.5)
        #expect(readings.where { $0.temperature.persistableValue > 12 }.count == 2)
    }

    @Test("S078 a mapped property reads as the app's type")
    func reading() throws {
        let clubs = try clubs()
        let akcClub = try #require(clubs.where { $0.name == "American Kennel Club" }.first)
        #expect(akcClub.url == URL(string: "https://akc.org")!)
        #expect(akcClub.location == seattle)
        #expect(akcClub.branch == nil)
        #expect(akcClub.mirrors[0].host() == "mirror.akc.org")
        #expect(clubs.first { $0.name == "Canadian Kennel Club" }?.branch?.latitude == 45.4)
        try clubs.realm?.write {
            akcClub.location = Coordinate(latitude: 1, longitude: 2)
            akcClub.branch = seattle
            akcClub.archive = URL(string: "https://old.akc.org")
        }
        #expect(akcClub.location.longitude == 2)
        #expect(akcClub.branch == seattle)
        #expect(akcClub.archive?.host() == "old.akc.org")
        try clubs.realm?.write { akcClub.branch = nil }
        #expect(akcClub.branch == nil)
    }

    @Test("S079 a query compares what is persisted")
    func persistedTypeQuery() throws {
        #expect(try clubs().filter("url == 'https://akc.org'").first!.name == "American Kennel Club")
    }

    @Test("S080 a mapped embedded object is equal when its values are")
    func memberwise() throws {
        let clubs = try clubs()
        let place = seattle
        #expect(clubs.where { $0.location == place }.map(\.name) == ["American Kennel Club"])
        #expect(clubs.where { $0.location != place }.map(\.name) == ["Canadian Kennel Club"])
        #expect(clubs.where { $0.branch == nil }.map(\.name) == ["American Kennel Club"])
        #expect(clubs.where { $0.branch == Coordinate(latitude: 45.4, longitude: -75.7) }.count == 1)
        #expect(clubs.where { $0.branch == Coordinate(latitude: 45.4, longitude: 0) }.isEmpty)
        #expect(clubs.filter("location.latitude < 45").map(\.name) == ["Canadian Kennel Club"])
    }

    @Test("S081 links are equal when they lead to the same object, whatever it holds")
    func identity() throws {
        let realm = try memoryRealm(readPage)
        try realm.write {
            for _ in 0..<2 {
                let toy = realm.create(DogToy.self, value: ["id": ObjectId.generate(), "name": "Ball"])
                realm.create(Dog.self, value: ["id": ObjectId.generate(), "favoriteToy": toy])
            }
        }
        let toy = realm.objects(DogToy.self)[0]
        #expect(realm.objects(Dog.self).where { $0.favoriteToy == toy }.count == 1)
        #expect(realm.objects(Dog.self).filter("favoriteToy == %@", toy).count == 1)
    }

    @Test("S082 objects and collections inside of a mapped object cannot be compared")
    func limits() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([Tour.self, Route.self])
            let itinerary = Tour().itinerary
            _ = realm.objects(Tour.self).where { $0.itinerary == itinerary }.count
        }
        #expect(lastWords(result).contains("Unsupported property 'Route.stops' for comparison by members"))
    }

    @Test("a stored value that the app's type refuses stops a property that needs one, and is nil for an optional")
    func refusedValue() async throws {
        let clubs = try clubs()
        try clubs.realm?.write { clubs[1].setValue("", forKey: "archive") }
        #expect(clubs[1].archive == nil)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let club = Club()
            club.setValue("", forKey: "url")
            _ = club.url
        }
        #expect(lastWords(result).contains("Failed to convert persisted value '' to type 'URL'"))
    }
}
