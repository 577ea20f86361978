import { type Descriptor, isConflict, type KubeObject, selectorFromLabels } from "@pilothouse/api"
import { replicaSets } from "@pilothouse/api/apps/v1"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import type { Reader } from "./caches/reader.ts"
import { type ClaimOptions, claim, liveOwner } from "./claim.ts"
import { applySteps } from "./plan/apply.ts"

const web = { app: "web" }
const deleting = { deletionTimestamp: "2026-01-05T09:00:00Z" }

function owner(metadata: object = {}): KubeObject {
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "web", namespace: "default", uid: "owner", ...metadata } }
}

function pod(name: string, labels: Record<string, string>, by?: KubeObject, metadata: object = {}): Pod {
  const ownerReferences = by && [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: by.metadata.uid ?? "", controller: true }]
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: `${name}-uid`, labels, ownerReferences, ...metadata },
  }
}

interface Row {
  readonly owner?: KubeObject
  readonly kind?: Descriptor
  readonly candidates: readonly Pod[]
  readonly finalizers?: readonly string[]
  readonly owned: readonly string[]
  readonly adopt?: readonly string[]
  readonly release?: readonly string[]
}

const other = owner({ uid: "other" })
const clusterScoped = owner({ namespace: undefined })

/** The cases of upstream's TestClaimPods. */
const rows: Record<string, Row> = {
  "takes orphans whose labels match": {
    candidates: [pod("pod1", web), pod("pod2", { app: "db" })],
    owned: ["pod1"],
    adopt: ["pod1"],
  },
  "takes nothing when the owner is being deleted": { owner: owner(deleting), candidates: [pod("pod1", web), pod("pod2", web)], owned: [] },
  "keeps what it has, and takes nothing new, when the owner is being deleted": {
    owner: owner(deleting),
    candidates: [pod("pod1", web, owner()), pod("pod2", web)],
    owned: ["pod1"],
  },
  "leaves what another owner controls": { candidates: [pod("pod1", web, owner()), pod("pod2", web, other)], owned: ["pod1"] },
  "releases its own when the labels match no more": {
    candidates: [pod("pod1", web, owner()), pod("pod2", { app: "db" }, owner())],
    owned: ["pod1"],
    release: ["pod2"],
  },
  "leaves orphans that are being deleted": {
    candidates: [pod("pod1", web, owner()), pod("pod2", web, undefined, deleting)],
    owned: ["pod1"],
  },
  "takes and releases with finalizers": {
    candidates: [pod("pod1", web, owner()), pod("pod2", { app: "db" }, owner()), pod("pod3", web)],
    finalizers: ["example.com/tracking"],
    owned: ["pod1", "pod3"],
    adopt: ["pod3"],
    release: ["pod2"],
  },
  "leaves orphans of another namespace": {
    candidates: [pod("pod1", web), pod("pod2", web, undefined, { namespace: "elsewhere" })],
    owned: ["pod1"],
    adopt: ["pod1"],
  },
  "takes orphans of any namespace when the owner has none": {
    owner: clusterScoped,
    kind: nodes,
    candidates: [pod("pod1", web), pod("pod2", web, undefined, { namespace: "elsewhere" })],
    owned: ["pod1", "pod2"],
    adopt: ["pod1", "pod2"],
  },
}

function options(row: Pick<Row, "owner" | "kind" | "candidates" | "finalizers">): ClaimOptions<Pod> {
  const claiming = row.owner ?? owner()
  return { kind: replicaSets, selector: selectorFromLabels(web), ...row, owner: claiming, live: claiming }
}

test.each(Object.entries(rows))("%s", (_, row) => {
  const { owned, adopt, release } = claim(options(row))
  const names = (operations: typeof adopt) => operations.map((operation) => operation.object.metadata.name)
  expect(owned.map((one) => one.metadata.name)).toEqual(row.owned)
  expect(names(adopt)).toEqual(row.adopt ?? [])
  expect(names(release)).toEqual(row.release ?? [])
})

test("adopts with a strategic patch that carries the uid, the reference and the finalizers", () => {
  const [operation] = claim(options({ candidates: [pod("pod1", web)], finalizers: ["example.com/tracking"] })).adopt
  const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "owner", controller: true, blockOwnerDeletion: true }
  expect(operation).toMatchObject({ do: "patch", type: "strategic", tolerate: ["NotFound"] })
  expect(operation).toHaveProperty("patch", {
    metadata: { uid: "pod1-uid", ownerReferences: [reference], finalizers: ["example.com/tracking"] },
  })
})

