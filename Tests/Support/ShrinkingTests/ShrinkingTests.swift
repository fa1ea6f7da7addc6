import CausewaySeeds
import CausewayShrinking
import Testing

@Suite struct ShrinkingTests {
    private func numbers(_ random: inout SeededNumbers) -> [Int] {
        (0..<random.number(0...40)).map { _ in random.below(1000) }
    }

    private func halves(_ number: Int) -> [Int] { number == 0 ? [] : [number / 2, number - 1] }

    @Test("what breaks a law is made as small as it gets")
    func minimal() throws {
        let law = Law("no two numbers are large") { random in
            self.numbers(&random)
        } smaller: { numbers in
            numbers.withLess() + numbers.withSmaller(self.halves)
        } broken: { numbers in
            numbers.filter { $0 >= 100 }.count >= 2 ? "\(numbers.count) numbers" : nil
        }
        let found = try #require(law.counterexample(seeds: 0..<20))
        #expect(found.minimal == [100, 100])
        #expect(found.how == "2 numbers")
        #expect(found.steps > 0)
        #expect("\(found)".contains("seed \(found.seed)"))
    }

    @Test("the seed that is named makes the case again")
    func seed() throws {
        var tried: [[Int]] = []
        let law = Law("few numbers") { random in
            self.numbers(&random)
        } smaller: { _ in
            []
        } broken: { numbers in
            tried.append(numbers)
            return numbers.count > 30 ? "many" : nil
        }
        let found = try #require(law.counterexample(seeds: 0..<100))
        var random = SeededNumbers(seed: found.seed)
        #expect(found.minimal == numbers(&random))
        #expect(tried.count == Int(found.seed) + 1)
    }

    @Test("a law that holds has no counterexample, and every seed is tried")
    func holds() {
        var count = 0
        let law = Law("anything") { random in
            self.numbers(&random)
        } smaller: {
            $0.withLess()
        } broken: { _ in
            count += 1
            return nil
        }
        #expect(law.counterexample(seeds: 5..<55) == nil)
        #expect(count == 50)
    }

    @Test("shrinking ends, even where what is smaller is not")
    func ends() throws {
        let law = Law("nothing", generate: { $0.below(10) }, smaller: { [$0] }, broken: { _ in "never" })
        #expect(try #require(law.counterexample(seeds: 0..<1)).steps > 0)
    }

    @Test("less of an array is every part of it left out, the largest first")
    func less() {
        #expect([Int]().withLess() == [])
        #expect([1].withLess() == [[]])
        #expect([1, 2, 3].withLess() == [[], [2, 3], [1, 3], [1, 2]])
        #expect([1, 2, 3, 4].withLess().prefix(3) == [[], [3, 4], [1, 2]])
        #expect([2, 0].withSmaller(halves) == [[1, 0], [1, 0]])
    }
}
