import CausewayModel
import CausewayObjectStore
import Testing

@testable import CausewayDaemon

@Suite("Objects as sync-server query prints them")
struct RowTextTests {
    @Test("a map is printed with its keys, an embedded object in its place, a link as the key of its object")
    func everyShape() throws {
        let store = try ObjectStore.open(path: "row text", options: ObjectStore.Options(inMemory: true))
        let transaction = try store.write()
        defer { transaction.end() }
        try transaction.extendSchema(
            Schema([
                ClassSchema(
                    name: "Box",
                    properties: [
                        Property(name: "_id", type: .string, isPrimaryKey: true),
                        Property(name: "scores", type: .int, collection: .map, isOptional: true),
                        Property(name: "labels", type: .string, collection: .list),
                        Property(name: "next", type: .object, isOptional: true, target: "Box"),
                        Property(name: "sites", type: .object, collection: .map, isOptional: true, target: "Site"),
                        Property(name: "weight", type: .double),
                    ]),
                ClassSchema(name: "Site", kind: .embedded, properties: [Property(name: "city", type: .string)]),
            ]))
        let boxes = try #require(transaction.table("Box"))
        let sites = try #require(transaction.table("Site"))
        func column(_ name: String) throws -> Int { try #require(boxes.schema.index(of: name)) }
        let box = try boxes.create(.string("a"))
        boxes.mapPut(box, try column("scores"), "two \"2\"", .int(2))
        boxes.mapPut(box, try column("scores"), "none", .null)
        boxes.listAppend(box, try column("labels"), .string("x\ny"))
        boxes.set(box, try column("next"), .object(box))
        boxes.set(box, try column("weight"), .double(.nan))
        let site = try sites.create(.container(ElementID(client: ClientID(1), counter: 1)))
        sites.set(site, 0, .string("Ulm"))
        boxes.mapPut(box, try column("sites"), "home", .object(site))
        #expect(
            RowText.json(box, boxes, transaction)
                == #"{"_id":"a","scores":{"none":null,"two \"2\"":2},"labels":["x\ny"],"next":"a","#
                + #""sites":{"home":{"city":"Ulm"}},"weight":"nan"}"#)
    }
}
