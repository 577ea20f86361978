import { isIp } from "@pilothouse/apiserver"
import { type Clock, type Files, formatDuration, PilothouseError } from "@pilothouse/seams"
import { readPair } from "../apiserver/certificates.ts"
import { certificateOf, privateKeyOf } from "../certificates/pem-files.ts"
import { httpUrl } from "../flags/flag-values.ts"
import { checkSignerFiles } from "./controllers/signers.ts"
import { tlsLimits } from "./endpoints/endpoints.ts"
import type { OwnSettings } from "./flags/flags.ts"

/** Checks values that depend on other flags, before any request. */
export function checkOwnSettings(own: OwnSettings): void {
  if (own["leader-elect"]) checkElection(own)
  if (own["secure-port"] === 0) return
  if (!isIp(own["bind-address"]) && own["bind-address"] !== "localhost")
    throw usage(`--bind-address: expected an IP address such as 127.0.0.1, 0.0.0.0 or ::1, found "${own["bind-address"]}"`)
  if (own["debug-address"] !== "") httpUrl("--debug-address")(own["debug-address"])
  if ((own["tls-cert-file"] === "") !== (own["tls-private-key-file"] === ""))
    throw usage("expected both of --tls-cert-file and --tls-private-key-file, found one")
  tlsLimits(own)
}

/** Files that flags name are read when they are needed, which is after the cluster was found: a wrong path is said at once. */
export function checkOwnFiles(own: OwnSettings, seams: { readonly files: Files; readonly clock: Clock }): void {
  const certificate = own["tls-cert-file"]
  if (own["secure-port"] !== 0 && certificate !== "") readPair(seams, certificate, own["tls-private-key-file"])
  if (own["secure-port"] !== 0 && own["client-ca-file"] !== "") certificateOf(seams.files, "--client-ca-file", own["client-ca-file"])
  if (own["root-ca-file"] !== "") certificateOf(seams.files, "--root-ca-file", own["root-ca-file"])
  const key = own["service-account-private-key-file"]
  checkSignerFiles(own, seams.files)
  if (key !== "") privateKeyOf(seams.files, "--service-account-private-key-file", key)
}

/** The rule of the runtime in the words of the flags: a leader gives up before others may follow it, and has more than one try to renew. */
function checkElection(own: OwnSettings): void {
  const [lease, deadline, retry] = [
    own["leader-elect-lease-duration"],
    own["leader-elect-renew-deadline"],
    own["leader-elect-retry-period"],
  ] as const
  if (retry <= 0) throw usage(`--leader-elect-retry-period: expected more than 0s, found ${formatDuration(retry)}`)
  if (deadline <= 1.2 * retry)
    throw usage(
      `expected --leader-elect-renew-deadline to be more than 1.2 times --leader-elect-retry-period, found ${formatDuration(deadline)} and ${formatDuration(retry)}; set both`,
    )
  if (lease <= deadline)
    throw usage(
      `expected --leader-elect-lease-duration to be more than --leader-elect-renew-deadline, found ${formatDuration(lease)} and ${formatDuration(deadline)}; set both`,
    )
  for (const flag of ["leader-elect-resource-name", "leader-elect-resource-namespace"] as const)
    if (!/^[^/]+$/.test(own[flag])) throw usage(`--${flag}: expected a name without "/", found "${own[flag]}"`)
}

function usage(message: string): PilothouseError {
  return new PilothouseError("USAGE", message)
}
