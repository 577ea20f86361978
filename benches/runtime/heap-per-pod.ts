import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Bench, Row } from "../bench.ts"
import { podInformer } from "./pod-informer.ts"
import { podNumber, wireServer } from "./sample-pods.ts"

const count = 10_000
const goal = 4.3

/** How much memory does a pod take that came over the wire and stays in a cache? */
export const bench: Bench = {
  name: "heap per cached pod",
  async run(): Promise<readonly Row[]> {
    setFlagsFromString("--expose-gc")
    const collect: () => void = runInNewContext("gc")
    const parsed = await heapOf(collect, async () => listed())
    const cached = await heapOf(collect, async () => {
      const stopping = new AbortController()
      const { informer, run } = podInformer(wireServer(new TextEncoder().encode(listText())))
      void run(stopping.signal)
      await informer.synced(stopping.signal)
      stopping.abort()
      return informer
    })
    return [
      {
        what: "heap per cached pod; theirs: parsed and kept as it came",
        ours: cached,
        theirs: parsed,
        unit: "KiB",
        goal: `≤ ${goal} KiB`,
        met: cached <= goal,
      },
    ]
  },
}

/** Created for each side: strings that both share would be counted for one of them only. */
function listText(): string {
  const items = Array.from({ length: count }, (_, number) => {
    const { apiVersion: _version, kind: _kind, ...item } = podNumber(number)
    return item
  })
  return JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "2000000" }, items })
}

function listed(): Map<string, unknown> {
  const { items }: { items: { metadata: { name: string } }[] } = JSON.parse(listText())
  return new Map(items.map((item) => [item.metadata.name, item]))
}

/** KiB per pod that are still there when everything else is gone. */
async function heapOf(collect: () => void, make: () => Promise<unknown>): Promise<number> {
  const before = await settledHeap(collect)
  const kept = [await make()]
  const after = await settledHeap(collect)
  // Without this use the optimiser may free it before it was counted.
  if (kept.length === 0) throw new Error("nothing was kept")
  return (after - before) / count / 1024
}

/** One collection is not enough: what a finished promise or a closed stream held is freed a turn later. */
async function settledHeap(collect: () => void): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed
}
