import CausewayMerge
import CausewayModel
import CausewayOpLog
import CausewayOperations
import CausewaySeeds
import Testing

/// Random edits on several devices with uploads and downloads at random, against a naive server.
@Suite struct ConvergenceTests {
    private static let seeds = SeedList.drawn(for: "convergence", count: 300)

    private static let views = [
        View.everything, View(counts: 0...1, withDone: true), View(counts: .min ... .max, withDone: false),
        View(counts: 2...3, withDone: false, withPeople: false),
    ]

    @Test(
        "devices show the server's state plus what they have pending, and in the end exactly their view",
        arguments: 0..<6)
    func converges(_ block: Int) throws {
        for seed in Self.seeds.part(block, of: 6) {
            try run(seed)
        }
    }

    private func run(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let server = NaiveServer()
        let devices = try (1...3).map { number in
            try Device(UInt64(number), wanted: ConvergenceTests.views.randomElement(using: &random)!)
        }
        // One clock is an hour ahead, one an hour behind.
        if Bool.random(using: &random) {
            devices[0].clockSkew = 3_600_000
            devices[1].clockSkew = -900_000
        }
        for step in 0..<60 {
            server.now += .random(in: 0...50, using: &random)
            let device = devices.randomElement(using: &random)!
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: try AppActions.act(on: device, &random, at: server.now)
            case 5, 6:
                // Some of what is pending arrives, perhaps a second time.
                let changesets = try device.pending()
                server.commit(Array(changesets.prefix(.random(in: 0...changesets.count, using: &random))))
            case 7 where Int.random(in: 0..<4, using: &random) == 0:
                device.wanted = ConvergenceTests.views.randomElement(using: &random)!
            default:
                try device.apply(server.change(for: device))
                try check(device, server, "seed \(seed), step \(step), device \(device.client.rawValue)")
            }
        }
        for device in devices { server.commit(try device.pending()) }
        for device in devices {
            try device.apply(server.change(for: device))
            let comment = "seed \(seed), end, device \(device.client.rawValue)"
            try check(device, server, comment)
            #expect(try device.pending().isEmpty, "\(comment)")
            for tree in ["sync.log", "sync.touched", "sync.bases", "sync.fresh", "sync.due", "sync.left"] {
                #expect(try device.bookkeeping(tree) == 0, "\(comment): \(tree) is not empty")
            }
            #expect(try device.orphanCount == 0, "\(comment): embedded objects that nothing holds stay behind")
        }
    }

    /// [I3] [I4] [I9]: right after a view change.
    func check(_ device: Device, _ server: NaiveServer, _ comment: String) throws {
        var pending: [ObjectReference: [(Operation, Stamp)]] = [:]
        for changeset in try device.pending() {
            for operation in changeset.operations {
                pending[operation.target, default: []].append((operation, changeset.stamp))
            }
        }
        let visible = try device.visible
        let names = Set(server.current.keys).union(visible.keys).union(pending.keys)
        for object in names.sorted(by: { ($0.className, $0.key) < ($1.className, $1.key) })
        where object.className != "Address" {
            var state = server.current[object] ?? ObjectState()
            let isInView = device.wanted.contains(object, state)
            if let operations = pending[object] {
                // Out of view the base is what the device last knew, so only objects in view can be compared.
                guard isInView else { continue }
                for (operation, stamp) in operations { state.join(operation, stamp: stamp) }
                let expected = state.isAlive ? shown(state) : nil
                #expect(visible[object] == expected, "\(comment): \(object) with pending \(operations)")
            } else {
                #expect(visible[object] == (isInView ? shown(state) : nil), "\(comment): \(object)")
                if isInView, object.className == "Note" {
                    let text = try device.text(object, "body")
                    #expect(text == state.text("body") ?? TextState(), "\(comment): the runs of \(object)")
                }
            }
            guard pending[object] == nil, isInView, case .link(let key) = state["home"]?.value else { continue }
            let child = ObjectReference("Address", key)
            guard pending[child] == nil, let childState = server.current[child] else { continue }
            #expect(visible[child] == VisibleObject(childState), "\(comment): \(child) in \(object)")
        }
    }

    /// A note that was created without values shows zeros.
    private func shown(_ state: ObjectState) -> VisibleObject { VisibleObject(state) }
}
