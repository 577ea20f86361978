// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"

export interface PriorityClass {
  readonly apiVersion: "scheduling.k8s.io/v1"
  readonly kind: "PriorityClass"
  readonly metadata: ObjectMeta
  readonly description?: string
  readonly globalDefault?: boolean
  readonly preemptionPolicy?: "Never" | "PreemptLowerPriority"
  readonly value?: number
}

export interface PriorityClassList {
  readonly apiVersion: "scheduling.k8s.io/v1"
  readonly kind: "PriorityClassList"
  readonly metadata: ListMeta
  readonly items: readonly PriorityClass[]
}
