// A process that is going to be killed: writes as fast as it can, and prints what was acknowledged.
//   writer.ts <directory> <seed>
// "opening", then "seen …" for each change that a watcher got, and "done …" for each write that was acknowledged.
import { writeSync } from "node:fs"
import type { KubeObject } from "@pilothouse/api"
import { diskStorage, type Revision, type Write } from "@pilothouse/apiserver"
import { seededRandom } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"

const [directory = "", seed = "0"] = process.argv.slice(2)
const random = seededRandom(Number(seed))
const writers = 8
const keys = 40

/** One system call, so that what was said before the end is with the parent. */
const say = (line: string) => void writeSync(1, `${line}\n`)

say("opening")
// Short logs, so that new ones and snapshots are often under way at the end; and in every other life so little history that it is cut all the time.
const bound = random.int(2) === 0 ? {} : { historyBytes: 100_000 }
const storage = await diskStorage({ directory, clock: systemClock, segmentBytes: 20_000, ...bound })
storage.watch("/", storage.revision, ({ type, key, revision, value }) => say(`seen ${revision} ${type} ${key} ${value.metadata.name}`))
await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))

/** Each writer has its own keys, and expects what was acknowledged last. */
async function write(writer: number): Promise<void> {
  const known = new Map<string, Revision>()
  for (;;) {
    const names = new Set(Array.from({ length: 1 + random.int(3) }, () => `/w${writer}/${random.int(keys)}`))
    const writes = [...names].map((key) => writeOf(key, known.get(key) ?? storage.get(key)?.revision ?? 0))
    const result = await storage.commit(writes)
    if (!result.ok) throw new Error(`a conflict at ${result.key}, where no other client writes: ${JSON.stringify(result.current)}`)
    result.stored.forEach(({ key, revision, value }, index) => {
      const deletes = writes[index]!.deletes === true
      known.set(key, deletes ? 0 : revision)
      say(`done ${revision} ${deletes ? "delete" : "put"} ${key} ${value.metadata.name}`)
    })
    if (random.int(100) === 0) void storage.compact(storage.revision - random.int(200))
  }
}

function writeOf(key: string, expected: Revision): Write {
  const name = `${random.letters(10)}${"x".repeat(random.int(400))}`
  const make = (revision: Revision): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, resourceVersion: String(revision) },
  })
  return { key, expected, make, deletes: expected > 0 && random.int(4) === 0 }
}
