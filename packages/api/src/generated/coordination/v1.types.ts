// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { MicroTime } from "../../quantity/scalars.ts"

export interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1"
  readonly kind: "Lease"
  readonly metadata: ObjectMeta
  readonly spec?: LeaseSpec
}

export interface LeaseList {
  readonly apiVersion: "coordination.k8s.io/v1"
  readonly kind: "LeaseList"
  readonly metadata: ListMeta
  readonly items: readonly Lease[]
}

export interface LeaseSpec {
  readonly acquireTime?: MicroTime
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly leaseTransitions?: number
  readonly preferredHolder?: string
  readonly renewTime?: MicroTime
  readonly strategy?: string
}
