// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Time } from "../../quantity/scalars.ts"

export interface CertificateSigningRequest {
  readonly apiVersion: "certificates.k8s.io/v1"
  readonly kind: "CertificateSigningRequest"
  readonly metadata: ObjectMeta
  readonly spec: CertificateSigningRequestSpec
  readonly status?: CertificateSigningRequestStatus
}

export interface CertificateSigningRequestCondition {
  readonly lastTransitionTime?: Time
  readonly lastUpdateTime?: Time
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface CertificateSigningRequestList {
  readonly apiVersion: "certificates.k8s.io/v1"
  readonly kind: "CertificateSigningRequestList"
  readonly metadata: ListMeta
  readonly items: readonly CertificateSigningRequest[]
}

export interface CertificateSigningRequestSpec {
  readonly expirationSeconds?: number
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly groups?: readonly string[]
  readonly request: string
  readonly signerName: string
  readonly uid?: string
  readonly usages?: readonly ("any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping")[]
  readonly username?: string
}

export interface CertificateSigningRequestStatus {
  readonly certificate?: string
  readonly conditions?: readonly CertificateSigningRequestCondition[]
}
