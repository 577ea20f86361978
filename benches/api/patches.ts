import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMerge,
  diffJsonPatch,
  diffStrategicMerge,
  type JsonPatchOperation,
} from "@pilothouse/api/patch"
import { schemaOf } from "@pilothouse/api/schemas"
import fastJsonPatch from "fast-json-patch"
import type { Bench, Row } from "../bench.ts"
import { microseconds } from "./measure.ts"
import { pod, size } from "./sample-pod.ts"

export const patches: Bench = { name: "what a patch of a pod costs, beside fast-json-patch", run: async () => rows() }

const status = {
  conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady", lastTransitionTime: "2026-01-05T10:00:00Z" }],
  phase: "Pending",
}
/** What a kubelet sends: a condition found by its key, and its place among the others. */
const strategic = {
  metadata: { uid: pod.metadata.uid },
  status: { ...status, "$setElementOrder/conditions": pod.status?.conditions?.map(({ type }) => ({ type })) },
}
const image = {
  spec: {
    containers: [{ name: pod.spec?.containers[0]?.name, image: "registry.test/api:2", env: [{ name: "LOG_LEVEL", value: "debug" }] }],
  },
}
const operations: JsonPatchOperation[] = [
  { op: "test", path: "/metadata/resourceVersion", value: pod.metadata.resourceVersion },
  { op: "replace", path: "/spec/containers/0/image", value: "registry.test/api:2" },
  { op: "add", path: "/metadata/labels/changed", value: "yes" },
  { op: "add", path: "/status/conditions/-", value: status.conditions[0] },
  { op: "remove", path: "/spec/tolerations/0" },
]

function rows(): readonly Row[] {
  const schema = schemaOf({ group: "", version: "v1", kind: "Pod" })
  if (schema === undefined) throw new Error("there is no schema of Pod")
  // Parsed twice, as two pods from the wire are: nothing is shared.
  const changed: object = JSON.parse(JSON.stringify(applyJsonPatch(pod, operations)))
  const theirs = fastJsonPatch
  return [
    microseconds({ what: `strategic merge of a status into a ${size} pod`, ours: () => applyStrategicMerge(pod, strategic, schema) }),
    microseconds({ what: `strategic merge of a container into a ${size} pod`, ours: () => applyStrategicMerge(pod, image, schema) }),
    microseconds({ what: `strategic diff of two ${size} pods`, ours: () => diffStrategicMerge(pod, changed, schema) }),
    microseconds({ what: `merge patch of a ${size} pod`, ours: () => applyMergePatch(pod, image) }),
    microseconds({
      what: `JSON patch of 5 operations on a ${size} pod, the pod left as it was (theirs: fast-json-patch)`,
      ours: () => applyJsonPatch(pod, operations),
      theirs: () => theirs.applyPatch(pod, operations as never, true, false).newDocument,
    }),
    microseconds({
      what: `JSON patch from two ${size} pods (theirs: fast-json-patch)`,
      ours: () => diffJsonPatch(pod, changed),
      theirs: () => theirs.compare(pod, changed),
    }),
  ]
}
