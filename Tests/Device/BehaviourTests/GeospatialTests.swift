import Causeway
import Foundation
import Testing

@Suite("Geospatial queries")
struct GeospatialTests {
    /// Two companies: the first within the hole of the larger polygon, the second on the upper edge of the small box.
    private func companies() throws -> Results<Geospatial_Company> {
        let realm = try memoryRealm([Geospatial_Company.self, CustomGeoPoint.self])
        try realm.write {
            realm.add(Geospatial_Company(CustomGeoPoint(47.68, -122.35)))
            realm.add(Geospatial_Company(CustomGeoPoint(47.9, -121.85)))
        }
        return realm.objects(Geospatial_Company.self)
    }

    // MARK: - Values

    @Test("S052 a point has degrees that exist, or is nil")
    func points() {
        for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (0, 0), (47.68, -122.35)] {
            #expect(GeoPoint(latitude: latitude, longitude: longitude)?.latitude == latitude)
            #expect(GeoPoint(latitude: latitude, longitude: longitude)?.longitude == longitude)
        }
        for (latitude, longitude) in [(90.1, 0.0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .nan)] {
            #expect(GeoPoint(latitude: latitude, longitude: longitude) == nil)
        }
        #expect(GeoPoint(latitude: 1, longitude: 2, altitude: 3)?.altitude == 3)
        #expect(GeoPoint(latitude: 1, longitude: 2, altitude: -1) == nil)
        #expect(GeoPoint(latitude: 1, longitude: 2, altitude: .nan) == nil)
    }

    @Test("S053 points and distances are for queries: the object stores fields of its own")
    func notPersisted() throws {
        // `@Persisted var point: GeoPoint` does not compile: the type is no `_Persistable`.
        let types: [Any.Type] = [GeoPoint.self, Distance.self, GeoBox.self, GeoCircle.self, GeoPolygon.self]
        let stored = types.filter { $0 is any _Persistable.Type }
        #expect(stored.isEmpty)
        #expect(try companies()[0].location?.latitude == 47.68)
    }

    @Test("S054 a distance is made of any unit and shown in any")
    func distances() throws {
        let distances = [
            try #require(Distance.kilometers(44.4)), try #require(Distance.miles(44.4 / 1.609344)),
            try #require(Distance.degrees(44.4 / 6378.1 * 180 / .pi)), try #require(Distance.radians(44.4 / 6378.1)),
        ]
        for distance in distances {
            #expect(abs(distance.asKilometers() - 44.4) < 1e-12)
            #expect(abs(distance.asMiles() - 27.588881) < 1e-6)
            #expect(abs(distance.asDegrees() - 0.398855) < 1e-6)
            #expect(abs(distance.radians - 0.006961321) < 1e-9)
        }
        #expect(Distance.kilometers(-1) == nil && Distance.miles(.nan) == nil && Distance.degrees(-0.1) == nil)
    }

    @Test("S055 a circle takes its radius in radians")
    func circleInRadians() throws {
        let smallCircle = try #require(GeoCircle(center: (47.3, -121.9), radiusInRadians: 0.004363323))
        #expect(abs(try #require(Distance.radians(smallCircle.radiusInRadians)).asDegrees() - 0.25) < 1e-6)
        #expect(GeoCircle(center: (91, 0), radiusInRadians: 1) == nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: -1) == nil)
    }

    @Test("S056 a circle takes its radius as a distance")
    func circleByDistance() {
        let largeCircle = GeoCircle(
            center: GeoPoint(latitude: 47.8, longitude: -122.6)!, radius: Distance.kilometers(44.4)!)
        #expect(largeCircle.radiusInRadians == 44.4 / 6378.1)
        #expect(largeCircle.center == GeoPoint(latitude: 47.8, longitude: -122.6))
    }

    @Test("S057 a box is made of pairs, and nil where one of them is no place")
    func boxOfPairs() {
        let largeBox = GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1))
        #expect(largeBox?.topRight.latitude == 48.1)
        #expect(GeoBox(bottomLeft: (47.3, -182.7), topRight: (48.1, -122.1)) == nil)
    }

    @Test("S058 a box is made of points")
    func boxOfPoints() {
        let smallBox = GeoBox(
            bottomLeft: GeoPoint(latitude: 47.5, longitude: -122.4)!,
            topRight: GeoPoint(latitude: 47.9, longitude: -121.8)!)
        #expect(smallBox == GeoBox(bottomLeft: (47.5, -122.4), topRight: (47.9, -121.8)))
    }

    @Test("S059 a ring has three segments or more and ends where it began")
    func ring() {
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 1), (0, 0)]) != nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 0)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 1), (1, 1)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (91, 0), (0, 1), (0, 0)]) == nil)
        #expect(GeoPolygon(outerRing: [GeoPoint]()) == nil)
    }

    // MARK: - Polygons, as the documents have them

    private let basicPolygon = GeoPolygon(outerRing: [
        (48.0, -122.8), (48.2, -121.8), (47.6, -121.6), (47.0, -122.0), (47.2, -122.6), (48.0, -122.8),
    ])

    private let outerRing: [GeoPoint] = [
        GeoPoint(latitude: 48.0, longitude: -122.8)!, GeoPoint(latitude: 48.2, longitude: -121.8)!,
        GeoPoint(latitude: 47.6, longitude: -121.6)!, GeoPoint(latitude: 47.0, longitude: -122.0)!,
        GeoPoint(latitude: 47.2, longitude: -122.6)!, GeoPoint(latitude: 48.0, longitude: -122.8)!,
    ]
    private let hole: [GeoPoint] = [
        GeoPoint(latitude: 47.8, longitude: -122.6)!, GeoPoint(latitude: 47.7, longitude: -122.2)!,
        GeoPoint(latitude: 47.4, longitude: -122.6)!, GeoPoint(latitude: 47.6, longitude: -122.5)!,
        GeoPoint(latitude: 47.8, longitude: -122.6)!,
    ]
    private let hole2: [GeoPoint] = [
        GeoPoint(latitude: 47.55, longitude: -122.05)!, GeoPoint(latitude: 47.55, longitude: -121.9)!,
        GeoPoint(latitude: 47.3, longitude: -122.1)!, GeoPoint(latitude: 47.55, longitude: -122.05)!,
    ]

    @Test("S060 what lies in a hole is not in the polygon")
    func holes() throws {
        let companies = try companies()
        let whole = try #require(GeoPolygon(outerRing: outerRing))
        let polygonWithOneHole = try #require(GeoPolygon(outerRing: outerRing, holes: [hole]))
        #expect(companies.where { $0.location.geoWithin(whole) }.count == 2)
        #expect(companies.where { $0.location.geoWithin(polygonWithOneHole) }.count == 1)
        #expect(companies.where { !$0.location.geoWithin(polygonWithOneHole) }.first?.location?.latitude == 47.68)
    }

    private static func words(ofQuerying polygon: @escaping @Sendable () -> GeoPolygon?) -> @Sendable () throws -> Void
    {
        {
            let realm = try memoryRealm([Geospatial_Company.self, CustomGeoPoint.self])
            _ = realm.objects(Geospatial_Company.self).where { $0.location.geoWithin(polygon()!) }.count
        }
    }

    private static let square: [(Double, Double)] = [(0, 0), (0, 4), (4, 4), (4, 0), (0, 0)]

    @Test("S061 a hole that is not within the outer ring is an error when it is queried")
    func holeOutside() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try GeospatialTests.words {
                GeoPolygon(
                    outerRing: [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)],
                    holes: [[(2, 2), (2, 3), (3, 3), (3, 2), (2, 2)]])
            }()
        }
        let words = lastWords(result)
        #expect(words.contains("Invalid region in GEOWITHIN query for parameter 'GeoPolygon("))
        #expect(
            words.contains(
                "Secondary ring 1 not contained by first exterior ring - secondary rings must be holes in the first ring"
            ))
    }

    @Test("S062 holes that cross are an error when they are queried")
    func crossingHoles() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try GeospatialTests.words {
                GeoPolygon(
                    outerRing: GeospatialTests.square,
                    holes: [
                        [(1, 1), (1, 3), (2, 3), (2, 1), (1, 1)], [(1.5, 2), (1.5, 2.5), (3, 2.5), (3, 2), (1.5, 2)],
                    ])
            }()
        }
        #expect(lastWords(result).contains("Polygon isn't valid: 'Edges cross: ring 2 and ring 1'"))
    }

    @Test("S063 an edge of two rings is an error when it is queried")
    func sharedEdges() async {
        let outer = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try GeospatialTests.words {
                GeoPolygon(outerRing: GeospatialTests.square, holes: [[(2, 2), (0, 4), (4, 4), (2, 2)]])
            }()
        }
        #expect(lastWords(outer).contains("Polygon isn't valid: 'Duplicate edge: ring 1, edge 1 and ring 0, edge 1'"))
        let holes = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try GeospatialTests.words {
                GeoPolygon(
                    outerRing: GeospatialTests.square,
                    holes: [[(1, 1), (1, 2), (2, 2), (1, 1)], [(1, 1), (2, 2), (2, 1), (1, 1)]])
            }()
        }
        #expect(lastWords(holes).contains("Duplicate edge: ring 2, edge 0 and ring 1, edge 2"))
    }

    @Test("S064 holes may share vertices; none has one twice")
    func sharedVertices() async throws {
        let companies = try companies()
        let shared = try #require(
            GeoPolygon(
                outerRing: Self.square, holes: [[(1, 1), (1, 2), (2, 2), (1, 1)], [(2, 2), (2, 3), (3, 3), (2, 2)]]))
        #expect(companies.where { $0.location.geoWithin(shared) }.isEmpty)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try GeospatialTests.words {
                GeoPolygon(
                    outerRing: GeospatialTests.square,
                    holes: [[(1, 1), (1, 2), (2, 2), (1, 3), (3, 3), (2, 2), (1, 1)]])
            }()
        }
        #expect(lastWords(result).contains("Ring 1 is not valid: 'Duplicate vertices: 2 and 5'"))
    }

    @Test("S065 an empty hole is none, and in text an error")
    func emptyHole() async {
        #expect(GeoPolygon(outerRing: outerRing, holes: [[]]) == nil)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([Geospatial_Company.self, CustomGeoPoint.self])
            _ =
                realm.objects(Geospatial_Company.self)
                .filter("location GEOWITHIN geoPolygon({[0, 0], [4, 0], [4, 4], [0, 0]}, {})").count
        }
        #expect(lastWords(result).contains("Ring 1 has no points"))
    }

    @Test("S066 a hole in a hole is an error when it is queried")
    func nested() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try GeospatialTests.words {
                GeoPolygon(
                    outerRing: [(50, -80), (62, 22), (22, 22), (-80, -80), (50, -80)],
                    holes: [
                        [(45, -77), (61, 21), (21, 21), (-77, -77), (45, -77)],
                        [
                            (40.0096192, -75.5175780), (60, 20), (20, 20), (-75.5175781, -75.5175781),
                            (40.0096192, -75.5175780),
                        ],
                    ])
            }()
        }
        #expect(lastWords(result).contains("Polygon interior rings cannot be nested: 2"))
    }

    @Test("S067 a polygon is made of pairs or points, with any number of holes")
    func polygons() {
        #expect(basicPolygon != nil)
        #expect(GeoPolygon(outerRing: outerRing) == basicPolygon)
        #expect(GeoPolygon(outerRing: outerRing, holes: [hole]) != nil)
        #expect(GeoPolygon(outerRing: outerRing, holes: [hole, hole2])?.holes.count == 2)
        #expect(
            GeoPolygon(outerRing: outerRing, holes: hole, hole2)
                == GeoPolygon(outerRing: outerRing, holes: [hole, hole2]))
    }

    // MARK: - Queries

    @Test("S068 a point is stored as GeoJSON has it; anything else is in no shape, and another form is an error")
    func storedForm() async throws {
        let realm = try memoryRealm([OddPlaces.FreePlace.self, OddPlaces.FreePoint.self])
        try realm.write {
            for (name, type, coordinates) in [
                ("right", "Point", [1.0, 2.0]), ("high", "Point", [1, 2, 300]), ("short", "Point", [1]),
                ("empty", "Point", []), ("off the Earth", "Point", [2, 100]), ("line", "LineString", [1, 2]),
            ] {
                let place = OddPlaces.FreePlace(
                    value: ["name": name, "at": ["type": type, "coordinates": coordinates] as [String: Any]])
                place.visited.append(
                    OddPlaces.FreePoint(value: ["type": type, "coordinates": coordinates] as [String: Any]))
                realm.add(place)
            }
            realm.add(OddPlaces.FreePlace(value: ["name": "nowhere"]))
        }
        let places = realm.objects(OddPlaces.FreePlace.self)
        let circle = GeoCircle(center: (2, 1), radius: Distance.degrees(0.1)!)!
        #expect(places.where { $0.at.geoWithin(circle) }.map(\.name) == ["right", "high"])
        #expect(places.filter("ANY visited IN %@", circle).map(\.name) == ["right", "high"])
        #expect(places.filter("ALL visited IN %@", circle).map(\.name) == ["right", "high", "nowhere"])
        #expect(places.filter("NONE visited GEOWITHIN %@", circle).count == 5)
        let form = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([OddPlaces.Place.self, OddPlaces.Point.self])
            _ = realm.objects(OddPlaces.Place.self).filter("at GEOWITHIN geoCircle([0, 0], 1)").count
        }
        #expect(lastWords(form).contains("links to data in the wrong format for a geoWithin query"))
        let top = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([OddPlaces.Place.self, OddPlaces.Point.self])
            _ = realm.objects(OddPlaces.Place.self).filter("other GEOWITHIN geoCircle([0, 0], 1)").count
        }
        #expect(
            lastWords(top).contains(
                "can only operate on a link to an embedded class but 'Place' is at the top level"))
    }

    @Test("S069 where, filter and NSPredicate give the same, and the results are live")
    func threeWays() throws {
        let companies = try companies()
        let box = try #require(GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1)))
        let results = [
            companies.where { $0.location.geoWithin(box) },
            companies.filter("location IN %@", box),
            companies.filter(NSPredicate(format: "location IN %@", argumentArray: [box])),
            companies.filter("location GEOWITHIN geoBox([-122.7, 47.3], [-122.1, 48.1])"),
        ]
        for result in results { #expect(result.map { $0.location!.latitude } == [47.68]) }
        let realm = try #require(companies.realm)
        try realm.write { realm.add(Geospatial_Company(CustomGeoPoint(47.7, -122.3))) }
        for result in results { #expect(result.count == 2) }
        try realm.write { companies[0].location = nil }
        for result in results { #expect(result.count == 1) }
        try realm.write { companies[0].location = CustomGeoPoint(47.7, -122.3) }
        for result in results { #expect(result.count == 2) }
    }

    @Test("S070 a small circle")
    func smallCircle() throws {
        let companies = try companies()
        let smallCircle = GeoCircle(center: (47.3, -121.9), radiusInRadians: 0.004363323)
        #expect(companies.where { $0.location.geoWithin(smallCircle!) }.count == 0)
        #expect(companies.filter("location IN %@", smallCircle!).count == 0)
    }

    @Test("S071 a large circle")
    func largeCircle() throws {
        let companies = try companies()
        let largeCircle = GeoCircle(
            center: GeoPoint(latitude: 47.8, longitude: -122.6)!, radius: Distance.kilometers(44.4)!)
        #expect(companies.where { $0.location.geoWithin(largeCircle) }.count == 1)
        #expect(companies.filter("location IN %@", largeCircle).count == 1)
    }

    @Test("S072 a small box, with a company on its edge")
    func smallBox() throws {
        let companies = try companies()
        let smallBox = GeoBox(
            bottomLeft: GeoPoint(latitude: 47.5, longitude: -122.4)!,
            topRight: GeoPoint(latitude: 47.9, longitude: -121.8)!)
        #expect(companies.where { $0.location.geoWithin(smallBox) }.count == 2)
        #expect(companies.filter("location IN %@", smallBox).count == 2)
    }

    @Test("S073 a large box, by NSPredicate with its arguments in an NSMutableArray")
    func largeBox() throws {
        let companies = try companies()
        let largeBox = GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1))
        let filterArguments = NSMutableArray()
        filterArguments.add(largeBox!)
        let predicate = NSPredicate(format: "location IN %@", argumentArray: filterArguments as? [Any])
        #expect(companies.filter(predicate).count == 1)
    }

    @Test("S074 a polygon")
    func polygon() throws {
        let companies = try companies()
        #expect(companies.where { $0.location.geoWithin(basicPolygon!) }.count == 2)
        #expect(companies.filter("location IN %@", basicPolygon!).count == 2)
    }

    @Test("S075 a polygon with two holes, a company in one of them")
    func polygonWithTwoHoles() throws {
        let companies = try companies()
        let polygonWithTwoHoles = GeoPolygon(outerRing: outerRing, holes: [hole, hole2])
        #expect(companies.where { $0.location.geoWithin(polygonWithTwoHoles!) }.count == 1)
        let predicate = NSPredicate(format: "location IN %@", argumentArray: [polygonWithTwoHoles!])
        #expect(companies.filter(predicate).count == 1)
    }

    @Test("S162 geoWithin holds of an embedded point in the shape, and combines with other conditions")
    func combined() throws {
        let companies = try companies()
        let box = try #require(GeoBox(bottomLeft: (47, -123), topRight: (48, -121)))
        let circle = try #require(GeoCircle(center: (47.9, -121.85), radius: Distance.kilometers(1)!))
        #expect(companies.where { $0.location.geoWithin(box) && !$0.location.geoWithin(circle) }.count == 1)
        #expect(companies.where { $0.location.geoWithin(circle) || $0.location == nil }.count == 1)
    }
}
