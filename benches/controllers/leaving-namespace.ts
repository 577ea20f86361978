import type { KubeObject } from "@pilothouse/api"
import { made, since } from "./made.ts"

const namespace = "leaving"
const held = { namespace, deletionTimestamp: since, deletionGracePeriodSeconds: 0, finalizers: ["example.com/held"] }
const spec = { nodeName: "node-1", containers: [{ name: "main", image: "example/main:1" }] }

function pod(name: string): KubeObject {
  return made("v1", "Pod", { ...held, name }, { spec, status: { phase: "Running" } })
}

/** A namespace that cannot go: finalizers hold ten pods in it for good, and a hundred others one after another for a while. The same in every crowd. */
export const leaving = {
  objects: [
    made(
      "v1",
      "Namespace",
      { name: namespace, deletionTimestamp: since },
      { spec: { finalizers: ["kubernetes"] }, status: { phase: "Terminating" } },
    ),
    ...Array.from({ length: 10 }, (_, number) => pod(`for-good-${number}`)),
  ],
  pods: Array.from({ length: 100 }, (_, number) => pod(`for-a-while-${number}`)),
}
