// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Duration, Quantity, Time } from "../../quantity/scalars.ts"

export interface ContainerMetrics {
  readonly name: string
  readonly usage: Readonly<Record<string, Quantity>>
}

export interface NodeMetrics {
  readonly apiVersion: "metrics.k8s.io/v1beta1"
  readonly kind: "NodeMetrics"
  readonly metadata: ObjectMeta
  readonly timestamp: Time
  readonly usage: Readonly<Record<string, Quantity>>
  readonly window: Duration
}

export interface NodeMetricsList {
  readonly apiVersion: "metrics.k8s.io/v1beta1"
  readonly kind: "NodeMetricsList"
  readonly metadata: ListMeta
  readonly items: readonly NodeMetrics[]
}

export interface PodMetrics {
  readonly apiVersion: "metrics.k8s.io/v1beta1"
  readonly kind: "PodMetrics"
  readonly metadata: ObjectMeta
  readonly containers: readonly ContainerMetrics[]
  readonly timestamp: Time
  readonly window: Duration
}

export interface PodMetricsList {
  readonly apiVersion: "metrics.k8s.io/v1beta1"
  readonly kind: "PodMetricsList"
  readonly metadata: ListMeta
  readonly items: readonly PodMetrics[]
}
