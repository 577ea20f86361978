import type { Pod, PodSpec } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { validatePodUpdate } from "./pod.ts"

const gated: PodSpec = { containers: [{ name: "a", image: "a" }], schedulingGates: [{ name: "example.com/wait" }] }
const pod = (spec: PodSpec): Pod => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "default" }, spec })
const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] }

test.each<[name: string, now: Partial<PodSpec>, before: Partial<PodSpec>, refused: boolean]>([
  ["its gates are taken away", { schedulingGates: undefined }, {}, false],
  [
    "its gates are taken away, and it has affinity",
    { schedulingGates: undefined, affinity: { nodeAffinity } },
    { affinity: { nodeAffinity } },
    false,
  ],
  ["it is given another node selector while it is held back", { nodeSelector: { disk: "ssd" } }, {}, false],
  ["it is given affinity to nodes while it is held back", { affinity: { nodeAffinity } }, {}, false],
  ["it is given affinity to pods", { affinity: { podAffinity: {} } }, {}, true],
  ["its affinity to pods is taken away", {}, { affinity: { podAffinity: {} } }, true],
  ["it is given one more gate", { schedulingGates: [{ name: "example.com/wait" }, { name: "example.com/more" }] }, {}, true],
])("a gated pod: %s", (_name, now, before, refused) => {
  const errors = validatePodUpdate(pod({ ...gated, ...now }), pod({ ...gated, ...before }))
  expect(errors.length > 0).toBe(refused)
})
