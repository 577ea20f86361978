import { X509Certificate } from "node:crypto"
import type { Clock } from "@pilothouse/seams"

/**
 * When a new certificate is due, in milliseconds since 1970: two thirds into its life. Of a year's certificate four months are left then, in which a
 * renewal that fails can be repeated, and copies of the old one still work.
 */
export function renewalTime(certificate: string | X509Certificate): number {
  const { validFrom, validTo } = typeof certificate === "string" ? new X509Certificate(certificate) : certificate
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  return from + ((to - from) * 2) / 3
}

/** Whether its time has begun, and no new one is due. */
export function isCurrent(certificate: X509Certificate, clock: Pick<Clock, "now">): boolean {
  return Date.parse(certificate.validFrom) <= clock.now() && clock.now() < renewalTime(certificate)
}
