import { type KubeObject, parseFieldSelector } from "@pilothouse/api"
import { persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { resourceSlices } from "@pilothouse/api/resource/v1"
import { volumeAttachments } from "@pilothouse/api/storage/v1"
import { type Clock, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { CustomResources } from "../../customresources/custom-resources.ts"
import { createRegistry } from "../../registry/registry.ts"
import { Turns } from "../../request/turns.ts"
import { memoryStorage } from "../../storage/memory.ts"
import type { Decision, ResourceAttributes } from "../authorizer.ts"
import { nodeAuthorizer } from "./node-authorizer.ts"
import { NodeGraph } from "./node-graph.ts"

const descriptors = { pods, persistentVolumes, volumeAttachments, resourceSlices }

function graphOfStorage(clock: Pick<Clock, "elapsed" | "external"> = new VirtualClock()) {
  const storage = memoryStorage({})
  const registry = createRegistry({ customResources: new CustomResources(storage) })
  const keyOf = (kind: keyof typeof descriptors, { namespace, name }: KubeObject["metadata"]) =>
    `${registry.served(descriptors[kind]).stored.prefix}${namespace === undefined ? "" : `${namespace}/`}${name}`
  const put = (kind: keyof typeof descriptors, object: object) => {
    const value = object as KubeObject
    return storage.commit([{ key: keyOf(kind, value.metadata), make: () => value }])
  }
  const remove = (kind: keyof typeof descriptors, metadata: KubeObject["metadata"]) => {
    const key = keyOf(kind, metadata)
    const { value } = storage.get(key)!
    return storage.commit([{ key, deletes: true, make: () => value }])
  }
  let graph: NodeGraph | undefined
  const turns = new Turns(clock)
  const authorizer = nodeAuthorizer(() => (graph ??= new NodeGraph({ storage, registry, turns })))
  const decide = (node: string, what: ResourceAttributes) =>
    authorizer.authorize({ name: `system:node:${node}`, groups: ["system:nodes"] }, what) as Decision
  return { put, remove, authorizer, decide }
}

/** "get apps/deployments/status ns/name ?spec.nodeName=n": a verb, a resource with group and subresource, where it is, and its field selector. */
function request(text: string): ResourceAttributes {
  const [verb = "", path = "", ...rest] = text.split(" ")
  const [group = "", resource = "", subresource = ""] = path.split("/")
  const [namespace = "", name = ""] = rest.find((word) => word.includes("/"))?.split("/") ?? []
  const fields = rest.find((word) => word.startsWith("?"))?.slice(1)
  const selectors = fields === undefined ? {} : { selectors: { fields: parseFieldSelector(fields).requirements, labels: [] } }
  return { verb, group: group === "core" ? "" : group, version: "v1", resource, subresource, namespace, name, ...selectors }
}

/** A pod of one node with a reference of each kind, all named after it. */
function pod(name: string, nodeName: string): object {
  const ephemeral = { volumeClaimTemplate: { spec: {} } }
  return {
    metadata: { namespace: "ns", name, uid: name },
    spec: {
      nodeName,
      serviceAccountName: `account-${nodeName}`,
      imagePullSecrets: [{ name: `pull-${name}` }],
      containers: [
        {
          name: "c",
          env: [{ name: "E", valueFrom: { configMapKeyRef: { name: `env-map-${name}`, key: "k" } } }],
          envFrom: [{ configMapRef: { name: `env-from-${name}` } }, { secretRef: { name: `env-secret-${name}` } }],
        },
      ],
      volumes: [
        { name: "secret", secret: { secretName: `secret-${name}` } },
        { name: "shared", secret: { secretName: "secret-shared" } },
        { name: "map", configMap: { name: `map-${name}` } },
        {
          name: "all",
          projected: { sources: [{ configMap: { name: `projected-map-${name}` } }, { secret: { name: `projected-${name}` } }] },
        },
        { name: "claim", persistentVolumeClaim: { claimName: `claim-${name}` } },
        { name: "scratch", ephemeral },
      ],
      resourceClaims: [
        { name: "direct", resourceClaimName: `device-${name}` },
        { name: "made", resourceClaimTemplateName: "t" },
        { name: "unneeded", resourceClaimTemplateName: "t" },
        { name: "pending", resourceClaimTemplateName: "t" },
      ],
    },
    status: {
      resourceClaimStatuses: [{ name: "made", resourceClaimName: `generated-${name}` }, { name: "unneeded" }],
      extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: `extended-${name}` },
    },
  }
}

const volume = (name: string) => ({
  metadata: { name: `pv-${name}` },
  spec: {
    claimRef: { namespace: "ns", name: `claim-${name}` },
    csi: {
      driver: "d",
      volumeHandle: "v",
      nodePublishSecretRef: { namespace: "ns", name: `publish-${name}` },
      nodeStageSecretRef: { namespace: "other", name: `stage-${name}` },
      controllerPublishSecretRef: { namespace: "ns", name: `controller-${name}` },
    },
  },
})

async function sample() {
  const made = graphOfStorage()
  for (const node of ["node0", "node1"]) {
    await made.put("pods", pod(`pod-${node}`, node))
    await made.put("persistentVolumes", volume(`pod-${node}`))
    await made.put("volumeAttachments", { metadata: { name: `attachment-${node}` }, spec: { nodeName: node } })
    await made.put("resourceSlices", { metadata: { name: `slice-${node}` }, spec: { nodeName: node } })
  }
  return made
}

const unrelated = "no relationship found between node 'node0' and this object"
const onlyGet = "can only get individual resources of this type"
const [pvc, slices, csi, leases] = [
  "core/persistentvolumeclaims",
  "resource.k8s.io/resourceslices",
  "storage.k8s.io/csinodes",
  "coordination.k8s.io/leases",
]
const onlyOwnLease = "can only access node lease with the same name as the requesting node"
const onlyOwnCsi = "can only access CSINode with the same name as the requesting node"
const onlyNodeLeases = 'can only access leases in the "kube-node-lease" system namespace'
const leaseVerbs = "can only get, create, update, patch, or delete a node lease"
const selectSlices = "can only list/watch/deletecollection resourceslices with nodeName field selector"
const selectPods = "can only list/watch pods with spec.nodeName field selector"

/** Requests of node0, each with the reason of its refusal; true where it is allowed, "" where it is refused without a reason. */
const rows: readonly (readonly [string, string | true])[] = [
  ["get core/configmaps ns/map-pod-node0", true],
  ["get core/configmaps ns/env-map-pod-node0", true],
  ["get core/configmaps ns/env-from-pod-node0", true],
  ["get core/configmaps ns/projected-map-pod-node0", true],
  ["get core/configmaps ns/map-pod-node1", unrelated],
  ["get core/configmaps other/map-pod-node0", unrelated],
  ["update core/configmaps ns/map-pod-node0", "can only read resources of this type"],
  ["get core/secrets ns/secret-pod-node0", true],
  ["get core/secrets ns/pull-pod-node0", true],
  ["get core/secrets ns/env-secret-pod-node0", true],
  ["get core/secrets ns/projected-pod-node0", true],
  ["list core/secrets ns/secret-pod-node0", true],
  ["watch core/secrets ns/secret-pod-node0", true],
  ["list core/secrets ns/", "No Object name found"],
  ["watch core/secrets ns/", "No Object name found"],
  ["list core/secrets /secret-pod-node0", "can only read namespaced object of this type"],
  ["get core/secrets/status ns/secret-pod-node0", "cannot read subresource"],
  ["create core/secrets ns/", "can only read resources of this type"],
  ["get core/secrets ns/secret-shared", true],
  ["get core/secrets ns/secret-pod-node1", unrelated],
  ["get core/secrets ns/publish-pod-node0", true],
  ["get core/secrets other/stage-pod-node0", true],
  ["get core/secrets ns/controller-pod-node0", unrelated],
  ["get core/secrets ns/publish-pod-node1", unrelated],
  [`get ${pvc} ns/claim-pod-node0`, true],
  [`get ${pvc} ns/pod-node0-scratch`, true],
  [`get ${pvc} ns/claim-pod-node1`, unrelated],
  [`list ${pvc} ns/claim-pod-node0`, onlyGet],
  [`update ${pvc}/status ns/claim-pod-node0`, true],
  [`patch ${pvc}/status ns/claim-pod-node0`, true],
  [`patch ${pvc}/status ns/claim-pod-node1`, unrelated],
  [`get ${pvc}/status ns/claim-pod-node0`, "can only get/update/patch this type"],
  [`get ${pvc}/finalize ns/claim-pod-node0`, "cannot get subresource"],
  ["get core/persistentvolumes /pv-pod-node0", true],
  ["get core/persistentvolumes /pv-pod-node1", unrelated],
  ["watch core/persistentvolumes /pv-pod-node0", onlyGet],
  ["get resource.k8s.io/resourceclaims ns/device-pod-node0", true],
  ["get resource.k8s.io/resourceclaims ns/generated-pod-node0", true],
  ["get resource.k8s.io/resourceclaims ns/extended-pod-node0", true],
  ["get resource.k8s.io/resourceclaims ns/device-pod-node1", unrelated],
  ["get resource.k8s.io/resourceclaims ns/pending", unrelated],
  ["get storage.k8s.io/volumeattachments /attachment-node0", true],
  ["get storage.k8s.io/volumeattachments /attachment-node1", unrelated],
  ["create core/serviceaccounts/token ns/account-node0", true],
  ["create core/serviceaccounts/token ns/account-node1", unrelated],
  ["create core/serviceaccounts ns/account-node0", "can only create token subresource of serviceaccount"],
  ["update core/serviceaccounts/token ns/account-node0", "can only create tokens for individual service accounts"],
  ["create core/serviceaccounts/token ns/", "can only create tokens for individual service accounts"],
  ["get core/serviceaccounts ns/account-node0", true],
  ["get core/serviceaccounts ns/account-node1", unrelated],
  ["list core/serviceaccounts ns/account-node0", "can only create tokens for individual service accounts"],
  ["watch core/serviceaccounts ns/account-node0", "can only create tokens for individual service accounts"],
  ["create certificates.k8s.io/podcertificaterequests ns/r", ""],
  ["get certificates.k8s.io/podcertificaterequests ns/r", ""],
  ["list certificates.k8s.io/podcertificaterequests ns/ ?spec.nodeName=node0", ""],
  ["watch certificates.k8s.io/podcertificaterequests ns/ ?spec.nodeName=node0", ""],
  ...["get", "create", "update", "patch", "delete"].flatMap((verb): [string, string | true][] => [
    [`${verb} ${leases} foo/node0`, onlyNodeLeases],
    [`${verb} ${leases} kube-node-lease/node0`, true],
    [`${verb} ${leases} kube-node-lease/node1`, verb === "create" ? true : onlyOwnLease],
    [`${verb} ${csi} /node0`, true],
    [`${verb} ${csi} /node1`, verb === "create" ? true : onlyOwnCsi],
    [`${verb} ${slices} /slice-node0`, true],
    [`${verb} ${slices} /slice-node1`, verb === "create" ? true : unrelated],
  ]),
  [`list ${leases} kube-node-lease/`, leaseVerbs],
  [`watch ${leases} kube-node-lease/`, leaseVerbs],
  [`get ${csi}/csiDrivers /node0`, "cannot authorize CSINode subresources"],
  [`list ${csi}`, "can only get, create, update, patch, or delete a CSINode"],
  [`watch ${csi}`, "can only get, create, update, patch, or delete a CSINode"],
  [`get ${slices}/status /slice-node0`, "cannot authorize ResourceSlice subresources"],
  ...["list", "watch", "deletecollection"].flatMap((verb): [string, string | true][] => [
    [`${verb} ${slices} ?spec.nodeName==node0`, true],
    [`${verb} ${slices} ?spec.nodeName==node1`, selectSlices],
    [`${verb} ${slices} ?spec.nodeName!=node0`, selectSlices],
    [`${verb} ${slices}`, selectSlices],
  ]),
  [
    `bind ${slices}`,
    "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
  ],
  ["get core/pods ns/pod-node0", true],
  ["get core/pods ns/pod-node1", unrelated],
  ...["list", "watch"].flatMap((verb): [string, string | true][] => [
    [`${verb} core/pods ?spec.nodeName=node0`, true],
    [`${verb} core/pods ?spec.nodeName==node0`, true],
    [`${verb} core/pods ?spec.nodeName=node1`, selectPods],
    [`${verb} core/pods ns/pod-node0`, true],
    [`${verb} core/pods ns/pod-node1`, unrelated],
    [`${verb} core/pods`, selectPods],
  ]),
  ["create core/pods ns/", true],
  ["create core/pods/proxy ns/", ""],
  ["delete core/pods ns/pod-node0", true],
  ["delete core/pods ns/pod-node1", true],
  ["delete core/pods/proxy ns/pod-node0", ""],
  ["deletecollection core/pods ns/", ""],
  ["update core/pods ns/pod-node0", ""],
  ["update core/pods/status ns/pod-node0", true],
  ["update core/pods/status ns/pod-node1", true],
  ["patch core/pods/status ns/pod-node0", true],
  ["patch core/pods/status ns/pod-node1", true],
  ["get core/pods/status ns/pod-node0", ""],
  ["create core/pods/eviction ns/pod-node0", true],
  ["create core/pods/eviction ns/pod-node1", true],
  ...["get", "list", "watch"].flatMap((verb): [string, string | true][] => [
    [`${verb} core/nodes /node0`, true],
    [`${verb} core/nodes /node1`, "node 'node0' cannot read 'node1', only its own Node object"],
    [`${verb} core/nodes`, "node 'node0' cannot read all nodes, only its own Node object"],
  ]),
  ["create core/nodes", true],
  ...["update", "patch"].flatMap((verb): [string, string | true][] => [
    [`${verb} core/nodes /node0`, true],
    [`${verb} core/nodes /node1`, true],
    [`${verb} core/nodes/status /node0`, true],
    [`${verb} core/nodes/status /node1`, true],
  ]),
  ["delete core/nodes /node0", ""],
  ["get core/nodes/status /node0", ""],
  ["list core/services", true],
  ["create core/events ns/", true],
  ["create authentication.k8s.io/tokenreviews", true],
  ["create certificates.k8s.io/certificatesigningrequests", true],
  ["watch node.k8s.io/runtimeclasses", true],
  ["list apps/deployments ns/", ""],
]

test.each(rows)("node0: %s", async (text, expected) => {
  const { decide } = await sample()
  const { allowed, denied, reason = "" } = decide("node0", request(text))
  expect([allowed ? true : reason, denied]).toEqual([expected, undefined])
})

test("a node that is not registered may read itself", async () => {
  const { decide } = graphOfStorage()
  expect(decide("new", request("get core/nodes /new")).allowed).toBe(true)
  expect(decide("new", request("get core/secrets ns/s")).reason).toBe("no relationship found between node 'new' and this object")
})

test.each([
  ["a user that is no node", { name: "alice", groups: ["system:nodes"] }, ""],
  ["a node's name without its group", { name: "system:node:node0", groups: [] }, ""],
  ["a node without a name", { name: "system:node:", groups: ["system:nodes"] }, 'unknown node for user "system:node:"'],
])("%s gets nothing", async (_name, who, reason) => {
  const { authorizer } = await sample()
  const what = request("get core/nodes /node0")
  expect(authorizer.authorize(who, what)).toEqual({ allowed: false, ...(reason !== "" && { reason }) })
})

test("the rights of a node cannot be listed", async () => {
  const { authorizer } = graphOfStorage()
  expect(authorizer.rules({ name: "system:node:a", groups: ["system:nodes"] }, "ns")).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: "node authorizer does not support user rule resolution",
  })
  expect(authorizer.rules({ name: "alice", groups: [] }, "ns")).toMatchObject({ incomplete: false })
})

