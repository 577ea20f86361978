import type { ObjectMeta } from "./meta.ts"

/** What every Kubernetes object is. Objects from caches and servers are shared and frozen: make a new one to change something. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}
