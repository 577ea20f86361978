import { setTimeout as delay } from "node:timers/promises"
import { stringifyJson } from "@pilothouse/seams"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import type { Group } from "../tally.ts"

const place = "/api/v1/namespaces/nodes"
const storage = "/apis/storage.k8s.io/v1"
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
const slices = "/apis/resource.k8s.io/v1/resourceslices"
/** Until the graph of the real server has seen what was written. */
const seen = 1500

type Call = Parameters<ApiClient["send"]>[0]

const container = { name: "c", image: "i" }
const mirror = { "kubernetes.io/config.mirror": "hash" }

/** A pod of a node that uses a Secret, a ConfigMap, a claim and an account, all named after the node. */
function podOf(node: string): object {
  const volumes = [
    { name: "s", secret: { secretName: `secret-${node}` } },
    { name: "c", configMap: { name: `map-${node}` } },
    { name: "v", persistentVolumeClaim: { claimName: `claim-${node}` } },
    { name: "shared", secret: { secretName: "shared" } },
    { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t", audience: "vault" } }] } },
  ]
  return {
    metadata: { name: `pod-${node}` },
    spec: { nodeName: node, serviceAccountName: `account-${node}`, containers: [container], volumes },
  }
}

function objectsOf(node: string): readonly (readonly [string, object])[] {
  const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more })
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: `pv-${node}` }
  const csi = { driver: "d", volumeHandle: node, nodePublishSecretRef: { namespace: "nodes", name: `publish-${node}` } }
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "nodes", name: `claim-${node}` }
  const volume = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], claimRef, csi }
  const attached = { attacher: "a", nodeName: node, source: { persistentVolumeName: `pv-${node}` } }
  const pool = { name: node, generation: 1, resourceSliceCount: 1 }
  return [
    ["/api/v1/nodes", named(node)],
    [`${place}/secrets`, named(`secret-${node}`)],
    [`${place}/secrets`, named(`publish-${node}`)],
    [`${place}/configmaps`, named(`map-${node}`)],
    [`${place}/serviceaccounts`, named(`account-${node}`)],
    ["/api/v1/persistentvolumes", named(`pv-${node}`, { spec: volume })],
    [`${place}/persistentvolumeclaims`, named(`claim-${node}`, { spec: claim })],
    [`${storage}/volumeattachments`, named(`attachment-${node}`, { spec: attached })],
    [`${storage}/csinodes`, named(node, { spec: { drivers: [] } })],
    [leases, named(node, { spec: { holderIdentity: node } })],
    [slices, named(`slice-${node}`, { spec: { driver: "d.example.com", nodeName: node, pool, devices: [] } })],
    [`${place}/pods`, podOf(node)],
  ]
}

const get = (path: string, query?: Call["query"]): Call => ({ verb: "GET", path, ...(query && { query }) })
const write = (verb: "POST" | "PUT" | "DELETE", path: string, body?: object): Call => ({
  verb,
  path,
  query: { dryRun: "All" },
  ...(body && { body }),
})
const patch = (path: string, body: object): Call => ({
  verb: "PATCH",
  path,
  body,
  query: { dryRun: "All" },
  headers: { "content-type": "application/merge-patch+json" },
})

