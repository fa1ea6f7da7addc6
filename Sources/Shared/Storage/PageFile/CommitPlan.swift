/// Which changes of a commit become pages, and which ones its header carries.
///
/// The header is written anyway, so what it carries costs the disk nothing. When it is full, all that it carried becomes
/// pages, together with what the commit changes. Large leaves never fit; then the header goes on carrying the changes of
/// trees, which are small, and only the leaves become pages.
struct CommitPlan {
    private(set) var pages = CommitChanges()
    private(set) var carried: CarriedChanges?

    /// A larger commit becomes pages without a closer look.
    private static let smallCommitBytes = 64 << 10
    /// A commit that replaces more pages than this becomes pages, however small it is, so that they can be used again.
    private static let replacedPagesMaximum = 16

    init(_ changes: WriteChanges, over base: PageSnapshot) {
        let (file, header) = (base.file, base.header)
        let own = CommitChanges(changes)
        let all = own.over(header.carried)
        defer { if carried == nil, file.mutation == .dropCarried { pages = own } }
        guard file.carriesChanges, changes.usedBytes <= Self.smallCommitBytes else {
            pages = all
            return
        }
        let (byteCount, entryBytes) = (CarriedChanges.byteCount(all), CarriedChanges.byteCount(all.entries))
        // Without pages the list of free pages stays as long as it is.
        let most = min(HeaderLayout.carriedLimit, HeaderLayout.recordLimit - header.freeSpace.inline.count)
        let room = HeaderLayout.recordLimit - HeaderLayout.inlineLimit
        if byteCount <= most, !Self.replacesMuch(own, of: base) {
            carried = all.isEmpty ? nil : CarriedChanges(all)
        } else if entryBytes <= room / 2, byteCount - entryBytes > room / 4 * 3,
            !Self.replacesMuch(CommitChanges(entries: own.entries), of: base)
        {
            pages = CommitChanges(leaves: all.leaves)
            carried = all.entries.isEmpty ? nil : CarriedChanges(CommitChanges(entries: all.entries))
        } else {
            pages = all
        }
    }

    private static func replacesMuch(_ changes: CommitChanges, of base: PageSnapshot) -> Bool {
        ChangeEffect(changes, trees: base.trees, directory: base.directory).replacedPages > replacedPagesMaximum
    }
}
