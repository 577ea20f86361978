import { formatMicroTime, splitKey } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"

/** Annotation of the Lease: the address of the leader's debug endpoints. */
export const debugAddressAnnotation = "pilothouse.dev/debug-address"

/** Annotation of the Lease: SHA-256 of the certificate of that address, in lower-case hexadecimal. */
export const debugCertificateAnnotation = "pilothouse.dev/debug-certificate-sha256"

/** A candidate at a moment. */
export interface Holder {
  readonly identity: string
  /** Milliseconds. */
  readonly leaseDuration: number
  readonly debugAddress?: string
  /** SHA-256 of the certificate there. */
  readonly debugCertificate?: string
  /** Milliseconds since 1970, only written to the Lease. */
  readonly now: number
}

/** Whether the Lease can be acquired: it is free, our own, or has not changed for its whole duration by the local clock. */
export function canAcquire(lease: Lease, holder: Holder, unchangedFor: number): boolean {
  return unchangedFor >= expiresAfter(lease, holder)
}

/** Milliseconds without a change after which the Lease counts as expired. */
export function expiresAfter({ spec }: Lease, { identity, leaseDuration }: Pick<Holder, "identity" | "leaseDuration">): number {
  const holder = spec?.holderIdentity ?? ""
  if (holder === "" || holder === identity) return 0
  return (spec?.leaseDurationSeconds ?? leaseDuration / 1000) * 1000
}

/** Returns a Lease that a holder creates: acquired and renewed now, without a transition. */
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

/** Returns the Lease acquired or renewed: a renewal keeps acquireTime, an acquisition increments leaseTransitions. */
export function acquiredLease(lease: Lease, holder: Holder): Lease {
  const time = formatMicroTime(holder.now)
  const renewed = { ...lease.spec, ...heldSpec(holder, time) }
  const metadata = withDebugAddress(lease.metadata, holder)
  if (lease.spec?.holderIdentity === holder.identity) return { ...lease, metadata, spec: renewed }
  // The field has 32 bits: at the maximum the count stays, so that an election can still succeed.
  const leaseTransitions = Math.min(2 ** 31 - 1, (lease.spec?.leaseTransitions ?? 0) + 1)
  return { ...lease, metadata, spec: { ...renewed, acquireTime: time, leaseTransitions } }
}

/** Returns the Lease without a holder: the next candidate need not wait. */
export function releasedLease(lease: Lease, now: number): Lease {
  const time = formatMicroTime(now)
  const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: time, acquireTime: time }
  return { ...lease, metadata: withDebugAddress(lease.metadata, {}), spec }
}

function heldSpec({ identity, leaseDuration }: Holder, renewTime: string): NonNullable<Lease["spec"]> {
  return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDuration / 1000), renewTime }
}

/** Sets or removes the annotations: the address of the last leader would be wrong. */
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
