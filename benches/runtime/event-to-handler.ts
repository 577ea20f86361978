import type { Bench, Row } from "../bench.ts"
import { atMost } from "../beside.ts"
import { podInformer } from "./pod-informer.ts"
import { cpuOf, podList, podNumber, wireServer } from "./sample-pods.ts"

const pods = 1000
const events = 5000
const chunkSize = 65_536
const maxRatio = 1.43

/** How many watch events a second go from the bytes of a connection to a handler, beside splitting and parsing the same bytes alone? */
export const bench: Bench = {
  name: "watch event to handler",
  async run(): Promise<readonly Row[]> {
    const chunks = chunksOf(stream())
    const list = podList(pods)
    const { bare, whole, listing } = await cpuOf(15, {
      bare: () => splitAndParse(chunks),
      whole: () => throughInformer(list, chunks),
      listing: () => throughInformer(list, []),
    })
    const [ours, theirs] = [(events / (whole - listing)) * 1000, (events / bare) * 1000]
    return [atMost(maxRatio, "watch events to a handler; theirs: split and parse alone", "events per CPU-second", { ours, theirs })]
  },
}

function stream(): Uint8Array {
  const lines = Array.from({ length: events }, (_, at) => {
    const pod = podNumber(at % pods)
    const object = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(2_000_000 + at) } }
    return `${JSON.stringify({ type: "MODIFIED", object })}\n`
  })
  return new TextEncoder().encode(lines.join(""))
}

function chunksOf(bytes: Uint8Array): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += chunkSize) chunks.push(bytes.subarray(at, at + chunkSize))
  return chunks
}

function splitAndParse(chunks: readonly Uint8Array[]): void {
  const decoder = new TextDecoder()
  const kept = new Map<string, unknown>()
  let rest = ""
  for (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const event: { object: { metadata: { name: string } } } = JSON.parse(line)
      kept.set(event.object.metadata.name, event)
    }
  }
}

async function throughInformer(list: Uint8Array, chunks: readonly Uint8Array[]): Promise<void> {
  const stopping = new AbortController()
  const { informer, run } = podInformer(wireServer(list, chunks))
  let told = 0
  const done = Promise.withResolvers<void>()
  informer.addHandler((_change, initial) => {
    if (!initial) told++
    if (told === events) done.resolve()
  })
  const running = run(stopping.signal)
  await informer.synced(stopping.signal)
  if (chunks.length > 0) await done.promise
  stopping.abort()
  await running
}
