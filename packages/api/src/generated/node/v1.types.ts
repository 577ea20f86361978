// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Quantity } from "../../quantity/scalars.ts"
import type { Toleration } from "../core/v1.types.ts"

export interface Overhead {
  readonly podFixed?: Readonly<Record<string, Quantity>>
}

export interface RuntimeClass {
  readonly apiVersion: "node.k8s.io/v1"
  readonly kind: "RuntimeClass"
  readonly metadata: ObjectMeta
  readonly handler: string
  readonly overhead?: Overhead
  readonly scheduling?: Scheduling
}

export interface RuntimeClassList {
  readonly apiVersion: "node.k8s.io/v1"
  readonly kind: "RuntimeClassList"
  readonly metadata: ListMeta
  readonly items: readonly RuntimeClass[]
}

export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly Toleration[]
}
