import CausewaySeeds
import Foundation
import Testing

@testable import CausewayModel
@testable import CausewayQuery

@Suite("Geometry on the sphere")
struct GeometryTests {
    private static let seeds = SeedList.drawn(for: "stars", count: 60)

    // MARK: - Functions

    @Test("sine, cosine and arc tangent agree with the C library's to the last bits")
    func functions() {
        var generator = SeededNumbers(seed: 7)
        for _ in 0..<20_000 {
            let degrees = Double.random(in: -360...360, using: &generator)
            let both = Trigonometry.sineAndCosine(degrees: degrees)
            // The C library is handed an angle that was rounded once.
            #expect(abs(both.sine - sin(degrees * .pi / 180)) < 2e-15, "\(degrees)")
            #expect(abs(both.cosine - cos(degrees * .pi / 180)) < 2e-15, "\(degrees)")
            let radians = Double.random(in: 0...(.pi), using: &generator)
            #expect(abs(Trigonometry.sine(radians: radians) - sin(radians)) < 4e-16, "\(radians)")
            let (y, x) = (Double.random(in: -3...3, using: &generator), Double.random(in: -3...3, using: &generator))
            #expect(abs(Trigonometry.arcTangent(y, x) - atan2(y, x)) < 2e-15, "\(y) \(x)")
        }
        for (degrees, sine, cosine) in [(0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (-90, -1, 0), (-180, 0, -1)] {
            let both = Trigonometry.sineAndCosine(degrees: degrees)
            #expect(both.sine == sine && both.cosine == cosine)
        }
    }

    // MARK: - Places in shapes

    private func region(_ text: String) throws -> GeoRegion {
        guard case .geoWithin(let within) = try Predicate.parse("at GEOWITHIN \(text)") else {
            throw GeoShapeFault("not read")
        }
        return try GeoRegion(within.shape)
    }

    private func contains(_ region: GeoRegion, _ latitude: Double, _ longitude: Double) -> Bool {
        region.contains(GeoPosition(latitude: latitude, longitude: longitude))
    }

    @Test("a circle holds what is at most its radius away, over poles and the date line")
    func circles() throws {
        let degree = 3.141592653589793 / 180
        let pole = try region("geoCircle([0, 90], \(10 * degree))")
        for longitude in stride(from: -180.0, through: 180, by: 15) {
            #expect(contains(pole, 80.0001, longitude) && !contains(pole, 79.9999, longitude))
        }
        let dateLine = try region("geoCircle([179.5, 0], \(degree))")
        #expect(contains(dateLine, 0, -179.6) && contains(dateLine, 0, 178.6) && !contains(dateLine, 0, -179.4))
        let dot = try region("geoCircle([1, 2], 0)")
        #expect(contains(dot, 2, 1) && !contains(dot, 2, 1.0000001))
        let everything = try region("geoCircle([1, 2], inf)")
        #expect(contains(everything, -2, -179))
        #expect(!contains(everything, 91, 0) && !contains(everything, .nan, 0))
    }

    @Test("the edges of a box are great circles, and belong to it")
    func boxes() throws {
        let box = try region("geoBox([-122.4, 47.5], [-121.8, 47.9])")
        #expect(contains(box, 47.9, -121.85) && contains(box, 47.9, -121.8) && contains(box, 47.5, -122.4))
        #expect(contains(box, 47.7, -122.4) && !contains(box, 47.7, -122.4001) && !contains(box, 48, -122))
        // Between two places on a parallel the shortest way is nearer to the pole.
        let wide = try region("geoBox([0, 40], [80, 60])")
        #expect(contains(wide, 63, 40) && !contains(wide, 41, 40))
        let dateLine = try region("geoBox([179, -1], [-179, 1])")
        #expect(contains(dateLine, 0, 180) && contains(dateLine, 0, -180) && contains(dateLine, 0, -179.5))
        #expect(!contains(dateLine, 0, 178) && !contains(dateLine, 0, 0))
    }

    /// Whether a place is in a ring, by adding up the angles under which its edges are seen: no code in common.
    private func sumOfAngles(_ ring: [(latitude: Double, longitude: Double)], _ latitude: Double, _ longitude: Double)
        -> Double
    {
        func vector(_ latitude: Double, _ longitude: Double) -> [Double] {
            let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
            return [cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi)]
        }
        func dot(_ a: [Double], _ b: [Double]) -> Double { a[0] * b[0] + a[1] * b[1] + a[2] * b[2] }
        func cross(_ a: [Double], _ b: [Double]) -> [Double] {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        }
        let place = vector(latitude, longitude)
        var sum = 0.0
        for index in ring.indices.dropLast() {
            let from = cross(place, vector(ring[index].latitude, ring[index].longitude))
            let to = cross(place, vector(ring[index + 1].latitude, ring[index + 1].longitude))
            sum += atan2(dot(place, cross(from, to)), dot(from, to))
        }
        return sum
    }

