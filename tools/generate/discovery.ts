import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { GoModules } from "./go-modules.ts"

/** A row of an APIResourceList. A name with a slash is a subresource. */
export interface DiscoveredResource {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  /** Of the body, where it is not the list's. */
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

export interface DiscoveredGroupVersion {
  readonly group: string
  readonly version: string
  /** The OpenAPI document's name: "apis__apps__v1". Absent for what kube-apiserver does not serve itself. */
  readonly document?: string
  readonly resources: readonly DiscoveredResource[]
}

/**
 * Not GA, but kube-controller-manager has controllers for them; servers have them switched off unless asked. Of documents with other kinds too, those that
 * controllers work on.
 */
const alsoWanted: Readonly<Record<string, string | undefined>> = {
  "apis__certificates.k8s.io__v1beta1": undefined,
  "apis__internal.apiserver.k8s.io__v1alpha1": undefined,
  "apis__resource.k8s.io__v1alpha3": "ResourcePoolStatusRequest",
  "apis__scheduling.k8s.io__v1alpha2": "PodGroup",
  "apis__storagemigration.k8s.io__v1beta1": undefined,
}

/** Answered by an extension server, so kube-apiserver's golden files do not have it. */
const metrics: DiscoveredGroupVersion = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  resources: [
    { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
    { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ],
}

/** Every GA group version as a default kube-apiserver announces it, from the golden files of its own discovery test. */
export function readDiscovery(modules: GoModules): DiscoveredGroupVersion[] {
  const folder = join(modules.kubernetes, "api/discovery")
  if (!existsSync(folder)) throw new Error(`${folder} is gone: shortNames and categories must be found elsewhere`)
  const documents = readdirSync(folder).flatMap((file) => /^(apis?__.*v\d+)\.json$/.exec(file)?.[1] ?? [])
  const wanted = [...documents, ...Object.keys(alsoWanted)]
  const served = wanted.map((document) => onlyKind(readDocument(folder, document), alsoWanted[document]))
  return [...served, metrics].sort((a, b) => compare(`${a.group}/${a.version}`, `${b.group}/${b.version}`))
}

function readDocument(folder: string, document: string): DiscoveredGroupVersion {
  const list = JSON.parse(readFileSync(join(folder, `${document}.json`), "utf8")) as {
    groupVersion: string
    resources: DiscoveredResource[]
  }
  const [version = "", group = ""] = list.groupVersion.split("/").reverse()
  return { group, version, document, resources: list.resources }
}

function onlyKind(read: DiscoveredGroupVersion, wanted: string | undefined): DiscoveredGroupVersion {
  return wanted === undefined ? read : { ...read, resources: read.resources.filter(({ kind }) => kind === wanted) }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
