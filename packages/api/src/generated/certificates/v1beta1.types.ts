// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Time } from "../../quantity/scalars.ts"
import type { Condition } from "../meta/v1.types.ts"

export interface ClusterTrustBundle {
  readonly apiVersion: "certificates.k8s.io/v1beta1"
  readonly kind: "ClusterTrustBundle"
  readonly metadata: ObjectMeta
  readonly spec: ClusterTrustBundleSpec
}

export interface ClusterTrustBundleList {
  readonly apiVersion: "certificates.k8s.io/v1beta1"
  readonly kind: "ClusterTrustBundleList"
  readonly metadata: ListMeta
  readonly items: readonly ClusterTrustBundle[]
}

export interface ClusterTrustBundleSpec {
  readonly signerName?: string
  readonly trustBundle: string
}

export interface PodCertificateRequest {
  readonly apiVersion: "certificates.k8s.io/v1beta1"
  readonly kind: "PodCertificateRequest"
  readonly metadata: ObjectMeta
  readonly spec: PodCertificateRequestSpec
  readonly status?: PodCertificateRequestStatus
}

export interface PodCertificateRequestList {
  readonly apiVersion: "certificates.k8s.io/v1beta1"
  readonly kind: "PodCertificateRequestList"
  readonly metadata: ListMeta
  readonly items: readonly PodCertificateRequest[]
}

export interface PodCertificateRequestSpec {
  readonly maxExpirationSeconds?: number
  readonly nodeName: string
  readonly nodeUID: string
  readonly pkixPublicKey?: string
  readonly podName: string
  readonly podUID: string
  readonly proofOfPossession?: string
  readonly serviceAccountName: string
  readonly serviceAccountUID: string
  readonly signerName: string
  readonly stubPKCS10Request: string
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>
}

export interface PodCertificateRequestStatus {
  readonly beginRefreshAt?: Time
  readonly certificateChain?: string
  readonly conditions?: readonly Condition[]
  readonly notAfter?: Time
  readonly notBefore?: Time
}
