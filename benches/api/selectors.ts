import { matchesLabels, parseLabelSelector } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Bench, Row } from "../bench.ts"
import { microseconds } from "./measure.ts"
import { pod } from "./sample-pod.ts"

export const selectors: Bench = { name: "what a label selector over 10,000 pods costs", run: async () => rows() }

const text = "app.kubernetes.io/name=service-3,tier in (front,back),!canary"

function rows(): readonly Row[] {
  const pods = Array.from({ length: 10_000 }, (_, number) => labelled(number))
  const selector = parseLabelSelector(text)
  return [
    microseconds({ what: "selector of 3 requirements parsed", ours: () => parseLabelSelector(text) }),
    microseconds({
      what: "selector of 3 requirements matched with 10,000 pods",
      ours: () => count(pods, (one) => matchesLabels(selector, one.metadata.labels)),
    }),
  ]
}

function count(pods: readonly Pod[], matches: (pod: Pod) => boolean): number {
  let found = 0
  for (const one of pods) if (matches(one)) found++
  return found
}

function labelled(number: number): Pod {
  const labels = {
    ...pod.metadata.labels,
    "app.kubernetes.io/name": `service-${number % 20}`,
    tier: number % 3 === 0 ? "front" : number % 3 === 1 ? "back" : "batch",
    ...(number % 10 === 0 ? { canary: "yes" } : {}),
  }
  return { ...pod, metadata: { ...pod.metadata, labels } }
}