    @Test("generated stars agree with the sum of angles", arguments: seeds)
    func stars(seed: UInt64) throws {
        var generator = SeededNumbers(seed: seed)
        let center = (
            latitude: Double.random(in: -60...60, using: &generator),
            longitude: Double.random(in: -150...150, using: &generator)
        )
        let count = Int.random(in: 3...24, using: &generator)
        let size = seed % 3 == 0 ? 25.0 : seed % 3 == 1 ? 1 : 0.001
        // One vertex in each direction, at any distance: such a ring never crosses itself.
        var ring = (0..<count).map { index -> (latitude: Double, longitude: Double) in
            let angle = 2 * Double.pi * (Double(index) + 0.5) / Double(count)
            let distance = size * Double.random(in: 0.3...1, using: &generator)
            return (center.latitude + distance * sin(angle), center.longitude + distance * cos(angle))
        }
        ring.append(ring[0])
        if seed.isMultiple(of: 2) { ring.reverse() }
        let text = ring.map { "[\($0.longitude), \($0.latitude)]" }.joined(separator: ", ")
        let polygon: GeoRegion
        do {
            polygon = try region("geoPolygon({\(text)})")
        } catch let fault as GeoShapeFault {
            // On the sphere the edges bend: a thin star may cross itself after all.
            #expect(size > 1 && fault.reason.contains("cross"), "\(fault.reason)")
            return
        }
        for _ in 0..<300 {
            let latitude = center.latitude + size * 1.2 * Double.random(in: -1...1, using: &generator)
            let longitude = center.longitude + size * 1.2 * Double.random(in: -1...1, using: &generator)
            let isInside = abs(sumOfAngles(ring, latitude, longitude)) > 1
            #expect(contains(polygon, latitude, longitude) == isInside, "\(latitude) \(longitude)")
        }
        for place in ring { #expect(contains(polygon, place.latitude, place.longitude)) }
        #expect(
            !contains(polygon, -center.latitude, center.longitude > 0 ? center.longitude - 180 : center.longitude + 180)
        )
    }

    @Test("a ring around the pole, and one of nearly half the Earth")
    func large() throws {
        let cap = try region("geoPolygon({[0, 60], [90, 60], [180, 60], [-90, 60], [0, 60]})")
        #expect(contains(cap, 90, 0) && contains(cap, 75, 45) && !contains(cap, 50, 45) && !contains(cap, -90, 0))
        // The same ring the other way round is the same part: the smaller one.
        let reversed = try region("geoPolygon({[0, 60], [-90, 60], [180, 60], [90, 60], [0, 60]})")
        #expect(contains(reversed, 90, 0) && !contains(reversed, -90, 0))
        let half = try region("geoPolygon({[0, 1], [120, 1], [-120, 1], [0, 1]})")
        #expect(contains(half, 90, 0) && contains(half, 1.5, 0) && !contains(half, -1, 0) && !contains(half, -90, 0))
        let band = try region("geoPolygon({[0, -10], [100, -10], [170, -10], [170, 10], [100, 10], [0, 10], [0, -10]})")
        #expect(contains(band, 0, 50) && contains(band, 0, 169) && !contains(band, 0, -10) && !contains(band, 0, -130))
    }

    // MARK: - Rules

    private func fault(_ text: String) -> String {
        do {
            _ = try region(text)
            return "valid"
        } catch let fault as GeoShapeFault {
            return fault.reason
        } catch {
            return "\(error)"
        }
    }

