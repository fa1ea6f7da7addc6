import CausewayQueryOracle
import Testing

@Suite("Every operator and option on every type")
struct OperatorMatrixTests {
    @Test(
        "against constants of every type: answered as loops do, or refused with its sentence",
        arguments: OperatorMatrix.subjects)
    func constants(subject: OperatorMatrix.Subject) throws {
        var matrix = try OperatorMatrix(seed: 7)
        try matrix.runConstants(subject)
        print("\(subject): \(matrix.counts.answered) combinations answered, \(matrix.counts.refused) refused")
        #expect(matrix.counts.answered > 0)
        #expect(matrix.counts.answered + matrix.counts.refused > 1500)
    }

    @Test(
        "against properties of every type: answered as loops do, or refused with its sentence",
        arguments: OperatorMatrix.subjects)
    func pairs(subject: OperatorMatrix.Subject) throws {
        var matrix = try OperatorMatrix(seed: 8)
        try matrix.runPairs(subject)
        print("\(subject): \(matrix.counts.answered) pairs answered, \(matrix.counts.refused) refused")
        #expect(matrix.counts.answered + matrix.counts.refused == OperatorMatrix.subjects.count * 12 * 2)
    }
}
