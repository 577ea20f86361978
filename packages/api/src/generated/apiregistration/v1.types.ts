// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Time } from "../../quantity/scalars.ts"

export interface APIService {
  readonly apiVersion: "apiregistration.k8s.io/v1"
  readonly kind: "APIService"
  readonly metadata: ObjectMeta
  readonly spec?: APIServiceSpec
  readonly status?: APIServiceStatus
}

export interface APIServiceCondition {
  readonly lastTransitionTime?: Time
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface APIServiceList {
  readonly apiVersion: "apiregistration.k8s.io/v1"
  readonly kind: "APIServiceList"
  readonly metadata: ListMeta
  readonly items: readonly APIService[]
}

export interface APIServiceSpec {
  readonly caBundle?: string
  readonly group?: string
  readonly groupPriorityMinimum: number
  readonly insecureSkipTLSVerify?: boolean
  readonly service?: ServiceReference
  readonly version?: string
  readonly versionPriority: number
}

export interface APIServiceStatus {
  readonly conditions?: readonly APIServiceCondition[]
}

export interface ServiceReference {
  readonly name?: string
  readonly namespace?: string
  readonly port?: number
}