    @Test("a shape that breaks a rule says which")
    func rules() {
        let square = "{[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]}"
        let outside =
            "Secondary ring 1 not contained by first exterior ring - secondary rings must be holes in the first ring"
        let table: [(String, String)] = [
            ("geoBox([0, 0], [0, 0])", "Ring 0 must have at least 3 different vertices"),
            ("geoBox([0, 91], [0, 0])", "Longitude/latitude is out of bounds, lng: 0.0 lat: 91.0"),
            ("geoCircle([0, 0], -1)", "The radius of a circle must be a non-negative number"),
            ("geoCircle([0, 0], nan)", "The radius of a circle must be a non-negative number"),
            ("geoPolygon({})", "Ring 0 has no points"),
            ("geoPolygon(\(square), {})", "Ring 1 has no points"),
            ("geoPolygon({[0, 0], [1, 0], [0, 1]})", "Ring 0 is not closed"),
            ("geoPolygon({[0, 0], [1, 0], [0, 0]})", "Ring 0 must have at least 3 different vertices"),
            ("geoPolygon({[0, 0], [4, 0], [2, 2], [4, 4], [0, 4], [2, 2], [0, 0]})", "'Duplicate vertices: 2 and 5'"),
            ("geoPolygon({[0, 0], [4, 4], [4, 0], [0, 4], [0, 0]})", "Ring 0 is not valid: 'Edges 0 and 2 cross'"),
            ("geoPolygon({[0, 0], [180, 0], [0, 50], [0, 0]})", "'Vertices 0 and 1 are antipodal'"),
            ("geoPolygon({[0, 0], [4, 0], [2, 0], [0, 0]})", "Edges touch each other"),
            ("geoPolygon(\(square), {[5, 5], [6, 5], [6, 6], [5, 5]})", outside),
            ("geoPolygon(\(square), {[1, 1], [6, 1], [1, 2], [1, 1]})", outside),
            ("geoPolygon(\(square), {[1, 0], [2, 0], [2, 2], [1, 0]})", outside),
            (
                "geoPolygon(\(square), {[0, 0], [4, 0], [1, 1], [0, 0]})",
                "Polygon isn't valid: 'Duplicate edge: ring 1, edge 0 and ring 0, edge 0'"
            ),
            (
                "geoPolygon(\(square), {[1, 1], [2, 1], [2, 2], [1, 1]}, {[2, 2], [2, 1], [3, 1], [2, 2]})",
                "Polygon isn't valid: 'Duplicate edge: ring 2, edge 0 and ring 1, edge 1'"
            ),
            (
                "geoPolygon(\(square), {[1, 1], [3, 1], [3, 2], [1, 2], [1, 1]}, {[2, 1.5], [2.5, 1.5], [2.5, 3], [2, 3], [2, 1.5]})",
                "Polygon isn't valid: 'Edges cross: ring 2 and ring 1'"
            ),
            (
                "geoPolygon(\(square), {[1, 1], [3, 1], [3, 3], [1, 3], [1, 1]}, {[1.5, 1.5], [2, 1.5], [2, 2], [1.5, 1.5]})",
                "Polygon interior rings cannot be nested: 2"
            ),
            (
                "geoPolygon(\(square), {[1.5, 1.5], [2, 1.5], [2, 2], [1.5, 1.5]}, {[1, 1], [3, 1], [3, 3], [1, 3], [1, 1]})",
                "Polygon interior rings cannot be nested: 1"
            ),
            // Holes may share vertices with the outer ring and with each other.
            ("geoPolygon(\(square), {[0, 0], [2, 1], [1, 2], [0, 0]}, {[1, 2], [2, 3], [1, 3], [1, 2]})", "valid"),
            // A place written twice in a row is written once.
            ("geoPolygon({[0, 0], [0, 0], [4, 0], [4, 4], [0, 0]})", "valid"),
        ]
        for (text, reason) in table {
            let found = fault(text)
            #expect(found.contains(reason), "\(text): \(found)")
        }
    }

    // MARK: - Text

    @Test("shapes are printed as they are read")
    func roundTrip() throws {
        for text in [
            "at GEOWITHIN geoBox([-122.7, 47.3], [-122.1, 48.1])",
            "NOT at GEOWITHIN geoCircle([-121.9, 47.3], 0.004363323)",
            "ANY places.at GEOWITHIN geoPolygon({[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 0.0]}, {[1.0, 0.5], [2.0, 0.5], [2.0, 1.0], [1.0, 0.5]})",
            "SUBQUERY(places, $x, $x.at GEOWITHIN geoCircle([0.0, 0.0], inf)).@count > 1",
        ] {
            let predicate = try Predicate.parse(text)
            #expect(predicate.description == text)
            #expect(try Predicate.parse(predicate.description) == predicate)
        }
        let shape = GeoShape.circle(center: GeoPosition(latitude: 1, longitude: 2), radians: 0.5)
        let written = try Predicate.parse("at GEOWITHIN geoCircle([2, 1], 0.5)")
        #expect(try Predicate.parse("at IN %@", arguments: [.shape(shape)]) == written)
        #expect(try Predicate.parse("at geowithin $0", arguments: [.shape(shape)]) == written)
        #expect(try Predicate.parse("at in GEOCIRCLE([2, 1, 700], %@)", arguments: [.value(.double(0.5))]) == written)
        // The words are names where nothing follows that makes a shape of them.
        #expect(try Predicate.parse("geoBox == 1 AND geoWithin == 2").description == "geoBox == 1 AND geoWithin == 2")
    }

    @Test("text that is no shape is refused where it goes wrong")
    func malformed() {
        for (text, expected) in [
            ("at GEOWITHIN 5", "a shape as an argument"), ("at GEOWITHIN geoBox([1, 2])", "the north-eastern corner"),
            ("at GEOWITHIN geoBox([1], [2])", "the latitude"), ("at GEOWITHIN geoCircle([1, 2], 'x')", "a number"),
            ("at GEOWITHIN geoPolygon([1, 2])", "a ring of points"),
            ("5 GEOWITHIN geoBox([1, 2], [3, 4])", "a key path"),
            ("at GEOWITHIN geoPolygon({[0, 0], })", "a point such as"),
            ("at == %@", "a value or a list of values"),
        ] {
            do {
                let shape = GeoShape.box(
                    southWest: .init(latitude: 0, longitude: 0), northEast: .init(latitude: 1, longitude: 1))
                _ = try Predicate.parse(text, arguments: [.shape(shape)])
                Issue.record("\(text) was read")
            } catch {
                #expect("\(error)".contains(expected), "\(text): \(error)")
            }
        }
        let long = "at GEOWITHIN geoPolygon({" + Array(repeating: "[0, 0]", count: 1001).joined(separator: ", ") + "})"
        #expect(throws: QueryError.self) { try Predicate.parse(long) }
    }
}