test("a shared object is a node's until the last of its pods that uses it is gone", async () => {
  const { put, remove, decide } = graphOfStorage()
  const mounts = (name: string, nodeName: string, ...secrets: readonly string[]) => ({
    metadata: { namespace: "ns", name },
    spec: { nodeName, volumes: secrets.map((secretName) => ({ name: secretName, secret: { secretName } })) },
  })
  const may = (node: string, secret: string) => decide(node, request(`get core/secrets ns/${secret}`)).allowed
  await put("pods", mounts("a", "node1", "shared", "own"))
  expect([may("node1", "shared"), may("node2", "shared")]).toEqual([true, false])
  await put("pods", mounts("b", "node1", "shared"))
  await put("pods", mounts("c", "node2", "shared"))
  expect([may("node1", "shared"), may("node2", "shared"), may("node2", "own")]).toEqual([true, true, false])
  await remove("pods", { namespace: "ns", name: "a" })
  expect([may("node1", "shared"), may("node1", "own")]).toEqual([true, false])
  await remove("pods", { namespace: "ns", name: "b" })
  expect([may("node1", "shared"), may("node2", "shared")]).toEqual([false, true])
})

test("a pod counts when it is bound, an ephemeral container adds what it names, and a mirror pod gives nothing but itself", async () => {
  const { put, decide } = graphOfStorage()
  const may = (text: string) => decide("node0", request(text)).allowed
  const bound = pod("p", "node0") as { readonly spec: object; readonly metadata: object }
  await put("pods", { ...bound, spec: { ...bound.spec, nodeName: undefined } })
  expect(may("get core/secrets ns/secret-p")).toBe(false)
  await put("pods", bound)
  expect(may("get core/secrets ns/secret-p")).toBe(true)
  const ephemeralContainers = [{ name: "debug", envFrom: [{ secretRef: { name: "late" } }] }]
  await put("pods", { ...bound, spec: { ...bound.spec, ephemeralContainers } })
  expect(may("get core/secrets ns/late")).toBe(true)
  const annotations = { "kubernetes.io/config.mirror": "hash" }
  await put("pods", { ...bound, metadata: { ...bound.metadata, annotations } })
  expect([may("get core/pods ns/p"), may("get core/secrets ns/secret-p"), may("get core/serviceaccounts ns/account-node0")]).toEqual([
    true,
    false,
    false,
  ])
})

