import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import Testing

/// Lists and texts that forget what is gone below a horizon: RULES.md, section 12.
@Suite("Lists and texts that forget")
struct ForgettingTests {
    private static let seeds = SeedList.drawn(for: "forgetting", count: 60)

    /// A server that keeps every version, and forgets what was gone when the history was as long again.
    private struct Keeper<State> {
        var versions: [State]
        var mark: (version: Int, state: State)?
        let window: Int
        var newest: State { versions[versions.count - 1] }
        var horizon: Int { max(0, versions.count - 1 - window) }

        init(_ state: State, window: Int) {
            versions = [state]
            self.window = window
        }

        mutating func dueMark() -> State? {
            guard let (version, state) = mark, version <= horizon else { return nil }
            mark = nil
            return state
        }
    }

    /// What every writer has seen: at least the horizon, and what it wrote itself.
    private func base(_ numbers: inout SeededNumbers, _ own: Int, _ horizon: Int, _ newest: Int) -> Int {
        let least = max(own, horizon)
        return numbers.happens(percent: 50) ? newest : numbers.number(least...newest)
    }

    @Test("a list that forgets shows what it showed, and takes what was written without knowing", arguments: seeds)
    func lists(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var keeper = Keeper(ListState(), window: numbers.one(of: [1, 3, 8, 30]))
        var whole = ListState()
        var counters: [UInt64] = [0, 0, 0]
        var own = [0, 0, 0]
        for time in 1...120 as ClosedRange<UInt64> {
            let writer = numbers.below(3)
            let client = ClientID(UInt64(writer + 1))
            let base = base(&numbers, own[writer], keeper.horizon, keeper.versions.count - 1)
            var (mine, state) = (keeper.versions[base], keeper.newest)
            let isNewest = base == keeper.versions.count - 1
            for _ in 0..<numbers.number(1...4) {
                let operation: ListOperation
                let count = mine.count
                switch numbers.below(10) {
                case 0...4:
                    counters[writer] += 1
                    operation = mine.insertion(
                        of: .int(Int64(time)), at: numbers.below(count + 1),
                        id: ElementID(client: client, counter: counters[writer]))
                case 5...7 where count > 0: operation = mine.removal(at: numbers.below(count))
                case 8 where count > 1:
                    counters[writer] += 1
                    operation = mine.movement(
                        from: numbers.below(count), to: numbers.below(count),
                        id: ElementID(client: client, counter: counters[writer]))
                default: continue
                }
                let stamp = Stamp(time: time, client: client)
                mine.join(operation, stamp: stamp)
                state.join(operation, stamp: stamp)
                whole.join(operation, stamp: stamp)
            }
            if isNewest { #expect(state.visible.map(\.id) == mine.visible.map(\.id), "seed \(seed)") }
            keeper.versions.append(state)
            own[writer] = keeper.versions.count - 1
            if keeper.mark == nil, state.isWorthForgetting { keeper.mark = (own[writer], state.places) }
            if let mark = keeper.dueMark() {
                var shorter = state
                if shorter.forget(mark) {
                    #expect(shorter.visible.map(\.id) == state.visible.map(\.id), "seed \(seed)")
                    #expect(shorter.values == state.values, "seed \(seed)")
                    #expect(shorter.isOrderOfTree, "seed \(seed)")
                    #expect(try ListState(encoded: shorter.encoded()) == shorter, "seed \(seed)")
                    keeper.versions.append(shorter)
                }
            }
            #expect(Set(keeper.newest.visible.map(\.id)) == Set(whole.visible.map(\.id)), "seed \(seed)")
        }
    }

    @Test("a text that forgets shows what it showed, and takes what was written without knowing", arguments: seeds)
    func texts(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var keeper = Keeper(TextState(), window: numbers.one(of: [1, 3, 8, 30]))
        var whole = TextState()
        var counters: [UInt64] = [0, 0, 0]
        var own = [0, 0, 0]
        for _ in 0..<120 {
            let writer = numbers.below(3)
            let base = base(&numbers, own[writer], keeper.horizon, keeper.versions.count - 1)
            var (mine, state) = (keeper.versions[base], keeper.newest)
            let isNewest = base == keeper.versions.count - 1
            for _ in 0..<numbers.number(1...4) {
                var operations: [TextOperation]
                let count = mine.count
                if count == 0 || numbers.happens(percent: 55) {
                    let typed = String("abcdé👍".prefix(numbers.number(1...6)))
                    let id = ElementID(client: ClientID(UInt64(writer + 1)), counter: counters[writer] + 1)
                    counters[writer] += UInt64(typed.unicodeScalars.count)
                    operations = [mine.insert(typed, at: numbers.below(count + 1), id: id)].compactMap { $0 }
                } else {
                    let first = numbers.below(count)
                    operations = mine.remove(first..<min(count, first + numbers.number(1...6)))
                }
                for operation in operations {
                    state.join(operation)
                    whole.join(operation)
                }
            }
            if isNewest { #expect(state.string == mine.string, "seed \(seed)") }
            keeper.versions.append(state)
            own[writer] = keeper.versions.count - 1
            if keeper.mark == nil, state.isWorthForgetting { keeper.mark = (own[writer], state) }
            if let mark = keeper.dueMark() {
                var shorter = state
                if try shorter.forget(mark.encodedRuns()) {
                    #expect(shorter.string == state.string, "seed \(seed)")
                    #expect(shorter.isOrderOfTree, "seed \(seed)")
                    keeper.versions.append(shorter)
                }
            }
            #expect(
                keeper.newest.string.unicodeScalars.sorted() == whole.string.unicodeScalars.sorted(), "seed \(seed)")
        }
    }

    @Test("what a late writer puts into one place of a list stays one piece in its order", arguments: seeds)
    func lateElements(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let (early, late) = (ClientID(1), ClientID(2))
        var (list, device) = (ListState(), ListState())
        for step in 1...60 as ClosedRange<UInt64> {
            if step == 20 { device = list }
            let stamp = Stamp(time: step, client: early)
            let count = list.count
            if count == 0 || numbers.happens(percent: step < 20 ? 70 : 40) {
                let id = ElementID(client: early, counter: step)
                list.join(
                    list.insertion(of: .int(Int64(step)), at: numbers.below(count + 1), id: id), stamp: stamp)
            } else {
                list.join(list.removal(at: numbers.below(count)), stamp: stamp)
            }
        }
        let mark = list.places
        _ = list.forget(mark)
        let start = numbers.below(device.count + 1)
        for number in 0..<6 {
            let id = ElementID(client: late, counter: UInt64(number + 1))
            let insertion = device.insertion(of: .int(0), at: start + numbers.below(number + 1), id: id)
            let placed = list.placedByWhatIsKnown(insertion)
            let stamp = Stamp(time: 100, client: late)
            device.join(insertion, stamp: stamp)
            list.join(try #require(placed), stamp: stamp)
        }
        let run = device.visible.map(\.id).filter { $0.client == late }
        let seen = list.visible.map(\.id)
        let first = try #require(seen.firstIndex { $0.client == late })
        #expect(run.count == 6)
        #expect(Array(seen[first...].prefix(6)) == run, "seed \(seed)")
        #expect(list.isOrderOfTree, "seed \(seed)")
    }

    @Test("what a late writer types at one place of a text stays one piece in its order", arguments: seeds)
    func lateScalars(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var (text, device) = (TextState(), TextState())
        for step in 1...60 as ClosedRange<UInt64> {
            if step == 20 { device = text }
            let count = text.count
            if count == 0 || numbers.happens(percent: step < 20 ? 70 : 40) {
                let letter = String(Unicode.Scalar(UInt8(97 + step % 26)))
                let id = ElementID(client: ClientID(1), counter: step)
                _ = text.insert(letter, at: numbers.below(count + 1), id: id)
            } else {
                let index = numbers.below(count)
                _ = text.remove(index..<index + 1)
            }
        }
        let mark = text.encodedRuns()
        _ = try text.forget(mark)
        let start = numbers.below(device.count + 1)
        for (number, letter) in "ABCDEF".enumerated() {
            let id = ElementID(client: ClientID(2), counter: UInt64(number + 1))
            let typed = device.insert(String(letter), at: start + numbers.below(number + 1), id: id)
            let placed = text.placedByWhatIsKnown(try #require(typed))
            text.join(try #require(placed))
        }
        let run = device.string.filter(\.isUppercase)
        #expect(run.count == 6)
        #expect(text.string.split(whereSeparator: \.isLowercase).map { String($0) } == [run], "seed \(seed)")
        #expect(text.isOrderOfTree, "seed \(seed)")
    }

    @Test("what a late writer appends comes to the end, and what it puts before what is there comes before it")
    func lateByRight() throws {
        var text = TextState()
        _ = text.insert("ab", at: 0, id: ElementID(client: ClientID(1), counter: 1))
        var (appending, inserting) = (text, text)
        _ = text.insert("xy", at: 2, id: ElementID(client: ClientID(1), counter: 10))
        // Of “abxy”.
        _ = text.remove(0..<1)
        var emptied = text
        _ = emptied.remove(0..<1)
        let (mark, markOfEmptied) = (text.encodedRuns(), emptied.encodedRuns())
        let isForgotten = try text.forget(mark)
        let isForgottenOfEmptied = try emptied.forget(markOfEmptied)
        #expect(isForgotten && isForgottenOfEmptied)
        let appended = appending.insert("!", at: 2, id: ElementID(client: ClientID(2), counter: 1))
        let atEnd = emptied.placedByWhatIsKnown(try #require(appended))
        emptied.join(try #require(atEnd))
        #expect(emptied.string == "xy!")
        let inserted = inserting.insert("-", at: 1, id: ElementID(client: ClientID(2), counter: 1))
        let before = text.placedByWhatIsKnown(try #require(inserted))
        text.join(try #require(before))
        #expect(text.string == "-bxy")
    }

    @Test("of a list that was typed and emptied nothing is remembered, at once or behind what is newer")
    func nothing() {
        var list = ListState()
        let stamp = Stamp(time: 1, client: ClientID(1))
        for counter in 1...100 as ClosedRange<UInt64> {
            let id = ElementID(client: ClientID(1), counter: counter)
            list.join(list.insertion(of: .int(1), at: list.count, id: id), stamp: stamp)
        }
        list.join(list.clearing(), stamp: stamp)
        let mark = list.places
        let id = ElementID(client: ClientID(2), counter: 1)
        var later = list
        later.join(later.insertion(of: .int(2), at: 0, id: id), stamp: stamp)
        let isForgotten = list.forget(mark)
        #expect(isForgotten)
        #expect(list == ListState())
        let isForgottenLater = later.forget(mark)
        #expect(isForgottenLater)
        var alone = ListState()
        alone.join(alone.insertion(of: .int(2), at: 0, id: id), stamp: stamp)
        #expect(later == alone)
    }
}
