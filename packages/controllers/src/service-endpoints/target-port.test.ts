import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { podSubsets } from "../endpoints/subsets.ts"
import { portsOn } from "../endpointslice/endpoint.ts"
import { webPod, webService } from "./testing/objects.ts"

test("the ports of a pod are read once for all named ports of a Service", () => {
  const count = 2000
  let reads = 0
  const container = {
    name: "web",
    get ports() {
      reads++
      return Array.from({ length: count }, (_, at) => ({ name: `p${at}`, containerPort: at + 1 }))
    },
  }
  const plain = webPod(1)
  const pod = { ...plain, spec: { ...plain.spec, containers: [container] } } as Pod
  const ports = Array.from({ length: count }, (_, at) => ({ name: `p${at}`, port: at + 1, targetPort: `p${count - 1 - at}` }))
  const service = webService({ ports })
  expect(portsOn(pod, service).map(({ port }) => port)).toEqual(Array.from({ length: count }, (_, at) => count - at))
  expect(podSubsets(service, [pod]).map(({ ports }) => ports?.length)).toEqual([count])
  // Once for the slices; for Endpoints once to know which pods have the same names, and once to find them.
  expect(reads).toBe(3)
})
