import { formatMicroTime, splitKey } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"

/** Where the leader answers questions about itself: an annotation of its Lease. */
export const debugAddressAnnotation = "pilothouse.dev/debug-address"

/** SHA-256 of the certificate that is shown there, in lower-case hexadecimal: another annotation of the Lease. */
export const debugCertificateAnnotation = "pilothouse.dev/debug-certificate-sha256"

/** A candidate at a moment. */
export interface Holder {
  readonly identity: string
  /** Milliseconds. */
  readonly leaseDuration: number
  readonly debugAddress?: string
  /** SHA-256 of the certificate there. */
  readonly debugCertificate?: string
  /** Milliseconds since 1970, only to be written down. */
  readonly now: number
}

/** A free Lease and our own may be taken; another's when it has not changed for its whole duration by our own clock. */
export function canAcquire(lease: Lease, holder: Holder, unchangedFor: number): boolean {
  return unchangedFor >= expiresAfter(lease, holder)
}

/** Milliseconds for which it has to stay unchanged. */
export function expiresAfter({ spec }: Lease, { identity, leaseDuration }: Pick<Holder, "identity" | "leaseDuration">): number {
  const holder = spec?.holderIdentity ?? ""
  if (holder === "" || holder === identity) return 0
  return (spec?.leaseDurationSeconds ?? leaseDuration / 1000) * 1000
}

export function newLease(key: string, holder: Holder): Lease {
  const time = formatMicroTime(holder.now)
  const metadata = withDebugAddress(splitKey(key), holder)
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: { ...heldSpec(holder, time), acquireTime: time, leaseTransitions: 0 },
  }
}

/** Taken over or renewed: renewing keeps the time it was acquired, taking over counts one more transition. */
export function acquiredLease(lease: Lease, holder: Holder): Lease {
  const time = formatMicroTime(holder.now)
  const renewed = { ...lease.spec, ...heldSpec(holder, time) }
  const metadata = withDebugAddress(lease.metadata, holder)
  if (lease.spec?.holderIdentity === holder.identity) return { ...lease, metadata, spec: renewed }
  // The field has 32 bits: a full count stays, so that an election can still succeed.
  const leaseTransitions = Math.min(2 ** 31 - 1, (lease.spec?.leaseTransitions ?? 0) + 1)
  return { ...lease, metadata, spec: { ...renewed, acquireTime: time, leaseTransitions } }
}

/** Held by nobody: the next candidate need not wait. */
export function releasedLease(lease: Lease, now: number): Lease {
  const time = formatMicroTime(now)
  const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: time, acquireTime: time }
  return { ...lease, metadata: withDebugAddress(lease.metadata, {}), spec }
}

function heldSpec({ identity, leaseDuration }: Holder, renewTime: string): NonNullable<Lease["spec"]> {
  return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDuration / 1000), renewTime }
}

/** Of the holder, or of nobody: the address of the last leader would send people to the wrong place. */
function withDebugAddress(
  metadata: Lease["metadata"],
  { debugAddress, debugCertificate }: Pick<Holder, "debugAddress" | "debugCertificate">,
): Lease["metadata"] {
  const { [debugAddressAnnotation]: address, [debugCertificateAnnotation]: certificate, ...others } = metadata.annotations ?? {}
  if (address === debugAddress && certificate === debugCertificate) return metadata
  return {
    ...metadata,
    annotations: {
      ...others,
      ...(debugAddress !== undefined && { [debugAddressAnnotation]: debugAddress }),
      ...(debugCertificate !== undefined && { [debugCertificateAnnotation]: debugCertificate }),
    },
  }
}
