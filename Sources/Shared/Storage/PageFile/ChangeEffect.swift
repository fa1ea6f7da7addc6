/// What changes do to what the pages of a state hold.
struct ChangeEffect {
    /// By how much they raise the numbers of entries and leaves.
    private(set) var entries = 0
    private(set) var leaves = 0
    /// The pages of leaves and of long values that they replace.
    private(set) var replacedPages = 0

    init(_ changes: CommitChanges, trees: TreeReader, directory: LeafDirectory) {
        for entry in changes.entries {
            let slot = trees.slot(tree: entry.tree, key: entry.key)
            entries += (entry.isRemoval ? 0 : 1) - (slot == nil ? 0 : 1)
            if let slot, slot.valueField & TreeNode.longFlag != 0 {
                replacedPages += PagePointer.load(from: slot.valueStart).pageCount(.run)
            }
        }
        for leaf in changes.leaves {
            let pointer = directory.pointer(column: leaf.place.column, number: leaf.place.number)
            leaves += (leaf.bytes == nil ? 0 : 1) - (pointer == nil ? 0 : 1)
            replacedPages += pointer?.pageCount(.run) ?? 0
        }
    }
}
