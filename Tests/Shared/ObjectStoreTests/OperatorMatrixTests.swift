import CausewayQueryOracle
import CausewaySeeds
import Testing

@Suite("Every operator and option on every type")
struct OperatorMatrixTests {
    private static let seeds = SeedList.drawn(for: "operator-matrix", count: 1)

    @Test(
        "against constants of every type: answered as loops do, or refused with its sentence",
        arguments: OperatorMatrix.subjects, seeds)
    func constants(subject: OperatorMatrix.Subject, seed: UInt64) throws {
        var matrix = try OperatorMatrix(seed: seed)
        try matrix.runConstants(subject)
        print("\(subject): \(matrix.counts.answered) combinations answered, \(matrix.counts.refused) refused")
        #expect(matrix.counts.answered > 0)
        #expect(matrix.counts.answered + matrix.counts.refused > 1500)
    }

    @Test(
        "against properties of every type: answered as loops do, or refused with its sentence",
        arguments: OperatorMatrix.subjects, seeds)
    func pairs(subject: OperatorMatrix.Subject, seed: UInt64) throws {
        var matrix = try OperatorMatrix(seed: seed)
        try matrix.runPairs(subject)
        print("\(subject): \(matrix.counts.answered) pairs answered, \(matrix.counts.refused) refused")
        #expect(matrix.counts.answered + matrix.counts.refused == OperatorMatrix.subjects.count * 12 * 2)
    }
}
