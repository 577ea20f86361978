import type { PersistentVolume, PersistentVolumeClaim, Volume } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { describe, expect, test } from "vitest"
import { testNode, testPod, verdicts } from "../testing/objects.ts"
import type { CsiVolume } from "../volumes/csi-volumes.ts"
import { placementOn } from "../volumes/volume-placement.ts"
import type { ClaimView } from "../volumes/volumes.ts"

const nodes = [testNode("a"), testNode("b")]
const none = "node(s) didn't find available persistent volumes to bind"

function volume(name: string, on?: string, more: Partial<NonNullable<PersistentVolume["spec"]>> = {}): PersistentVolume {
  const term = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [on ?? ""] }] }
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "late",
      ...(on && { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }),
      ...more,
    },
    status: { phase: "Available" },
  }
}

function claim(name = "c", annotations: Record<string, string> = {}, accessModes = ["ReadWriteOnce"]): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default", uid: `uid-${name}`, annotations },
    spec: { accessModes, storageClassName: "late", resources: { requests: { storage: "1Gi" } } } as PersistentVolumeClaim["spec"],
  }
}

function storageClass(provisioner: string, allowed?: string): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "late" },
    provisioner,
    volumeBindingMode: "WaitForFirstConsumer",
    ...(allowed && { allowedTopologies: [{ matchLabelExpressions: [{ key: "kubernetes.io/hostname", values: [allowed] }] }] }),
  }
}

const unbound = (more: Partial<ClaimView> = {}): ClaimView => ({
  key: "default/c",
  claim: claim(),
  isBound: false,
  candidates: [],
  ...more,
})
const bound = (found: PersistentVolume | undefined): ClaimView => ({
  key: "default/c",
  claim: claim(),
  isBound: true,
  volume: found,
  candidates: [],
})
const taken = { claimRef: { namespace: "default", name: "c", uid: "uid-c" } }
const selected = { "volume.kubernetes.io/selected-node": "a" }

describe("the volumes of a pod", () => {
  const rows: readonly (readonly [string, readonly ClaimView[], Record<string, string>])[] = [
    ["bound, usable everywhere", [bound(volume("v"))], { a: "fits", b: "fits" }],
    ["bound, usable on one node", [bound(volume("v", "a"))], { a: "fits", b: "node(s) didn't match PersistentVolume's node affinity" }],
    [
      "bound to a volume that is gone",
      [bound(undefined)],
      {
        a: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
        b: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
      },
    ],
    ["free ones on one node", [unbound({ candidates: [volume("v", "b")] })], { a: none, b: "fits" }],
    [
      "one volume for two claims",
      [unbound({ candidates: [volume("v", "a")] }), unbound({ claim: claim("d"), candidates: [volume("v", "a")] })],
      { a: none, b: none },
    ],
    [
      "taken by another claim",
      [unbound({ candidates: [volume("v", "a", { claimRef: { namespace: "default", name: "d", uid: "d" } })] })],
      { a: none, b: none },
    ],
    ["taken for this claim", [unbound({ candidates: [volume("v", "a", taken)], storageClass: storageClass("x") })], { a: "fits", b: none }],
    ["to be provisioned anywhere", [unbound({ storageClass: storageClass("x") })], { a: "fits", b: "fits" }],
    ["no provisioner", [unbound({ storageClass: storageClass("kubernetes.io/no-provisioner") })], { a: none, b: none }],
    ["provisioned where the class allows it", [unbound({ storageClass: storageClass("x", "b") })], { a: none, b: "fits" }],
    ["being provisioned on one node", [unbound({ claim: claim("c", selected), storageClass: storageClass("x") })], { a: "fits", b: none }],
  ]
  test.each(rows)("%s", (_what, claims, expected) => expect(verdicts(testPod("p"), { nodes, volumes: { claims } })).toEqual(expected))

  test("the smallest free volume that fits is taken, before anything is provisioned", () => {
    const candidates = [
      volume("big", "a", { capacity: { storage: "5Gi" } }),
      volume("small", "a"),
      volume("tiny", "a", { capacity: { storage: "1Mi" } }),
    ]
    const { bind, provision } = placementOn(testNode("a"), { claims: [unbound({ candidates, storageClass: storageClass("x") })] })
    expect([bind.map(({ volume: chosen }) => chosen.metadata.name), provision]).toEqual([["small"], []])
  })

  test("a claim for one pod only is taken wherever that pod is", () => {
    const once = { ...bound(volume("v")), claim: claim("c", {}, ["ReadWriteOncePod"]) }
    const other = testPod("q", { on: "a", spec: { nodeName: "a", volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } })
    const words = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
    expect(verdicts(testPod("p"), { nodes, pods: [other], volumes: { claims: [once] } })).toEqual({ a: words, b: words })
    expect(verdicts(testPod("p"), { nodes, volumes: { claims: [once] } })).toEqual({ a: "fits", b: "fits" })
  })

  test("a claim for one node serves all pods there", () => {
    const other = testPod("q", { on: "a", spec: { nodeName: "a", volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } })
    expect(verdicts(testPod("p"), { nodes, pods: [other], volumes: { claims: [bound(volume("v"))] } })).toEqual({ a: "fits", b: "fits" })
  })

  test("a volume that says by a label where it is", () => {
    const label = "topology.kubernetes.io/zone"
    const zones = ["x", "y", "z"].map((zone) => testNode(zone, { labels: { [label]: zone } }))
    const found = { ...volume("v"), metadata: { name: "v", labels: { [label]: "x__y" } } }
    const refused = "node(s) had no available volume zone"
    expect(verdicts(testPod("p"), { nodes: [...zones, testNode("w")], volumes: { claims: [bound(found)] } })).toEqual({
      w: "fits",
      x: "fits",
      y: "fits",
      z: refused,
    })
  })
})

