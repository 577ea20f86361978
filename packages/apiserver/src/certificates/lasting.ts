import type { X509Certificate } from "node:crypto"
import type { Clock } from "@pilothouse/seams"

/** What is left of a certificate's time when a new one is made. */
const renewBefore = 30 * 24 * 3_600_000

/** Whether its time has begun, and is not over soon. */
export function lastsLongEnough({ validFrom, validTo }: X509Certificate, clock: Pick<Clock, "now">): boolean {
  return Date.parse(validTo) - clock.now() >= renewBefore && Date.parse(validFrom) <= clock.now()
}