/** What node-a sends: of its own objects, of another node's, and of none. */
function requests(): readonly Call[] {
  const each = ["node-a", "node-b"].flatMap((node): readonly Call[] => [
    ...["secrets/secret", "secrets/publish", "configmaps/map", "serviceaccounts/account", "persistentvolumeclaims/claim", "pods/pod"].map(
      (path) => get(`${place}/${path}-${node}`),
    ),
    get(`${place}/secrets`, { fieldSelector: `metadata.name=secret-${node}` }),
    get(`${place}/pods`, { fieldSelector: `metadata.name=pod-${node}` }),
    get(`/api/v1/nodes/${node}`),
    get("/api/v1/nodes", { fieldSelector: `metadata.name=${node}` }),
    get("/api/v1/pods", { fieldSelector: `spec.nodeName=${node}` }),
    get("/api/v1/pods", { fieldSelector: `spec.nodeName!=${node}` }),
    get(slices, { fieldSelector: `spec.nodeName=${node}` }),
    get(`${slices}/slice-${node}`),
    get(`/api/v1/persistentvolumes/pv-${node}`),
    get(`${storage}/volumeattachments/attachment-${node}`),
    get(`${storage}/csinodes/${node}`),
    get(`${leases}/${node}`),
    write("DELETE", `${leases}/${node}`),
    write("DELETE", `${storage}/csinodes/${node}`),
    write("DELETE", `${slices}/slice-${node}`),
    write("DELETE", `${place}/pods/pod-${node}`),
    write("DELETE", `/api/v1/nodes/${node}`),
    patch(`${place}/pods/pod-${node}`, { metadata: { labels: { a: "b" } } }),
    patch(`${place}/pods/pod-${node}/status`, { status: { phase: "Running" } }),
    patch(`${place}/pods/pod-${node}/status`, { metadata: { labels: { a: "b" } } }),
    patch(`${place}/persistentvolumeclaims/claim-${node}/status`, { status: { capacity: { storage: "2Gi" } } }),
    patch(`${place}/persistentvolumeclaims/claim-${node}`, { metadata: { labels: { a: "b" } } }),
    patch(`/api/v1/nodes/${node}`, { metadata: { labels: { "kubernetes.io/os": "linux", own: "label" } } }),
    patch(`/api/v1/nodes/${node}`, { metadata: { labels: { "node-restriction.kubernetes.io/a": "b", "k8s.io/c": "d" } } }),
    patch(`/api/v1/nodes/${node}`, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }),
    patch(`/api/v1/nodes/${node}`, { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] } }),
    patch(`/api/v1/nodes/${node}/status`, { status: { phase: "Running" } }),
    patch(`${leases}/${node}`, { spec: { holderIdentity: "x" } }),
    write("POST", `${place}/serviceaccounts/account-${node}/token`, { spec: { audiences: ["vault"] } }),
    write("POST", `${place}/serviceaccounts/account-${node}/token`, {
      spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: `pod-${node}` } },
    }),
    write("POST", `${place}/serviceaccounts/account-${node}/token`, {
      spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: `pod-${node}`, uid: "other" } },
    }),
    write("POST", `${place}/pods/pod-${node}/eviction`, { metadata: { name: `pod-${node}` } }),
    write("POST", `${place}/pods`, { metadata: { name: "m", annotations: mirror }, spec: { nodeName: node, containers: [container] } }),
    write("POST", slices, {
      metadata: { name: "s" },
      spec: { driver: "d.example.com", nodeName: node, pool: { name: "s", generation: 1, resourceSliceCount: 1 }, devices: [] },
    }),
  ])
  return [
    ...each,
    ...["nodes", "pods", "secrets", "configmaps", "services", "persistentvolumes", "namespaces"].map((plural) => get(`/api/v1/${plural}`)),
    ...["secrets", "configmaps", "pods", "serviceaccounts", "endpoints"].map((plural) => get(`${place}/${plural}`)),
    ...[`${storage}/csinodes`, `${storage}/csidrivers`, `${storage}/volumeattachments`, leases, slices].map((path) => get(path)),
    get("/apis/node.k8s.io/v1/runtimeclasses"),
    get("/apis/apps/v1/deployments"),
    get("/metrics"),
    get("/version"),
    get(`${place}/secrets/shared`),
    get(`${place}/secrets/unknown`),
    write("DELETE", slices),
    write("DELETE", `${place}/pods`),
    write("POST", "/api/v1/nodes", { metadata: { name: "node-c" } }),
    write("POST", "/api/v1/nodes", { metadata: { name: "node-a" } }),
    write("POST", leases, { metadata: { name: "node-c" } }),
    write("POST", `${storage}/csinodes`, { metadata: { name: "node-c" }, spec: { drivers: [] } }),
    write("POST", `${place}/secrets`, { metadata: { name: "new" } }),
    write("POST", `${place}/events`, { metadata: { name: "e", namespace: "nodes" }, involvedObject: { namespace: "nodes" } }),
    write("POST", `${place}/pods`, { metadata: { name: "p" }, spec: { nodeName: "node-a", containers: [container] } }),
  ]
}

const users = [
  { "impersonate-user": "system:node:node-a", "impersonate-group": ["system:nodes"] },
  { "impersonate-user": "system:node:", "impersonate-group": ["system:nodes"] },
  { "impersonate-user": "system:node:node-a", "impersonate-group": ["others"] },
]

/** The same requests of a node, of a node without a name and of a user with a node's name, answered by the real server and by ours. */
export async function compareNodes(group: Group, servers: readonly [ApiClient, ApiClient]): Promise<void> {
  for (const client of servers) {
    await client.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "nodes" } } })
    await client.object({ verb: "POST", path: `${place}/secrets`, body: { metadata: { name: "shared" } } })
    for (const [path, body] of ["node-a", "node-b"].flatMap(objectsOf)) await client.object({ verb: "POST", path, body })
  }
  await delay(seen)
  for (const user of users) {
    for (const call of requests()) {
      const asked = { ...call, headers: { ...call.headers, ...user } }
      const [theirs, own] = await Promise.all(servers.map(async (client) => answerText(await client.send(asked))))
      const name = `${user["impersonate-user"]} in ${user["impersonate-group"]}: ${call.verb} ${call.path} ${stringifyJson(call.query ?? {})}`
      group.case(name, theirs === own ? undefined : `the server: ${theirs}\nours:       ${own}`)
    }
  }
}

/** The words of a refusal without the diff that upstream prints of a claim; of everything else the code alone. */
function answerText({ status, value }: ApiAnswer): string {
  if (status < 400) return String(status)
  const { message } = value as { readonly message?: string }
  return `${status} ${(message ?? stringifyJson(value)).replace(/(status\.conditions): [^]*/, "$1")}`
}
