extension PageSpace {
    /// The error for a page whose checksum is right but whose content is not: the first damage of the space, or else
    /// this.
    func damaged(_ what: String) -> StorageError {
        damage
            ?? StorageError(
                .damaged,
                "\(what). Restore the file from a copy.", path: path)
    }
}
