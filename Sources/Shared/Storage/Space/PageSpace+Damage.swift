extension PageSpace {
    /// For a page that has its checksum and still cannot be right: what was damaged first, or this.
    func damaged(_ what: String) -> StorageError {
        damage
            ?? StorageError(
                .damaged,
                "\(what). Restore the file from a copy.", path: path)
    }
}
