import type { ApiAnswer, ApiClient } from "../../api-client.ts"
import { type ExpectedAnswer, until } from "../../kcm/until.ts"
import type { Group } from "../../tally.ts"

/** An object without its kind, which the path of its collection says. */
export interface Written {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** What the chapters of the story write with, as an administrator, in a namespace of their own. */
export interface Teller {
  readonly namespace: string
  /** "storage.k8s.io/v1/volumeattachments" of the cluster; "apps/v1/deployments", "v1/pods" with `path` of the namespace. */
  cluster(resource: string): string
  path(resource: string): string
  create(path: string, ...objects: readonly Written[]): Promise<void>
  patch(path: string, body: object): Promise<void>
  /** Writes the subresource status. */
  status(path: string, status: object): Promise<void>
  remove(path: string, options?: object): Promise<void>
  read(path: string): Promise<ApiAnswer>
  until(name: string, path: string, when: ExpectedAnswer["when"]): Promise<void>
}

export function teller(group: Group, client: ApiClient, namespace: string): Teller {
  const rootOf = (resource: string) => (resource.startsWith("v1/") ? "/api" : "/apis")
  const cluster = (resource: string) => `${rootOf(resource)}/${resource}`
  const contentType = "application/merge-patch+json"
  const patch = async (path: string, body: object) => void (await client.object({ verb: "PATCH", path, contentType, body }))
  return {
    namespace,
    cluster,
    path(resource) {
      const [group = "", version = "", ...rest] = resource.split("/")
      const isCore = group === "v1"
      const collection = isCore ? [version, ...rest] : rest
      return cluster([group, ...(isCore ? [] : [version]), "namespaces", namespace, ...collection].join("/"))
    },
    async create(path, ...objects) {
      for (const body of objects) await client.object({ verb: "POST", path, body })
    },
    patch,
    status: (path, status) => patch(`${path}/status`, { status }),
    remove: async (path, body) => void (await client.object({ verb: "DELETE", path, ...(body && { body }) })),
    read: (path) => client.send({ verb: "GET", path }),
    until: async (name, path, when) => void (await until(group, client, { name: `${namespace}: ${name}`, path, when })),
  }
}

/** A container that needs nothing. */
export const containers = [{ name: "app", image: "example/app:1", resources: { requests: { cpu: "10m" } } }]

export function template(app: string, spec: object = {}): object {
  return { metadata: { labels: { app } }, spec: { containers, ...spec } }
}

export const image = (tag: number) => ({
  spec: { template: { spec: { containers: [{ ...containers[0], image: `example/app:${tag}` }] } } },
})
