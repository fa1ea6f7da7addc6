import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@Suite("Uploads that no device of ours would send")
struct HostileTests {
    private static let seeds = SeedList.drawn(for: "circles", count: 40)

    @Test("embedded objects that hold each other in circles, or that two objects hold, never stop the server")
    func circles() throws {
        for seed in Self.seeds {
            let view = try View()
            var state = seed
            func below(_ bound: UInt64) -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (state >> 33) % bound
            }
            func node() -> ObjectReference {
                ObjectReference("Node", .container(ElementID(client: View.bob, counter: below(5))))
            }
            for _ in 0..<25 {
                let operations = (0..<1 + below(4)).map { _ -> Operation in
                    let task = task(Int64(below(3)))
                    switch below(9) {
                    case 0: return make(task, ("node", .link(node().key)))
                    case 1: return make(node(), ("next", .link(node().key)))
                    case 2: return make(node())
                    case 3: return change(node(), "next", below(4) == 0 ? .null : .link(node().key))
                    case 4: return change(task, "node", .link(node().key))
                    case 5: return .delete(below(2) == 0 ? task : node(), life: below(2) == 0 ? 2 : 4)
                    case 6: return make(task, life: 3)
                    default:
                        let id = ElementID(client: View.bob, counter: 100 + below(1_000))
                        return .list(
                            node(), property: "all", .insert(id, left: nil, right: nil, value: .link(node().key)))
                    }
                }
                // Most circles and second holders are refused by now; what gets through must not hurt.
                try view.write(below(2) == 0 ? View.ann : View.bob, base: below(30), operations)
            }
            let all = [tasks("TRUEPREDICATE")]
            for version in 0...view.record.version.rawValue {
                for client in [View.ann, View.bob] {
                    _ = try view.difference(from: version, all, all, for: client)
                    _ = try view.difference(from: version, [tasks("node == nil")], all, for: client, bytes: 1)
                }
            }
        }
    }
}
