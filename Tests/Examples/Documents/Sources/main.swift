import RealmSwift

// A walk through the documents: each line is one of their expressions, with what they say that it finds.

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("documents-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
Realm.Configuration.defaultConfiguration.fileURL = folder.appendingPathComponent("documents.realm")

let realm = try Realm()
try create(in: realm)
read(from: realm)
filter(realm)
try update(in: realm)
try await react(in: realm)
print("documents: OK")
