import Causeway
import Foundation
import Testing

class Priced: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var price: Decimal128
    @Persisted var discount: Decimal128?
    @Persisted var tax: Decimal128 = 0.19
    @Persisted var offers: List<Decimal128>
    @Persisted var maybes: List<Decimal128?>
    @Persisted var whole: Int
    @Persisted var ratio: Double

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class IndexedPrice: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var price: Decimal128

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Decimal128")
struct DecimalTests {
    private func decimal(_ text: String) throws -> Decimal128 { try Decimal128(string: text) }

    private func filledRealm(_ name: String) throws -> Realm {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: name, objectTypes: [Priced.self]))
        try realm.write {
            try realm.create(
                Priced.self,
                value: [
                    "id": 1, "price": decimal("1.50"), "discount": decimal("0.1"), "offers": [1, 2.5, decimal("3.00")],
                    "maybes": [NSNull(), 4] as [Any], "whole": 2, "ratio": 1.5,
                ])
            realm.create(Priced.self, value: ["id": 2, "price": 10, "ratio": 0.1])
            realm.create(Priced.self, value: ["id": 3, "price": 0.1, "discount": NSNull(), "ratio": 0.1])
            realm.create(
                Priced.self, value: ["id": 4, "price": Decimal(string: "-7.25")!, "discount": "NaN" as Decimal128])
        }
        return realm
    }

    @Test("literals, texts and numbers become decimals")
    func making() throws {
        let float: Decimal128 = 19.99
        let integer: Decimal128 = -5
        let text: Decimal128 = "1E+3"
        #expect("\(float) \(integer) \(text)" == "19.99 -5 1E+3")
        #expect(try decimal("1.50").stringValue == "1.50")
        #expect(Decimal128().stringValue == "0")
        #expect(Decimal128(number: NSNumber(value: 0.1)) == 0.1)
        #expect(Decimal128(number: NSDecimalNumber(string: "123.45")).stringValue == "123.45")
        #expect(Decimal128(Decimal(string: "0.3")!) == 0.3)
        #expect(Decimal128(0.1).stringValue == "0.1" && Decimal128(7) == 7)
        #expect(Decimal128(value: 12) == 12 && Decimal128(value: "12.0") == 12 && Decimal128(value: 0.5) == 0.5)
        #expect(Decimal128(exactly: UInt64.max)?.stringValue == "18446744073709551615")
        #expect(try decimal("0.1").decimalValue == Decimal(string: "0.1"))
        #expect(try decimal("0.1").doubleValue == 0.1)
    }

    @Test("any other text is invalid input", arguments: ["", "x", "1,5", "0x10", "1.2.3", " 1"])
    func otherText(text: String) {
        #expect {
            _ = try Decimal128(string: text)
        } throws: { error in
            guard case Realm.Error.invalidInput = error else { return false }
            return error.localizedDescription.contains("Invalid Decimal128 string")
        }
    }

    @Test("arithmetic is decimal, and infinity and NaN are part of it")
    func calculating() throws {
        #expect(Decimal128(0.1) + 0.2 == 0.3)
        #expect("\((1.20 as Decimal128) * 3)" == "3.6")
        #expect("\(1 / 3 as Decimal128)" == "0.3333333333333333333333333333333333")
        var total: Decimal128 = 10
        total += 5
        total -= 1
        total *= 2
        total /= 8
        #expect(total == 3.5 && -total == -3.5 && (-total).magnitude == 3.5)
        #expect((1 / 0 as Decimal128).isInfinite && (0 / 0 as Decimal128).isNaN)
        #expect(Decimal128.maximumDecimalNumber * 10 > .maximumDecimalNumber)
        #expect(Decimal128.minimumDecimalNumber == -Decimal128.maximumDecimalNumber)
        #expect([3, 1.5, 2].sorted() == [1.5, 2, 3] as [Decimal128])
        #expect([1.0, 2.5, 0.5].reduce(0, +) == 4 as Decimal128)
        let nan = try decimal("NaN")
        #expect(nan != nan && !(nan <= nan) && !(nan >= nan) && !(nan < 1))
        #expect(try Set([decimal("1.0"), decimal("1.00"), 1]).count == 1)
    }

    @Test("a decimal is a string of JSON, and is read from numbers too")
    func coding() throws {
        let data = try JSONEncoder().encode([decimal("1.50")])
        #expect(String(decoding: data, as: UTF8.self) == "[\"1.50\"]")
        #expect(try JSONDecoder().decode([Decimal128].self, from: data)[0].stringValue == "1.50")
        #expect(try JSONDecoder().decode([Decimal128].self, from: Data("[2, 0.5]".utf8)) == [2, 0.5])
    }

    @Test("properties, optionals and lists keep every digit")
    func persisted() throws {
        let realm = try filledRealm("decimals persisted")
        let first = try #require(realm.object(ofType: Priced.self, forPrimaryKey: 1))
        #expect(first.price.stringValue == "1.50")
        #expect(first.discount == 0.1 && first.tax == 0.19)
        #expect(first.offers.map(\.stringValue) == ["1", "2.5", "3.00"])
        #expect(first.maybes[0] == nil && first.maybes[1] == 4)
        let second = try #require(realm.object(ofType: Priced.self, forPrimaryKey: 2))
        #expect(second.discount == nil && second.price == 10)
        #expect(realm.object(ofType: Priced.self, forPrimaryKey: 4)?.price.stringValue == "-7.25")
        try realm.write {
            first.price = 1 / 3
            first.discount = nil
            first.offers[0] += 1
            first.offers.append(7)
        }
        #expect(first.price.stringValue == "0.3333333333333333333333333333333333")
        #expect(first.discount == nil && Array(first.offers) == [2, 2.5, 3, 7])
        #expect(first.description.contains("price = 0.3333333333333333333333333333333333;"))
        #expect(Priced().price.stringValue == "0")
    }

    @Test("queries compare decimals with numbers of every kind")
    func queries() throws {
        let realm = try filledRealm("decimals queried")
        let all = realm.objects(Priced.self)
        func ids(_ results: Results<Priced>) -> [Int] { results.map(\.id).sorted() }
        #expect(ids(all.filter("price == 1.5")) == [1])
        #expect(ids(all.filter("price == 0.1")) == [3])
        #expect(try ids(all.filter("price < %@", decimal("1.5"))) == [3, 4])
        #expect(ids(all.filter("price >= %@", 1)) == [1, 2])
        #expect(try ids(all.filter("price IN %@", [decimal("10.00"), 0.1])) == [2, 3])
        #expect(ids(all.filter("price BETWEEN {0, 2}")) == [1, 3])
        #expect(ids(all.filter("price > %@", Decimal(string: "1.49")!)) == [1, 2])
        #expect(ids(all.filter("price < %@", NSDecimalNumber(string: "0"))) == [4])
        #expect(ids(all.filter("discount == nil")) == [2, 3])
        #expect(ids(all.filter("discount != nil")) == [1, 4])
        #expect(ids(all.filter("discount <= 1")) == [1])
        #expect(ids(all.filter("price < whole")) == [1, 4])
        #expect(ids(all.filter("price == ratio")) == [1, 3])
        #expect(ids(all.filter("ANY offers == 3")) == [1])
        #expect(ids(all.filter("offers.@sum == 6.5")) == [1])
        #expect(ids(all.filter("offers.@avg > 2")) == [1])
        #expect(try ids(all.filter("whole == %@", decimal("2.0"))) == [1])
        #expect(ids(all.where { $0.price > 1 && $0.price <= 10 }) == [1, 2])
        #expect(ids(all.where { $0.discount == 0.1 }) == [1])
        #expect(ids(all.where { $0.price.contains(0...2) }) == [1, 3])
        #expect(ids(all.where { $0.price.in([10, 0.1]) }) == [2, 3])
        #expect(ids(all.where { $0.offers.contains(2.5) }) == [1])
        #expect(ids(all.where { $0.offers.max == 3 }) == [1])
    }

    @Test("order, distinct values and aggregates are exact")
    func aggregates() throws {
        let realm = try filledRealm("decimals aggregated")
        let all = realm.objects(Priced.self)
        #expect(all.sorted(by: \.price).map(\.id) == [4, 3, 1, 2])
        #expect(all.sorted(byKeyPath: "discount").map(\.id) == [2, 3, 4, 1])
        #expect(all.sorted(byKeyPath: "discount", ascending: false).map(\.id).first == 1)
        #expect(all.distinct(by: ["tax"]).count == 1)
        #expect(all.sum(of: \.price).stringValue == "4.35")
        #expect(all.min(of: \.price) == -7.25 && all.max(of: \.price) == 10)
        let average: Decimal128? = all.average(ofProperty: "price")
        #expect(average?.stringValue == "1.0875")
        let first = try #require(realm.object(ofType: Priced.self, forPrimaryKey: 1))
        #expect(first.offers.sum() == 6.5 && first.offers.max() == 3 && first.offers.min() == 1)
        let mean: Decimal128? = first.offers.average()
        #expect(mean == Decimal128(6.5) / 3)
        #expect(first.offers.sorted(ascending: false).map(\.stringValue) == ["3.00", "2.5", "1"])
        #expect(realm.objects(Priced.self).filter("id > 100").sum(of: \.price) == 0)
    }

    @Test("a file keeps decimals, and a property that was added holds zero")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("decimals-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("prices.realm")
        try {
            let realm = try Realm(configuration: .init(fileURL: file, objectTypes: [IndexedPrice.self]))
            try realm.write {
                for id in 0..<2000 { realm.create(IndexedPrice.self, value: ["id": id, "price": Decimal128(id) / 8]) }
            }
        }()
        let realm = try Realm(configuration: .init(fileURL: file, objectTypes: [IndexedPrice.self]))
        let prices = realm.objects(IndexedPrice.self)
        #expect(prices.filter("price < 1").count == 8)
        #expect(prices[1999].price == 249.875)
        #expect(prices.sum(of: \.price) == 249_875)
    }
}
