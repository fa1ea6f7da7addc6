import CausewayQuery
import Foundation

/// Case and diacritics by what Foundation and the standard library know of characters.
enum NaiveFolding {
    static func folded(_ text: String, _ options: TextOptions) -> String {
        var scalars = Array(text.unicodeScalars)
        if options.contains(.diacriticInsensitive) { scalars = scalars.compactMap(base) }
        if options.contains(.caseInsensitive) { scalars = scalars.map(caseFolded) }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The one letter that is left without marks; nil where nothing is.
    private static func base(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar.isASCII { return scalar }
        let letters = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.filter {
            $0.properties.canonicalCombiningClass == .notReordered
        }
        return letters.count > 1 ? scalar : letters.first
    }

    /// The small letter of the capital one, so that ς is σ. İ is i; ı, whose capital is I too, stays.
    private static func caseFolded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar == "\u{130}" { return "i" }
        if scalar == "\u{131}" { return scalar }
        let capital = single(scalar.properties.uppercaseMapping) ?? scalar
        return single(capital.properties.lowercaseMapping) ?? capital
    }

    private static func single(_ mapping: String) -> Unicode.Scalar? {
        mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
    }
}
