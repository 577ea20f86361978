import { type KubeObject, StatusError } from "@pilothouse/api"
import { expect, test } from "vitest"
import type { Authorizer } from "../../../authorization/authorizer.ts"
import { noRules } from "../../../authorization/authorizer.ts"
import { CustomResources } from "../../../customresources/custom-resources.ts"
import { createRegistry } from "../../../registry/registry.ts"
import { memoryStorage } from "../../../storage/memory.ts"
import type { AdmissionAttributes } from "../../plugin.ts"
import { nodeRestriction } from "../node-restriction.ts"

export type Given = Readonly<Record<string, unknown>>
export type Operation = "CREATE" | "UPDATE" | "DELETE"

export const mirror = { "kubernetes.io/config.mirror": "true" }
export const owner = { apiVersion: "v1", kind: "Node", name: "mynode", uid: "mynode-uid", controller: true }

/** A pod of namespace ns; `spec.nodeName` is left out where the node is "". */
export function pod(name: string, node: string, more: { metadata?: Given; spec?: Given; status?: Given } = {}): KubeObject {
  const uid = `${name}-uid`
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "ns", uid, ...more.metadata },
    spec: { ...(node !== "" && { nodeName: node }), ...more.spec },
    ...(more.status && { status: more.status }),
  } as KubeObject
}
export const mirrorPod = (name: string, node: string, more: { metadata?: Given; spec?: Given } = {}) =>
  pod(name, node, { spec: more.spec, metadata: { annotations: mirror, ownerReferences: [owner], ...more.metadata } })

export const audiences = (...names: readonly string[]) => ({
  volumes: [{ name: "t", projected: { sources: names.map((audience) => ({ serviceAccountToken: { audience, path: "t" } })) } }],
})
export const claimed = (claimName: string) => ({ volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] })
export const stored: readonly (readonly [string, KubeObject])[] = [
  ["nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "mynode", uid: "mynode-uid" } }],
  ...[
    mirrorPod("mymirror", "mynode"),
    mirrorPod("othermirror", "othernode"),
    mirrorPod("unboundmirror", ""),
    pod("mypod", "mynode", { spec: audiences("") }),
    pod("otherpod", "othernode"),
    pod("unboundpod", ""),
    pod("audience", "mynode", { spec: audiences("vault") }),
    pod("csi", "mynode", { spec: { volumes: [{ name: "v", csi: { driver: "driver" } }] } }),
    pod("nodriver", "mynode", { spec: { volumes: [{ name: "v", csi: { driver: "missing" } }] } }),
    pod("claim", "mynode", { spec: claimed("data") }),
    pod("noclaim", "mynode", { spec: claimed("missing") }),
    pod("novolume", "mynode", { spec: claimed("unbound") }),
    pod("ephemeral", "mynode", { spec: { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] } }),
    pod("intree", "mynode", { spec: claimed("disk") }),
    pod("inline", "mynode", { spec: { volumes: [{ name: "v", azureFile: { secretName: "s", shareName: "s" } }] } }),
  ].map((one) => ["pods", one] as const),
  ...Object.entries({ data: "pv", unbound: "missing", "ephemeral-v": "pv", disk: "disk" }).map(
    ([name, volumeName]) =>
      ["persistentvolumeclaims", { metadata: { name, namespace: "ns" }, spec: { volumeName } } as unknown as KubeObject] as const,
  ),
  ["persistentvolumes", { metadata: { name: "pv" }, spec: { csi: { driver: "driver" } } } as unknown as KubeObject],
  ["persistentvolumes", { metadata: { name: "disk" }, spec: { azureDisk: { diskName: "d", diskURI: "d" } } } as unknown as KubeObject],
  ...["driver", "disk.csi.azure.com", "file.csi.azure.com"].map(
    (name) => ["csidrivers", { metadata: { name }, spec: { tokenRequests: [{ audience: "vault" }] } } as unknown as KubeObject] as const,
  ),
]

