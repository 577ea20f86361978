import type { CertificateOptions } from "./certificates.ts"

const hour = 3_600_000
export const year = 365 * 24 * hour

/** What makes a new certificate unlike the others of its issuer, and its time in milliseconds. */
export interface Validity {
  readonly notBefore: number
  readonly notAfter: number
  readonly serialNumber: Uint8Array
}

/** From an hour ago: the clocks of client and server need not agree. The serial's first byte keeps it positive. */
export function validity({ clock, random }: Pick<CertificateOptions, "clock" | "random">, length: number): Validity {
  const now = clock.now()
  return { notBefore: now - hour, notAfter: now + length, serialNumber: Uint8Array.of(1, ...random.bytes(15)) }
}
