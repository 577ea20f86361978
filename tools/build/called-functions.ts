// Makes a cluster of the built packages, as most tests use one, and prints which of their functions it called: {"…/runtime/dist/index.js": ["120:180"]}.
import { Session } from "node:inspector/promises"
import { fileURLToPath } from "node:url"

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
const { cluster } = await import("@pilothouse/testing")
// Every controller: that is what a test has that chooses none.
await using made = await cluster()
await made.settled()
const labels = { app: "web" }
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } }
const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } }
await made.apply(web)
await made.advance("1m")
const { result } = await session.post("Profiler.takePreciseCoverage")

const ours = result.filter(({ url }) => /\/packages\/[^/]+\/dist\//.test(url))
const called = ours.flatMap(({ url, functions }) => {
  // The first is the file itself.
  const spans = functions
    .slice(1)
    .flatMap(({ ranges: [whole] }) => (whole !== undefined && whole.count > 0 ? [`${whole.startOffset}:${whole.endOffset}`] : []))
  return spans.length === 0 ? [] : [[fileURLToPath(url), spans]]
})
console.log(JSON.stringify(Object.fromEntries(called)))
