import { expect, test } from "vitest"
import type { Port } from "../clients/neutron/types.ts"
import { sortPorts } from "./found-ports.ts"
import { markOf } from "./identity.ts"
import { type PodPort, spareName } from "./pod-vif.ts"

const identity = { cluster: "one" }

function portOf(id: string, more: Partial<Port>): PodPort {
  return { port: { id, name: id, device_id: "", description: "", tags: [], ...more } as Port, host: "node1" }
}

const rows: readonly (readonly [string, PodPort, { readonly of?: string; readonly spare?: boolean; readonly orphan?: boolean }])[] = [
  ["of a pod of ours", portOf("a", { description: markOf(identity, "u") }), { of: "u" }],
  ["of a pod, made by kuryr", portOf("a", { device_id: "u" }), { of: "u" }],
  ["that an annotation names", portOf("annotated", {}), { of: "v" }],
  ["of a pod that is gone", portOf("a", { description: markOf(identity, "gone") }), { orphan: true }],
  ["spare", portOf("a", { name: spareName, description: markOf(identity) }), { spare: true }],
  ["of nobody we know", portOf("a", { device_id: "somebody" }), {}],
  ["of another cluster", portOf("a", { description: markOf({ cluster: "two" }, "w") }), {}],
  ["of another cluster whose pod has the same UID", portOf("a", { device_id: "u", description: markOf({ cluster: "two" }, "u") }), {}],
  ["spare, of another cluster", portOf("a", { name: spareName, description: markOf({ cluster: "two" }) }), {}],
]

test.each([
  ["of which the port says so", markOf(identity, "u"), "u"],
  ["that comes first, where the port says nothing", "", "copy"],
])("a port that two pods name, one by a copied annotation, is that of the pod %s", (_, description, expected) => {
  const known = ["copy", "u", "copy-too"].map((uid) => ({ uid, port: "its" }))
  expect([...sortPorts([portOf("its", { description })], known, identity, true).of.keys()]).toEqual([expected])
})

test.each(rows)("a port %s", (_, port, expected) => {
  const { of, spare, orphans } = sortPorts([port], [{ uid: "u" }, { uid: "v", port: "annotated" }], identity, true)
  expect({ of: [...of.keys()], spare: spare.length, orphans: orphans.length }).toEqual({
    of: expected.of === undefined ? [] : [expected.of],
    spare: expected.spare ? 1 : 0,
    orphans: expected.orphan ? 1 : 0,
  })
})

test.each([
  ["made by kuryr for it", portOf("a", { device_id: "u" }), "u"],
  ["that its annotation names", portOf("annotated", {}), "v"],
  ["of ours that it was given, and that nobody came to name", portOf("annotated", { name: spareName, description: markOf(identity) }), "v"],
  ["that says so", portOf("a", { description: markOf(identity, "u") }), undefined],
  ["of another cluster that an annotation names", portOf("annotated", { description: markOf({ cluster: "two" }) }), undefined],
  ["that two annotations name", portOf("shared", {}), undefined],
  ["that its annotation names and that is another pod's by its device", portOf("annotated", { device_id: "u" }), undefined],
  ["of a pod that is not served here", portOf("a", { device_id: "theirs" }), undefined],
])("what is written on a port %s: whose it is, where it does not say so and there is no doubt", (_, port, expected) => {
  const known = [
    { uid: "u" },
    { uid: "v", port: "annotated" },
    { uid: "one", port: "shared" },
    { uid: "two", port: "shared" },
    { uid: "theirs", isOurs: false },
  ]
  const { unmarked } = sortPorts([port], known, identity, true)
  expect([...unmarked]).toEqual(expected === undefined ? [] : [[expected, port]])
})