test("a volume that says where it is by the older names, or by zone and region", () => {
  const [zone, region] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"]
  const at = (name: string, inZone: string, inRegion: string) => testNode(name, { labels: { [zone!]: inZone, [region!]: inRegion } })
  const found = (labels: Record<string, string>) => bound({ ...volume("v"), metadata: { name: "v", labels } })
  const all = [at("a", "x", "r"), at("b", "y", "r"), at("c", "x", "s")]
  const refused = "node(s) had no available volume zone"
  const volumes = (labels: Record<string, string>) => verdicts(testPod("p"), { nodes: all, volumes: { claims: [found(labels)] } })
  expect(volumes({ "failure-domain.beta.kubernetes.io/zone": "x" })).toEqual({ a: "fits", b: refused, c: "fits" })
  expect(volumes({ [zone!]: "x", [region!]: "r" })).toEqual({ a: "fits", b: refused, c: refused })
})

test("the smaller of two claims gets the smaller volume, so that both get one", () => {
  const candidates = [volume("big", "a", { capacity: { storage: "5Gi" } }), volume("small", "a")]
  const wants = (name: string, storage: string) => {
    const made = claim(name)
    return unbound({ claim: { ...made, spec: { ...made.spec, resources: { requests: { storage } } } }, candidates })
  }
  const { reasons, bind } = placementOn(testNode("a"), { claims: [wants("most", "1025Mi"), wants("least", "1Gi")] })
  expect([reasons, bind.map((one) => `${one.claim.metadata.name} ${one.volume.metadata.name}`)]).toEqual([[], ["least small", "most big"]])
  const other = placementOn(testNode("a"), { claims: [wants("one", "1Gi"), wants("tiny", "1Mi")] })
  expect(other.bind.map((one) => `${one.claim.metadata.name} ${one.volume.metadata.name}`)).toEqual(["tiny small", "one big"])
})

