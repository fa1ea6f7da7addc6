/// Texts in C's form that stay where they are, so that SQLite may read them there and copies none.
final class StableTexts {
    struct Text {
        let start: UnsafePointer<CChar>
        let count: Int32
    }

    private let texts: [Text]

    init(_ texts: [String]) {
        self.texts = texts.map { text in
            let bytes = Array(text.utf8CString)
            let start = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            start.initialize(from: bytes, count: bytes.count)
            return Text(start: start, count: Int32(bytes.count - 1))
        }
    }

    deinit {
        for text in texts { text.start.deallocate() }
    }

    subscript(_ index: Int) -> Text { texts[index] }
}