export const groups: Readonly<Record<string, string>> = {
  certificatesigningrequests: "certificates.k8s.io",
  csidrivers: "storage.k8s.io",
  csinodes: "storage.k8s.io",
  leases: "coordination.k8s.io",
  resourceslices: "resource.k8s.io",
}

export interface Asked {
  readonly operation: Operation
  /** "pods/status". */
  readonly resource: string
  readonly name?: string
  readonly namespace?: string
  readonly object?: unknown
  readonly old?: unknown
  readonly user?: string
}

export const clusterScoped: readonly string[] = ["nodes", "csinodes", "resourceslices", "certificatesigningrequests"]

export async function storedServer() {
  const storage = memoryStorage({})
  const registry = createRegistry({ customResources: new CustomResources(storage) })
  const resourceOf = (plural: string) => registry.resource(groups[plural] ?? "", "v1", plural)!
  await storage.commit(
    stored.map(([plural, value]) => {
      const { namespace: place, name: own } = value.metadata
      return { key: `${resourceOf(plural).stored.prefix}${place === undefined ? "" : `${place}/`}${own}`, make: () => value }
    }),
  )
  const authorizer: Authorizer = {
    authorize: (_who, what) => ({ allowed: "resource" in what && what.resource === "granted" && what.name === "account" }),
    rules: () => noRules,
  }
  const clock = { external: <T>(work: Promise<T>) => work }
  return { server: { storage, registry, authorizer, clock }, resourceOf }
}

/** Decides on a write of mynode, and returns the refusal; undefined where it is admitted. */
export async function decide({ resource: path, user = "system:node:mynode", ...asked }: Asked): Promise<string | undefined> {
  const { server, resourceOf } = await storedServer()
  const [plural = "", subresource = ""] = path.split("/")
  const named = (asked.object ?? asked.old) as KubeObject | undefined
  const identity = { name: user, groups: ["system:nodes"] }
  const place = clusterScoped.includes(plural) ? undefined : "ns"
  const about = { name: named?.metadata.name ?? "", namespace: place, ...asked }
  const attributes = { server, identity, resource: resourceOf(plural), subresource, ...about } as unknown as AdmissionAttributes
  try {
    await nodeRestriction.admit?.(attributes)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError)
    return (error as StatusError).message
  }
}

export type Row = readonly [title: string, asked: Asked, refused?: string]

export const create = (resource: string, object: unknown, more: Partial<Asked> = {}): Asked => ({
  operation: "CREATE",
  resource,
  object,
  ...more,
})
export const update = (resource: string, object: unknown, old: unknown, more: Partial<Asked> = {}): Asked => ({
  operation: "UPDATE",
  resource,
  object,
  old,
  ...more,
})
export const remove = (resource: string, old: unknown, more: Partial<Asked> = {}): Asked => ({
  operation: "DELETE",
  resource,
  old,
  ...more,
})
export const evict = (name: string, more: Partial<Asked> = {}) => create("pods/eviction", { metadata: { name } }, more)

export const own = "mynode"
export const other = "othernode"
export const unbound = ""
export const onlyMirror = (operation: string) => `unexpected operation "${operation}", node "mynode" can only create and delete mirror pods`
export const noMirror = 'pod does not have "kubernetes.io/config.mirror" annotation, node "mynode" can only create mirror pods'
export const boundCreate = 'node "mynode" can only create pods with spec.nodeName set to itself'
export const boundDelete = 'node "mynode" can only delete pods with spec.nodeName set to itself'
export const boundStatus = 'node "mynode" can only update pod status for pods with spec.nodeName set to itself'
export const boundEvict = "node mynode can only evict pods with spec.nodeName set to itself"

/** A test for each row: the write is admitted, or refused in these words. */
export function testWrites(rows: readonly Row[]): void {
  test.each(rows.map(([title, asked, refused]) => ({ title, asked, refused })))("$title", async ({ asked, refused }) => {
    const message = await decide(asked)
    if (refused === undefined) expect(message).toBeUndefined()
    else
      expect(message).toMatch(
        refused.endsWith("not found") && !refused.startsWith("error") ? refused : new RegExp(`is forbidden: ${escaped(refused)}$`),
      )
  })
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
