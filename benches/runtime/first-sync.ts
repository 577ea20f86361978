import type { Bench, Row } from "../bench.ts"
import { atMost } from "../beside.ts"
import { podInformer } from "./pod-informer.ts"
import { cpuOf, podList, wireServer } from "./sample-pods.ts"

const count = 10_000
const maxRatio = 1.6

/** How much CPU does the first state of 10,000 pods take, from bytes to handlers, beside parsing the same bytes alone? */
export const bench: Bench = {
  name: "first sync of 10,000 pods",
  async run(): Promise<readonly Row[]> {
    const bytes = podList(count)
    const { bare, whole } = await cpuOf(5, {
      bare: () => JSON.parse(new TextDecoder().decode(bytes)),
      whole: () => firstSync(bytes),
    })
    return [atMost(maxRatio, "first sync of 10,000 pods; theirs: JSON.parse alone", "ms of CPU", { ours: whole, theirs: bare })]
  },
}

async function firstSync(bytes: Uint8Array): Promise<void> {
  const stopping = new AbortController()
  const { informer, run } = podInformer(wireServer(bytes))
  let received = 0
  informer.addHandler(() => received++)
  const running = run(stopping.signal)
  await informer.synced(stopping.signal)
  stopping.abort()
  await running
  if (received !== count) throw new Error(`expected ${count} pods to be received, found ${received}`)
}
