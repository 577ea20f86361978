import { setTimeout as delay } from "node:timers/promises"
import type { Row } from "../bench.ts"
import { atMost, type Numbers } from "../beside.ts"
import { podNumber } from "../runtime/sample-pods.ts"
import { inTurn, medians, type Pair, serversIn, sidesIn } from "./pair.ts"

const path = "/api/v1/namespaces/default/pods"

/** How long does a list of 1,000 pods take, from the request to its last byte? */
export async function listPods(pair: Pair): Promise<readonly Row[]> {
  await makePods(pair, 0, 1000)
  const time = async (side: keyof Pair) => {
    const started = performance.now()
    await pair[side]!.client.expect(200, { verb: "GET", path })
    return performance.now() - started
  }
  return [atMost(0.5, "list of 1,000 pods", "ms", medians(await inTurn(sidesIn(pair), 30, time)))]
}

/** How much memory do 10,000 pods take, with all that was done before? */
export async function memoryWithPods(pair: Pair): Promise<readonly Row[]> {
  await makePods(pair, 1000, 10_000)
  return [atMost(0.5, "memory with 10,000 pods", "MB", await memory(pair))]
}

export async function memory(pair: Pair): Promise<Numbers> {
  // Both free what they no longer need within some seconds.
  await delay(8000)
  const { ours, theirs } = pair
  return theirs === undefined ? { ours: ours.memory() } : { ours: ours.memory(), theirs: theirs.memory() }
}

async function makePods(pair: Pair, from: number, to: number): Promise<void> {
  for (const { client } of serversIn(pair)) {
    let next = from
    const work = async () => {
      while (next < to) await client.expect(201, { verb: "POST", path, body: pod(next++) })
    }
    await Promise.all(Array.from({ length: 16 }, work))
  }
}

/** The sample, as a ReplicaSet's controller would send it. */
export function pod(number: number): object {
  const { metadata, spec } = podNumber(number)
  const { priority: _priority, ...rest } = spec ?? { containers: [] }
  const { labels, annotations } = metadata
  return { apiVersion: "v1", kind: "Pod", metadata: { name: `pod-${number}`, labels, annotations }, spec: rest }
}
