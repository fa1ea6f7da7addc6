import CausewaySync

extension SyncDriver {
    func addProgressObserver(_ observer: ProgressObserver) {
        var observer = observer
        observer.report(observer.direction == .upload ? uploadProgress : downloadProgress)
        if !observer.isFinished { progressObservers.append(observer) }
    }

    func reportProgress() {
        guard !progressObservers.isEmpty else { return }
        let (upload, download) = (uploadProgress, downloadProgress)
        for index in progressObservers.indices {
            progressObservers[index].report(progressObservers[index].direction == .upload ? upload : download)
        }
        progressObservers.removeAll(where: \.isFinished)
    }
}
