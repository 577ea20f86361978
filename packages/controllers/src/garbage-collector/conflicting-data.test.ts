import { type KubeObject, keyOf, type OwnerReference } from "@pilothouse/api"
import { configMaps, events, nodes, secrets } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import type { Transport } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { held } from "../testing/layers.ts"

/** What a row does: makes owners, and children that name them rightly or wrongly. Late: the controller sees no Secret until the row is over. */
interface Row {
  readonly name: string
  readonly late?: boolean
  act(made: Made): Promise<void>
  /** Children that are left a minute later. */
  readonly left: readonly string[]
  /** Children with an event OwnerRefInvalidNamespace. */
  readonly told?: readonly string[]
}

const gone = "00000000-0000-4000-8000-000000000000"

class Made {
  readonly running: Cluster
  constructor(running: Cluster) {
    this.running = running
  }

  owner(namespace = "ns1"): Promise<KubeObject> {
    return this.running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "owner", namespace } })
  }

  /** In ns1. */
  async child(name: string, owner: Partial<OwnerReference>): Promise<void> {
    await this.running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "ns1", ownerReferences: [ref(owner)] } })
    await this.running.settled()
  }

  /** In no namespace. */
  async clusterChild(name: string, owner: Partial<OwnerReference>): Promise<void> {
    const made = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", provisioner: "example.com/none" }
    await this.running.apply({ ...made, metadata: { name, ownerReferences: [ref(owner)] } } as KubeObject)
    await this.running.settled()
  }
}

