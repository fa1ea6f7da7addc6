import Testing

@testable import CausewayTelemetry

@Suite("The budget of log lines")
struct LineBudgetTests {
    @Test("of one kind and address a few pass, and the summary counts the others")
    func source() {
        var budget = LineBudget()
        let passed = (0..<1_000).count { _ in budget.admits("refused", from: "10.0.0.1") }
        #expect(passed == LineBudget.linesOfSource)
        let others = [budget.admits("refused", from: "10.0.0.2"), budget.admits("opened", from: "10.0.0.1")]
        #expect(others == [true, true])
        let summaries = budget.end(at: 0)
        #expect(summaries == [.init(kind: "refused", address: "10.0.0.1", suppressed: 1_000 - passed)])
        let nothing = budget.end(at: 0)
        #expect(nothing == [])
    }

    @Test("however many addresses there are, lines and summaries have a bound, and nothing is lost")
    func manySources() {
        var budget = LineBudget()
        let count = 3 * LineBudget.sourcesMax
        let passed = (0..<count).count { budget.admits("refused", from: "10.\($0 >> 8).\($0 & 255)") }
        #expect(passed == LineBudget.linesOfKind)
        let summaries = budget.end(at: 0)
        #expect(summaries.count <= LineBudget.summariesMax + 1)
        #expect(summaries.reduce(0) { $0 + $1.suppressed } + passed == count)
    }

    @Test("a window ends after its time and not before")
    func window() {
        var budget = LineBudget()
        let first = budget.ended(at: 5)
        for _ in 0..<20 { _ = budget.admits("a", from: "b") }
        let early = budget.ended(at: 4 + LineBudget.windowMilliseconds)
        let inTime = budget.ended(at: 5 + LineBudget.windowMilliseconds)
        let isAdmitted = budget.admits("a", from: "b")
        #expect(first == [] && early == nil)
        #expect(inTime == [.init(kind: "a", address: "b", suppressed: 10)])
        #expect(isAdmitted)
    }
}
