import { expect, test } from "vitest"
import { kubeNode, kubePod } from "../../testing/kube-objects.ts"
import { formatLocality, localityOf } from "./locality.ts"

const region = "topology.kubernetes.io/region"
const zone = "topology.kubernetes.io/zone"
const subzone = "topology.istio.io/subzone"
const oldRegion = "failure-domain.beta.kubernetes.io/region"
const oldZone = "failure-domain.beta.kubernetes.io/zone"

const rows: readonly (readonly [
  what: string,
  node: Readonly<Record<string, string>> | undefined,
  pod: Readonly<Record<string, string>>,
  expected: string,
])[] = [
  ["region and zone", { [region]: "r1", [zone]: "z1" }, {}, "r1/z1/"],
  ["region, zone and subzone", { [region]: "r1", [zone]: "z1", [subzone]: "s1" }, {}, "r1/z1/s1"],
  ["the older labels", { [oldRegion]: "r1", [oldZone]: "z1" }, {}, "r1/z1/"],
  ["newer labels beat older ones", { [region]: "r2", [oldRegion]: "r1", [oldZone]: "z1" }, {}, "r2/z1/"],
  ["a newer label that says nothing", { [region]: "", [oldRegion]: "r1", [zone]: "", [oldZone]: "z1" }, {}, "r1/z1/"],
  ["region only", { [region]: "r1" }, {}, "r1//"],
  ["zone only", { [zone]: "z1" }, {}, "/z1/"],
  ["subzone only", { [subzone]: "s1" }, {}, "//s1"],
  ["a node without labels", {}, {}, ""],
  ["a node that is not known", undefined, {}, ""],
  ["the pod's label wins", { [region]: "r1" }, { "topology.istio.io/locality": "r9.z9.s9" }, "r9/z9/s9"],
  ["the pod's older label", { [region]: "r1" }, { "istio-locality": "r8.z8" }, "r8/z8/"],
  ["the newer label of the pod beats its older one", undefined, { "istio-locality": "r8", "topology.istio.io/locality": "r9" }, "r9//"],
  ["dots stay dots where there are slashes", undefined, { "istio-locality": "r.1/z.1" }, "r.1/z.1/"],
]
for (const [what, node, labels, expected] of rows)
  test(`locality: ${what}`, () => {
    expect(formatLocality(localityOf(kubePod("shop/a", { labels }), node && kubeNode("n", node)))).toBe(expected)
  })