test("a pod that becomes a mirror pod with the same spec takes what it named with it", async () => {
  const { put, remove, decide } = graphOfStorage()
  const may = () => decide("node0", request("get core/secrets ns/secret-p")).allowed
  const bound = pod("p", "node0") as { readonly spec: object; readonly metadata: object }
  const mirror = { ...bound, metadata: { ...bound.metadata, annotations: { "kubernetes.io/config.mirror": "hash" } } }
  await put("pods", bound)
  await put("pods", mirror)
  expect(may()).toBe(false)
  await put("pods", bound)
  expect(may()).toBe(true)
  await put("pods", mirror)
  await remove("pods", { namespace: "ns", name: "p" })
  expect(may()).toBe(false)
})

test("a volume that is bound to another claim takes its secrets with it", async () => {
  const { put, remove, decide } = await sample()
  const may = (node: string) => decide(node, request("get core/secrets ns/publish-pod-node0")).allowed
  expect([may("node0"), may("node1")]).toEqual([true, false])
  const moved = volume("pod-node0")
  await put("persistentVolumes", { ...moved, spec: { ...moved.spec, claimRef: { namespace: "ns", name: "claim-pod-node1" } } })
  expect([may("node0"), may("node1")]).toEqual([false, true])
  await remove("persistentVolumes", { name: "pv-pod-node0" })
  expect([may("node0"), may("node1")]).toEqual([false, false])
})

test("the graph of many pods is built in turns, and counts what changes meanwhile", async () => {
  // Each reading takes longer than a slice.
  let elapsed = 0
  const { put, remove, decide } = graphOfStorage({ elapsed: () => (elapsed += 30), external: (work) => work })
  for (let count = 0; count < 200; count++) await put("pods", pod(`p${count}`, "n"))
  const first = decide("n", request("get core/secrets ns/pull-p0"))
  expect(first).toBeInstanceOf(Promise)
  await remove("pods", { namespace: "ns", name: "p199" })
  await put("pods", pod("late", "n"))
  const others = ["pull-p0", "pull-p198", "pull-p199", "pull-late"].map((name) => decide("n", request(`get core/secrets ns/${name}`)))
  expect((await first).allowed).toBe(true)
  expect((await Promise.all(others)).map(({ allowed }) => allowed)).toEqual([true, true, false, true])
  expect(decide("n", request("get core/secrets ns/pull-late"))).toEqual({ allowed: true })
})
