// Makes a cluster of the built packages and prints which of their functions it called: {"…/runtime/dist/index.js": [120, 4711]}.
import { Session } from "node:inspector/promises"
import { fileURLToPath } from "node:url"

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
const { cluster } = await import("@pilothouse/testing")
// What one needs whatever loops are chosen: those are many, and a test chooses few.
await using made = await cluster({ controllers: ["deployment", "replicaset"] })
await made.settled()
const { result } = await session.post("Profiler.takePreciseCoverage")

const ours = result.filter(({ url }) => /\/packages\/[^/]+\/dist\//.test(url))
const called = ours.map(({ url, functions }) => [
  fileURLToPath(url),
  functions.flatMap(({ ranges: [whole] }) => (whole !== undefined && whole.count > 0 ? [whole.startOffset] : [])),
])
console.log(JSON.stringify(Object.fromEntries(called)))
