// The other way to keep writes: rows of a SQLite table, in a thread of its own. One message is one transaction.
import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

const database = new DatabaseSync(workerData as string)
database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE log(id INTEGER PRIMARY KEY, name TEXT, value TEXT)")
const insert = database.prepare("INSERT INTO log VALUES(?,?,?)")
parentPort?.on("message", (rows: readonly (readonly [number, string, string])[]) => {
  database.exec("BEGIN")
  for (const row of rows) insert.run(...row)
  database.exec("COMMIT")
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage("done")
})
