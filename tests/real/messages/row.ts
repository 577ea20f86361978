import type { ApiRequest } from "../api-client.ts"

/** One request that both servers are sent. Its name says what is wrong with it. */
export interface Row extends ApiRequest {
  readonly name: string
  /** Why both have to refuse it, though not in the same words. */
  readonly alike?: string
  /** Whether the real server allows it only once an informer of its admission has seen the row before: dry runs are sent until one succeeds. */
  readonly afterInformer?: boolean
}

type Body = unknown
type More = Partial<Omit<Row, "name" | "verb" | "path">>

export const namespace = "default"

/** The path of a collection, or of what is in it: at("configmaps", "a") or at("apps/deployments"). */
export function at(resource: string, ...rest: readonly string[]): string {
  const [plural = "", group] = resource.split("/").toReversed()
  const base = group === undefined ? "/api/v1" : `/apis/${versions[group] ?? group}`
  return [base, ...(clusterWide.has(plural) ? [] : ["namespaces", namespace]), plural, ...rest].join("/")
}

const versions: Readonly<Record<string, string>> = {
  apps: "apps/v1",
  batch: "batch/v1",
  policy: "policy/v1",
  autoscaling: "autoscaling/v2",
  rbac: "rbac.authorization.k8s.io/v1",
  networking: "networking.k8s.io/v1",
  storage: "storage.k8s.io/v1",
  scheduling: "scheduling.k8s.io/v1",
  coordination: "coordination.k8s.io/v1",
  discovery: "discovery.k8s.io/v1",
  events: "events.k8s.io/v1",
  certificates: "certificates.k8s.io/v1",
  node: "node.k8s.io/v1",
}

const clusterWide: ReadonlySet<string> = new Set([
  "namespaces",
  "nodes",
  "persistentvolumes",
  "clusterroles",
  "clusterrolebindings",
  "storageclasses",
  "priorityclasses",
  "certificatesigningrequests",
  "ingressclasses",
  "runtimeclasses",
  "csidrivers",
  "csinodes",
  "volumeattachments",
  "volumeattributesclasses",
])

export const get = (name: string, path: string, more: More = {}): Row => ({ name, verb: "GET", path, ...more })
export const post = (name: string, path: string, body: Body, more: More = {}): Row => ({ name, verb: "POST", path, body, ...more })
export const put = (name: string, path: string, body: Body, more: More = {}): Row => ({ name, verb: "PUT", path, body, ...more })
export const remove = (name: string, path: string, more: More = {}): Row => ({ name, verb: "DELETE", path, ...more })

type PatchType = "json" | "merge" | "strategic"

export function patch(name: string, path: string, type: PatchType, body: Body, more: More = {}): Row {
  const contentType =
    type === "strategic" ? "application/strategic-merge-patch+json" : `application/${type === "json" ? "json-patch" : "merge-patch"}+json`
  return { name, verb: "PATCH", path, contentType, body, ...more }
}

/** Bytes that are sent as they are. */
export function raw(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
