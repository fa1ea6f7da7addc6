import Testing

@testable import Causeway

@Suite("What is taken for granted of Swift's layout")
struct RuntimeLayoutTests {
    @Test("holds with this version of Swift", arguments: RuntimeLayout.allCases)
    func holds(_ assumption: RuntimeLayout) {
        #expect(assumption.holds)
    }
}