test("releases with a strategic patch that takes only its own reference away", () => {
  const [operation] = claim(options({ candidates: [pod("pod1", { app: "db" }, owner())], finalizers: ["example.com/tracking"] })).release
  expect(operation).toMatchObject({ do: "patch", type: "strategic", tolerate: ["NotFound", "Invalid"] })
  expect(operation).toHaveProperty("patch", {
    metadata: {
      uid: "pod1-uid",
      ownerReferences: [{ $patch: "delete", uid: "owner" }],
      "$deleteFromPrimitiveList/finalizers": ["example.com/tracking"],
    },
  })
})

test("custom resources know no strategic patches: their lists are given whole, for the version that was seen", () => {
  const seen = { resourceVersion: "7", finalizers: ["example.com/other", "example.com/tracking"] }
  const friend = { apiVersion: "v1", kind: "ConfigMap", name: "friend", uid: "friend-uid" }
  const orphan = pod("pod1", web, undefined, { ...seen, ownerReferences: [friend], finalizers: ["example.com/other"] })
  const mine = pod("pod2", { app: "db" }, owner(), seen)
  const { adopt, release } = claim({ ...options({ candidates: [orphan, mine], finalizers: ["example.com/tracking"] }), custom: true })
  expect(adopt).toMatchObject([{ do: "patch", type: "merge", tolerate: ["NotFound"] }])
  expect(adopt[0]).toHaveProperty("patch.metadata", {
    uid: "pod1-uid",
    resourceVersion: "7",
    ownerReferences: [friend, expect.objectContaining({ uid: "owner", controller: true })],
    finalizers: ["example.com/other", "example.com/tracking"],
  })
  expect(release).toMatchObject([{ do: "patch", type: "merge" }])
  expect(release[0]).toHaveProperty("patch.metadata", {
    uid: "pod2-uid",
    resourceVersion: "7",
    ownerReferences: [],
    finalizers: ["example.com/other"],
  })
})

const refused: Record<string, KubeObject | undefined> = {
  "is gone": undefined,
  "was recreated under its name": owner({ uid: "newer" }),
  "is being deleted": owner(deleting),
}

test.each(Object.entries(refused))("adopts nothing when the server says that the owner %s", (_, live) => {
  expect(claim({ ...options({ candidates: [pod("pod1", web)] }), live })).toEqual({ owned: [], adopt: [], release: [] })
})

function countingReader(found: KubeObject | undefined): { read: Reader; asked: string[] } {
  const asked: string[] = []
  const live = async (_of: Descriptor, key: string) => {
    asked.push(key)
    return found
  }
  return { read: { live } as unknown as Reader, asked }
}

test("the server is asked once, however many orphans there are", async () => {
  const { read, asked } = countingReader(owner())
  const live = await liveOwner(read, options({ candidates: [pod("pod1", web), pod("pod2", web)] }))
  expect(asked).toEqual(["default/web"])
  expect(live).toEqual(owner())
})

test.each(Object.entries(refused))(
  "a reconcile fails, instead of creating others, when there is an orphan and the live owner %s",
  async (_, live) => {
    const { read } = countingReader(live)
    await expect(liveOwner(read, options({ candidates: [pod("pod1", web)] }))).rejects.toSatisfy(isConflict)
  },
)

test("the server is not asked when there is nothing to adopt", async () => {
  const { read, asked } = countingReader(owner())
  expect(await liveOwner(read, options({ candidates: [pod("pod1", web, owner()), pod("pod2", web, other)] }))).toBeUndefined()
  expect(asked).toEqual([])
})

test("a server executes the operations, and a pod that was created again under the name is not touched", async () => {
  await using server = await cluster({ nodes: 0, controllers: [] })
  const spec = { schedulerName: "none", containers: [{ name: "c", image: "i" }] }
  const make = (name: string, labels: Record<string, string>, by?: KubeObject) =>
    server.apply<Pod>({ ...pod(name, labels, by, { uid: undefined }), spec })
  const [orphan, strayed, replaced] = [
    await make("orphan", web),
    await make("strayed", { app: "db" }, owner()),
    await make("replaced", web),
  ]
  await server.client.delete(pods, replaced, { gracePeriodSeconds: 0 })
  await make("replaced", web)
  const { adopt, release } = claim(options({ candidates: [orphan, strayed, replaced], finalizers: ["example.com/tracking"] }))
  const context = { client: server.client, resolve: () => pods, executors: [], dryRun: false }
  const results = await applySteps([{ operations: [...adopt, ...release] }], context, new AbortController().signal)
  const owners = async (name: string) => (await server.client.get(pods, `default/${name}`)).metadata.ownerReferences?.map(({ uid }) => uid)
  expect(results.map(({ ok }) => ok)).toEqual([true, false, true])
  expect(await owners("orphan")).toEqual(["owner"])
  expect((await owners("strayed")) ?? []).toEqual([])
  expect(await owners("replaced")).toBeUndefined()
})
