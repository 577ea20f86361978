import { silentLog } from "@pilothouse/seams"
import { fileNames } from "./certificate-names.ts"
import type { CertificateOptions, Certificates, StoredCertificates } from "./certificates.ts"

const { caCertificate, caKey, serviceAccountKey, serviceAccountPublicKey } = fileNames

/**
 * At a first start nobody has anything of ours yet. Later, what others were given may be good no more when it is made anew: that is said.
 * The certificates of the server and of the administrator are of the authority that everybody has, and change whenever they are old.
 */
export function warnRecreated(made: Certificates, loaded: StoredCertificates, options: CertificateOptions): void {
  const { log = silentLog, directory, hasObjects = false } = options
  if (isEmpty(loaded) && !hasObjects) return
  if (loaded.ca === undefined) log.warn(made.ca.key === loaded.keys.ca ? authorityOfOldKey : newAuthority, { directory })
  if (loaded.serviceAccount === undefined) log.warn(newServiceAccountKey, { directory })
}

/** A key alone may be what a crash has left of the first one. */
function isEmpty({ ca, server, admin, serviceAccount }: StoredCertificates): boolean {
  return [ca, server, admin, serviceAccount].every((part) => part === undefined)
}

const authorityOfOldKey =
  `${caCertificate} was missing and was made anew, for the ${caKey} that is there: ` +
  "clients that have the old one still trust this server, and their certificates are still known"

const newAuthority =
  `${caCertificate} and ${caKey} were missing and were made anew: ` +
  "clients that have the old ones do not trust this server, and their certificates are refused; give them the new kubeconfig"

const newServiceAccountKey =
  `${serviceAccountKey} and ${serviceAccountPublicKey} were missing and were made anew: ` +
  "tokens of service accounts that were given out are refused; pods have new ones once they are started again"
