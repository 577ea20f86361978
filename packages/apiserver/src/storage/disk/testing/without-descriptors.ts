// A process of its own, for passing-faults.test.ts: takes every descriptor that there is, and then writes.
import { closeSync, openSync, readdirSync } from "node:fs"
import { systemClock } from "@pilothouse/seams/system"
import { diskStorage } from "../open.ts"

const directory = process.argv[2]!
const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Free ones are counted by taking them: /proc is not everywhere. */
function takeAll(): number[] {
  const taken: number[] = []
  try {
    for (;;) taken.push(openSync("/dev/null", "r"))
  } catch {
    return taken
  }
}

const free = takeAll()
for (const file of free) closeSync(file)
const storage = await diskStorage({ directory, clock: systemClock, segmentBytes: 2000 })
const flood = takeAll()
say(flood.length < free.length ? "no descriptor is free" : "the storage holds none")
let writing = true
/** As connections that wait to be accepted: whatever is closed is taken in the next turn. */
function takeOn(): void {
  if (!writing) return
  flood.push(...takeAll())
  setImmediate(takeOn)
}
takeOn()
const names = new Set<string>()
for (let count = 0; count < 60; count++) {
  const make = () => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x".repeat(300) } })
  await storage.commit([{ key: `/a/${count % 7}`, make }])
  if (count % 20 === 19) await storage.compact(storage.revision)
  // Reading a directory takes a descriptor too.
  closeSync(flood.pop()!)
  for (const name of readdirSync(directory)) names.add(name)
}
writing = false
const count = (kind: string) => [...names].filter((name) => name.startsWith(kind)).length
say(count("log") >= 5 && count("snapshot") > 0 ? "60 writes in at least 5 logs, a snapshot" : [...names].join(" "))
for (const file of flood) closeSync(file)
await storage.close()
const after = takeAll()
say(after.length >= free.length ? "as many descriptors as before" : `${after.length} of ${free.length} descriptors`)
for (const file of after) closeSync(file)
