import { expect, test } from "vitest"
import type { Port } from "../../clients/neutron/types.ts"
import { markDescription } from "../creation/cluster-marks.ts"
import { type PodPort, spareName } from "../vif/pod-vif.ts"
import { sortPorts } from "./found-ports.ts"

const clusterMarks = { cluster: "one" }

function testPort(id: string, more: Partial<Port>): PodPort {
  return { port: { id, name: id, device_id: "", description: "", tags: [], ...more } as Port, host: "node1" }
}

const rows: readonly (readonly [string, PodPort, { readonly of?: string; readonly spare?: boolean; readonly orphan?: boolean }])[] = [
  ["of a pod of ours", testPort("a", { description: markDescription(clusterMarks, "u") }), { of: "u" }],
  ["of a pod, made by kuryr", testPort("a", { device_id: "u" }), { of: "u" }],
  ["that an annotation names", testPort("annotated", {}), { of: "v" }],
  ["of a pod that is gone", testPort("a", { description: markDescription(clusterMarks, "gone") }), { orphan: true }],
  ["spare", testPort("a", { name: spareName, description: markDescription(clusterMarks) }), { spare: true }],
  ["of an unknown owner", testPort("a", { device_id: "other" }), {}],
  ["of another cluster", testPort("a", { description: markDescription({ cluster: "two" }, "w") }), {}],
  [
    "of another cluster whose pod has the same UID",
    testPort("a", { device_id: "u", description: markDescription({ cluster: "two" }, "u") }),
    {},
  ],
  ["spare, of another cluster", testPort("a", { name: spareName, description: markDescription({ cluster: "two" }) }), {}],
]

test.each([
  ["of which the port says so", markDescription(clusterMarks, "u"), "u"],
  ["that comes first, where the port says nothing", "", "copy"],
])("a port that two pods name, one by a copied annotation, is that of the pod %s", (_, description, expected) => {
  const known = ["copy", "u", "copy-too"].map((uid) => ({ uid, port: "its" }))
  expect([...sortPorts([testPort("its", { description })], known, clusterMarks, true).of.keys()]).toEqual([expected])
})

test.each(rows)("a port %s", (_, port, expected) => {
  const { of, spare, orphans } = sortPorts([port], [{ uid: "u" }, { uid: "v", port: "annotated" }], clusterMarks, true)
  expect({ of: [...of.keys()], spare: spare.length, orphans: orphans.length }).toEqual({
    of: expected.of === undefined ? [] : [expected.of],
    spare: expected.spare ? 1 : 0,
    orphans: expected.orphan ? 1 : 0,
  })
})

test.each([
  ["made by kuryr for it", testPort("a", { device_id: "u" }), "u"],
  ["that its annotation names", testPort("annotated", {}), "v"],
  [
    "of this cluster that it was assigned, and that has no name yet",
    testPort("annotated", { name: spareName, description: markDescription(clusterMarks) }),
    "v",
  ],
  ["that says so", testPort("a", { description: markDescription(clusterMarks, "u") }), undefined],
  ["of another cluster that an annotation names", testPort("annotated", { description: markDescription({ cluster: "two" }) }), undefined],
  ["that two annotations name", testPort("shared", {}), undefined],
  ["that its annotation names and that is another pod's by its device", testPort("annotated", { device_id: "u" }), undefined],
  ["of a pod that is not served here", testPort("a", { device_id: "theirs" }), undefined],
])("what is written on a port %s: whose it is, where it does not say so and there is no doubt", (_, port, expected) => {
  const known = [
    { uid: "u" },
    { uid: "v", port: "annotated" },
    { uid: "one", port: "shared" },
    { uid: "two", port: "shared" },
    { uid: "theirs", isServed: false },
  ]
  const { unmarked } = sortPorts([port], known, clusterMarks, true)
  expect([...unmarked]).toEqual(expected === undefined ? [] : [[expected, port]])
})
