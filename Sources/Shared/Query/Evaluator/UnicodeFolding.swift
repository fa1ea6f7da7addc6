/// Case and diacritics of the code points from U+0250 on: simple case folding, and canonical decomposition without marks.
///
/// The tables are a part of the program and do not come from the system, so that a device and a server never differ.
/// They are found by pages of 256 code points; pages without letters that fold share one.
struct UnicodeFolding: Sendable {
    static let table = UnicodeFolding()

    /// The difference stored for a code point with nothing to fold.
    private static let none: Int32 = 0
    /// A mark, which folds to nothing.
    private static let mark = Int32.max

    private static let pageCount = 0x11_0000 >> 8
    private var casePages = [UInt8](repeating: 0, count: pageCount)
    private var basePages = [UInt8](repeating: 0, count: pageCount)
    private var cases = [Int32](repeating: none, count: 256)
    private var bases = [Int32](repeating: none, count: 256)

    private init() {
        Self.fill(Self.caseRuns, &casePages, &cases)
        Self.fill(Self.baseRuns, &basePages, &bases)
        for start in stride(from: 0, to: Self.markRanges.count, by: 2) {
            for code in Self.markRanges[start]...Self.markRanges[start + 1] {
                Self.set(code, Self.mark, &basePages, &bases)
            }
        }
    }

    private static func fill(_ runs: [Int32], _ pages: inout [UInt8], _ differences: inout [Int32]) {
        for start in stride(from: 0, to: runs.count, by: 4) {
            for code in stride(from: runs[start], through: runs[start + 1], by: Int(runs[start + 2])) {
                set(code, runs[start + 3], &pages, &differences)
            }
        }
    }

    private static func set(_ code: Int32, _ difference: Int32, _ pages: inout [UInt8], _ differences: inout [Int32]) {
        let page = Int(code >> 8)
        if pages[page] == 0 {
            pages[page] = UInt8(differences.count >> 8)
            differences += [Int32](repeating: none, count: 256)
        }
        differences[Int(pages[page]) << 8 | Int(code & 0xFF)] = difference
    }

    @inline(__always)
    func caseFolded(_ code: UInt32) -> UInt32 {
        let difference = cases[Int(casePages[Int(code >> 8)]) << 8 | Int(code & 0xFF)]
        return UInt32(truncatingIfNeeded: Int32(truncatingIfNeeded: code) &+ difference)
    }

    /// The letter without its marks; nil for a mark itself.
    @inline(__always)
    func base(_ code: UInt32) -> UInt32? {
        let difference = bases[Int(basePages[Int(code >> 8)]) << 8 | Int(code & 0xFF)]
        return difference == Self.mark
            ? nil : UInt32(truncatingIfNeeded: Int32(truncatingIfNeeded: code) &+ difference)
    }
}