describe("drivers that attach only so many volumes to a node", () => {
  const full = "node(s) exceed max volume count"
  /** "d:x" is the volume x of driver d. */
  const csiVolume = (text: string): CsiVolume => ({ driver: text.split(":")[0]!, id: text })
  const user = (name: string, on: string, ...claims: readonly string[]) =>
    testPod(name, {
      on,
      spec: { nodeName: on, volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
    })
  interface Row {
    readonly wanted: readonly string[]
    /** Claims of pods on node a; each is called after its volume. */
    readonly used?: readonly (readonly string[])[]
    readonly attached?: readonly string[]
    readonly limit?: number
  }
  const rows: readonly (readonly [string, Row, "fits" | typeof full])[] = [
    ["room for one more", { wanted: ["d:x"], used: [["d:y"]], limit: 2 }, "fits"],
    ["full", { wanted: ["d:x"], used: [["d:y"], ["d:z"]], limit: 2 }, full],
    ["full with what it wants itself", { wanted: ["d:x", "d:y"], limit: 1 }, full],
    ["full, and the volume is there already", { wanted: ["d:y"], used: [["d:y", "d:z"]], limit: 2 }, "fits"],
    ["one volume of two pods counts once", { wanted: ["d:x"], used: [["d:y"], ["d:y"]], limit: 2 }, "fits"],
    ["one volume wanted twice counts once", { wanted: ["d:x", "d:x"], limit: 1 }, "fits"],
    ["volumes of another driver do not count", { wanted: ["d:x"], used: [["e:y"], ["e:z"]], limit: 1 }, "fits"],
    ["still attached though its pod has gone", { wanted: ["d:x"], attached: ["d:y"], limit: 1 }, full],
    ["attached and used counts once", { wanted: ["d:x"], used: [["d:y"]], attached: ["d:y"], limit: 2 }, "fits"],
    ["none at all", { wanted: ["d:x"], limit: 0 }, full],
    ["no limit is set", { wanted: ["d:x"], used: [["d:y"], ["d:z"]] }, "fits"],
  ]
  test.each(rows)("%s", (_what, { wanted, used = [], attached = [], limit }, expected) => {
    const csi = {
      wanted: wanted.map(csiVolume),
      limit: (node: string, driver: string) => (node === "a" && driver === "d" ? limit : undefined),
      behind: (claim: string) => csiVolume(claim.slice("default/".length)),
      attachedTo: (node: string) => (node === "a" ? attached.map(csiVolume) : []),
    }
    const pods = used.map((claims, at) => user(`q${at}`, "a", ...claims))
    expect(verdicts(testPod("p"), { nodes, pods, csi })).toEqual({ a: expected, b: "fits" })
  })
})

describe("disks that pods name themselves", () => {
  const conflict = "node(s) had no available disk"
  const gce = (pdName: string, readOnly?: boolean) => ({ gcePersistentDisk: { pdName, readOnly } })
  const aws = (volumeID: string, readOnly?: boolean) => ({ awsElasticBlockStore: { volumeID, readOnly } })
  const iscsi = (iqn: string, readOnly?: boolean) => ({ iscsi: { iqn, lun: 0, targetPortal: "t", readOnly } })
  const rbd = (monitors: readonly string[], image: string, readOnly?: boolean) => ({ rbd: { monitors: [...monitors], image, readOnly } })
  type Disk = Omit<Volume, "name">
  const rows: readonly (readonly [string, Disk, Disk, "fits" | typeof conflict])[] = [
    ["GCE, the same one", gce("x"), gce("x"), conflict],
    ["GCE, another", gce("x"), gce("y"), "fits"],
    ["GCE, both read", gce("x", true), gce("x", true), "fits"],
    ["GCE, one of them writes", gce("x", true), gce("x"), conflict],
    ["AWS, the same one", aws("x"), aws("x"), conflict],
    ["AWS, another", aws("x"), aws("y"), "fits"],
    ["AWS, both read", aws("x", true), aws("x", true), conflict],
    ["iSCSI, the same one", iscsi("x"), iscsi("x"), conflict],
    ["iSCSI, both read", iscsi("x", true), iscsi("x", true), "fits"],
    ["RBD, the same image by one of its monitors", rbd(["m", "n"], "x"), rbd(["n", "o"], "x"), conflict],
    ["RBD, the pool that is meant where none is named", rbd(["m"], "x"), { rbd: { monitors: ["m"], image: "x", pool: "rbd" } }, conflict],
    ["RBD, other monitors", rbd(["m"], "x"), rbd(["o"], "x"), "fits"],
    ["RBD, another image", rbd(["m"], "x"), rbd(["m"], "y"), "fits"],
    ["RBD, both read", rbd(["m"], "x", true), rbd(["m"], "x", true), "fits"],
    ["no disk at all", { emptyDir: {} }, gce("x"), "fits"],
  ]
  const withDisk = (name: string, disk: Disk, on?: string) =>
    testPod(name, { on, spec: { nodeName: on, volumes: [{ name: "v", ...disk }] } })
  test.each(rows)("%s", (_what, wanted, used, expected) =>
    expect(verdicts(withDisk("p", wanted), { nodes, pods: [withDisk("q", used, "a")] })).toEqual({ a: expected, b: "fits" }),
  )
})