function ref(owner: Partial<OwnerReference>): OwnerReference {
  return { apiVersion: "v1", kind: "Secret", name: "owner", uid: gone, ...owner }
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? ""
const otherVersion = { apiVersion: "v1beta9" }
const otherKind = { kind: "ConfigMap" }

const rows: readonly Row[] = [
  {
    name: "good child in ns1 -> cluster-scoped owner",
    async act(made) {
      const [node] = await made.running.list(nodes)
      await made.child("good", { kind: "Node", name: node!.metadata.name!, uid: uidOf(node!) })
    },
    left: ["good"],
  },
  {
    name: "bad child in ns1 -> owner in ns2 (child first)",
    late: true,
    act: async (made) => made.child("bad", { uid: uidOf(await made.owner("ns2")) }),
    left: [],
  },
  {
    name: "bad child in ns1 -> owner in ns2 (owner first)",
    act: async (made) => made.child("bad", { uid: uidOf(await made.owner("ns2")) }),
    left: [],
    told: ["bad"],
  },
  {
    name: "bad cluster-scoped child -> owner in ns1 (child first)",
    late: true,
    act: async (made) => made.clusterChild("bad", { uid: uidOf(await made.owner()) }),
    left: ["bad"],
  },
  {
    name: "bad cluster-scoped child -> owner in ns1 (owner first)",
    act: async (made) => made.clusterChild("bad", { uid: uidOf(await made.owner()) }),
    left: ["bad"],
    told: ["bad"],
  },
  {
    name: "good child -> existing owner with non-preferred accessible API version",
    async act(made) {
      const spec = { maxReplicas: 1, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" } }
      const metadata = { name: "owner", namespace: "ns1" }
      const owner = await made.running.apply({
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata,
        spec,
      } as KubeObject)
      await made.child("good", { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", uid: uidOf(owner) })
    },
    left: ["good"],
  },
  {
    name: "child -> existing owner with inaccessible API version (child first)",
    late: true,
    act: async (made) => made.child("good", { ...otherVersion, uid: uidOf(await made.owner()) }),
    left: ["good"],
  },
  {
    name: "child -> existing owner with inaccessible API version (owner first)",
    act: async (made) => made.child("good", { ...otherVersion, uid: uidOf(await made.owner()) }),
    left: ["good"],
  },
  {
    name: "child -> non-existent owner with inaccessible API version (inaccessible parent apiVersion first)",
    async act(made) {
      await made.child("of-unknown-owner", otherVersion)
      await made.child("of-no-owner", {})
    },
    left: ["of-unknown-owner"],
  },
  {
    name: "child -> non-existent owner with inaccessible API version (accessible parent apiVersion first)",
    async act(made) {
      await made.child("of-no-owner", {})
      await made.child("of-unknown-owner", otherVersion)
    },
    left: ["of-unknown-owner"],
  },
  {
    name: "bad child -> existing owner with incorrect API version (bad child, good child, bad parent delete, good parent)",
    late: true,
    async act(made) {
      const uid = uidOf(await made.owner())
      await made.child("bad", { ...otherKind, uid })
      await made.child("good", { uid })
    },
    left: ["good"],
  },
  {
    name: "bad child -> existing owner with incorrect API version (bad child, good child, good parent, bad parent delete)",
    async act(made) {
      const uid = uidOf(await made.owner())
      await made.child("bad", { ...otherKind, uid })
      await made.child("good", { uid })
    },
    left: ["good"],
  },
  {
    name: "bad child -> existing owner with incorrect API version (good child, bad child, good parent)",
    late: true,
    async act(made) {
      const uid = uidOf(await made.owner())
      await made.child("good", { uid })
      await made.child("bad", { ...otherKind, uid })
    },
    left: ["good"],
  },
  {
    name: "cluster-scoped bad child, namespaced good child, missing parent",
    async act(made) {
      await made.clusterChild("bad", {})
      await made.child("good", {})
    },
    left: ["bad"],
  },
  {
    name: "cluster-scoped bad child, namespaced good child, late observed parent",
    late: true,
    async act(made) {
      const uid = uidOf(await made.owner())
      await made.clusterChild("bad", { uid })
      await made.child("good", { uid })
    },
    left: ["bad", "good"],
  },
  {
    name: "namespaced good child, cluster-scoped bad child, missing parent",
    async act(made) {
      await made.child("good", {})
      await made.clusterChild("bad", {})
    },
    left: ["bad"],
  },
]

async function children(running: Cluster): Promise<readonly string[]> {
  const all = [...(await running.list<KubeObject>(configMaps, { namespace: "ns1" })), ...(await running.list<KubeObject>(storageClasses))]
  return all.map(({ metadata }) => metadata.name ?? "").sort()
}

async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  return all.filter(({ reason }) => reason === "OwnerRefInvalidNamespace").map(({ involvedObject }) => involvedObject.name ?? "")
}

async function started(layer?: (inner: Transport) => Transport): Promise<Cluster> {
  const running = await cluster({ controllers: ["garbage-collector"], layer })
  for (const name of ["ns1", "ns2"]) await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
  await running.settled()
  return running
}

describe("TestConflictingData", () => {
  test.each(rows)("$name", async ({ late = false, act, left, told: expected = [] }) => {
    const watch = held("secrets")
    await using running = await started(watch.layer)
    if (late) watch.hold()
    await act(new Made(running))
    watch.release()
    await running.advance("1m")
    expect(await children(running)).toEqual(left)
    expect(await told(running)).toEqual(expected)
  })

  test("resourceVersion conflict between Get/Delete while processing object deletion", async () => {
    const once: { running?: Cluster; edits: number } = { edits: 0 }
    const layer =
      (inner: Transport): Transport =>
      async (request) => {
        // Another client writes it before each delete.
        if (request.verb === "DELETE" && request.path.endsWith("/configmaps/child")) {
          await once.running?.client.patch(configMaps, "ns1/child", { data: { edit: String(once.edits++) } })
        }
        return inner(request)
      }
    await using running = await started(layer)
    once.running = running
    await new Made(running).child("child", {})
    expect(await children(running)).toEqual([])
    expect(once.edits).toBe(2)
  })
})

test("the words of OwnerRefInvalidNamespace are upstream's", async () => {
  await using running = await started()
  const made = new Made(running)
  const owner = await made.owner("ns2")
  await made.child("bad", { uid: uidOf(owner) })
  const said = (await running.list(events)).find(({ reason }) => reason === "OwnerRefInvalidNamespace")
  expect(said).toMatchObject({
    type: "Warning",
    message: `ownerRef [v1/Secret, namespace: ns1, name: owner, uid: ${uidOf(owner)}] does not exist in namespace "ns1"`,
    source: { component: "garbage-collector-controller" },
  })
  expect(keyOf((await running.list(secrets, { namespace: "ns2" }))[0]!)).toBe("ns2/owner")
})
