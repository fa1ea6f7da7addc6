import CausewaySeeds
import CausewayStore
import Testing

@Suite("Finding what embedded objects are part of")
struct AscentTests {
    /// A tower whose floor 1 stands in the top, 0.
    private func top(
        of floor: Int, _ ascent: inout Ascent<Int>, _ steps: inout Int, isHeld: Bool = true
    ) -> Int? {
        ascent.top(of: floor) { floor in
            steps += 1
            if floor > 1 { return .part(floor - 1) }
            return isHeld ? .top(0) : nil
        }
    }

    @Test("two thousand floors take few steps each, in whatever order they are asked for")
    func tower() {
        var random = SeededNumbers(seed: 5)
        let floors = Array(1...2_000)
        for order in [floors, floors.reversed(), floors.shuffled(using: &random)] {
            var ascent = Ascent<Int>(depthMax: 256)
            var steps = 0
            for floor in order {
                let found = top(of: floor, &ascent, &steps)
                #expect(found == (floor <= 256 ? 0 : nil), "floor \(floor)")
            }
            // In the worst case a climb of 512 settles half of what it passed.
            #expect(steps <= 2 * floors.count + 512)
        }
    }

    @Test("what nothing holds has no top, nor has what is above it")
    func unheld() {
        var ascent = Ascent<Int>(depthMax: 256)
        var steps = 0
        for floor in 1...100 {
            let found = top(of: floor, &ascent, &steps, isHeld: false)
            #expect(found == nil)
        }
        #expect(steps == 100)
    }

    @Test("things that hold each other in a circle have no top")
    func circle() {
        var ascent = Ascent<Int>(depthMax: 256)
        for thing in 0..<5 {
            let found = ascent.top(of: thing) { .part(($0 + 1) % 5) }
            #expect(found == nil)
        }
    }
}
